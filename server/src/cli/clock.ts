// tillbell clock advance 5m

import { setTimeout as delay } from 'node:timers/promises'
import { knownBaseUrl } from '../base-url.ts'
import { isoTime } from '../core/sale.ts'
import type { Foundation } from '../foundation.ts'
import { clockMover, join } from '../join-work.ts'
import { openMetrics } from '../observe/metrics.ts'
import { listBeingSent } from '../store/sweeping.ts'
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
      const moving = clockMover(foundation, joined)(byMs).finally(joined.deliverer.stop)
      const now = isoTime(await sayingWhatItWaitsFor(foundation, moving))
      call.print(call.options.json === true ? JSON.stringify({ now }) : `It is now ${now}.`)
    })
  },
}

const silentMaxMs = 2_000

/** Whoever sees nothing for longer takes it for stuck. On standard error, and each sentence once. */
async function sayingWhatItWaitsFor<T>({ sql, clock }: Foundation, moving: Promise<T>): Promise<T> {
  const isOver = new AbortController()
  const look = async () => {
    let said = ''
    while (await delay(silentMaxMs, true, { signal: isOver.signal })) {
      const sentence = waitSentence(await listBeingSent(sql, clock.now()), clock.now())
      if (sentence !== said) process.stderr.write(`${sentence}\n`)
      said = sentence
    }
  }
  const looking = look().catch(() => null)
  try {
    return await moving
  } finally {
    isOver.abort()
    await looking
  }
}

function waitSentence(sent: readonly { readonly url: string; readonly count: number }[], now: Date): string {
  if (sent.length === 0) return `It is ${isoTime(now)} so far; what falls due on the way is being done.`
  const to = sent.map(({ url, count }) => (count === 1 ? url : `${url} (${count} hooks)`))
  return `Waiting for the answer of ${to.join(', ')}, for as long as a hook may take.`
}

function advanceMs(text: string): number {
  const byMs = durationMs(text)
  if (byMs === null || byMs > advanceMsMax)
    throw new UsageError('DURATION must be a number with s, m, h or d, such as 5m, of at most a year.')
  return byMs
}
