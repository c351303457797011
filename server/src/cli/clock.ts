// tillbell clock advance 5m

import { knownBaseUrl } from '../base-url.ts'
import { isoTime } from '../core/sale.ts'
import { clockMover, join } from '../join-work.ts'
import { openMetrics } from '../observe/metrics.ts'
import { type Command, jsonOption, UsageError } from './command.ts'
import { withFoundation } from './key.ts'

const unitMs: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const advanceMsMax = 365 * 86_400_000

export const clockAdvance: Command = {
  positionals: ['DURATION'],
  options: { json: jsonOption },
  examples: ['tillbell clock advance 5m'],
  async run(call) {
    const byMs = durationMs(call.positionals[0] ?? '')
    if (call.config.mode === 'live') throw new UsageError('The clock moves only in sandbox mode.')
    return withFoundation(call, async foundation => {
      const service = { mode: call.config.mode, baseUrl: await knownBaseUrl(foundation) }
      const joined = join(foundation, call.log, openMetrics(), service)
      const now = isoTime(await clockMover(foundation, joined)(byMs).finally(joined.deliverer.stop))
      call.print(call.options.json === true ? JSON.stringify({ now }) : `It is now ${now}.`)
    })
  },
}

export function durationMs(text: string): number {
  const [, number = '', unit = ''] = /^([0-9]+(?:\.[0-9]+)?)([smhd])$/.exec(text) ?? []
  const byMs = Math.round(Number(number) * (unitMs[unit] ?? 0))
  if (byMs <= 0 || byMs > advanceMsMax)
    throw new UsageError('DURATION must be a number with s, m, h or d, such as 5m, of at most a year.')
  return byMs
}
