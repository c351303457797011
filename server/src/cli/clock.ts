// tillbell clock advance 5m

import { knownBaseUrl } from '../base-url.ts'
import { isoTime } from '../core/sale.ts'
import { clockMover, join } from '../join-work.ts'
import { openMetrics } from '../observe/metrics.ts'
import { type Command, jsonOption, UsageError } from './command.ts'
import { durationMs } from './duration.ts'
import { withFoundation } from './key.ts'

const advanceMsMax = 365 * 86_400_000

export const clockAdvance: Command = {
  positionals: ['DURATION'],
  options: { json: jsonOption },
  examples: ['tillbell clock advance 5m'],
  async run(call) {
    const byMs = advanceMs(call.positionals[0] ?? '')
    if (call.config.mode === 'live') throw new UsageError('The clock moves only in sandbox mode.')
    return withFoundation(call, async foundation => {
      const service = { mode: call.config.mode, baseUrl: await knownBaseUrl(foundation) }
      const joined = join(foundation, call.log, openMetrics(), service)
      const now = isoTime(await clockMover(foundation, joined)(byMs).finally(joined.deliverer.stop))
      call.print(call.options.json === true ? JSON.stringify({ now }) : `It is now ${now}.`)
    })
  },
}

function advanceMs(text: string): number {
  const byMs = durationMs(text)
  if (byMs === null || byMs > advanceMsMax)
    throw new UsageError('DURATION must be a number with s, m, h or d, such as 5m, of at most a year.')
  return byMs
}
