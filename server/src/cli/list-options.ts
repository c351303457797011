// Options that the commands which list things share.

import { parseUuid } from '../core/ids.ts'
import { type Call, type Option, textOption, UsageError } from './command.ts'

export const limitMax = 100

export const limitOptionHelp: Option = { type: 'number', says: `How many, 1 to ${limitMax}; 25 by default.` }

export function limitOption(call: Call): number {
  if (call.options.limit === undefined) return 25
  const given = textOption(call, 'limit')
  const limit = /^[0-9]{1,3}$/.test(given) ? Number(given) : 0
  if (limit < 1 || limit > limitMax) throw new UsageError(`--limit must be a number from 1 to ${limitMax}.`)
  return limit
}

export function idOption<Id extends NonNullable<ReturnType<typeof parseUuid>>>(call: Call, name: string): Id | null {
  if (call.options[name] === undefined) return null
  const id = parseUuid<Id>(textOption(call, name))
  if (id === null) throw new UsageError(`--${name} must be an id.`)
  return id
}
