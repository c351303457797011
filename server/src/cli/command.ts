// What a command is, and how commands end.

import type { Config } from '../config.ts'
import type { Logger } from '../observe/log.ts'

export const exitCodes = { done: 0, failed: 1, usage: 2, config: 3, notFound: 4 } as const

export class UsageError extends Error {}
export class NotFoundError extends Error {}
/** It could not be done now; the sentence says why. */
export class FailedError extends Error {}

export interface Option {
  /** `flag`, or what its value is called in the help. */
  readonly type: string
  readonly says: string
  readonly required?: boolean
  /** It may be given several times, and is a list. */
  readonly multiple?: boolean
  /** A sentence for whoever left it out: where its values are found. */
  readonly from?: string
}

export interface Call {
  readonly config: Config
  readonly log: Logger
  readonly options: { readonly [name: string]: string | boolean | readonly string[] | undefined }
  readonly positionals: readonly string[]
  readonly print: (text: string) => void
}

/** Its name and what it is for are in commands.ts, which knows them without loading it. */
export interface Command {
  readonly positionals: readonly string[]
  /** What an argument may be, by its name, where that is a list. */
  readonly choices?: { readonly [positional: string]: readonly string[] }
  readonly options: { readonly [name: string]: Option }
  /** Lines of the help between options and examples. */
  readonly notes?: readonly string[]
  /** Whole lines as one types them, beginning with `tillbell`; a test parses each. */
  readonly examples: readonly string[]
  readonly run: (call: Call) => Promise<number>
}

export const jsonOption: Option = { type: 'flag', says: 'Print JSON.' }

export const merchantOption: Option = {
  type: 'id',
  says: 'The merchant (m_…).',
  required: true,
  from: 'tillbell merchant list shows them.',
}

export function textOption(call: Call, name: string): string {
  const value = call.options[name]
  if (typeof value !== 'string' || value.trim() === '') throw new UsageError(`--${name} must not be empty.`)
  return value
}
