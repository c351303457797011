// tillbell serve: the whole service, until it is told to stop.

import { openFoundation } from '../foundation.ts'
import { startService } from '../main.ts'
import { demoGreeting, ensureDemo } from '../setup/demo.ts'
import { type Command, exitCodes } from './command.ts'

export const serve: Command = {
  positionals: [],
  options: {},
  examples: ['tillbell serve'],
  async run({ config, log, print }) {
    const stopped = whenToldToStop()
    const foundation = await openFoundation(config, 'owner', log)
    try {
      const service = await startService(foundation, log)
      try {
        if (foundation.notice !== null) print(foundation.notice)
        // Made by who can serve it: demo.json says where to send the first charge.
        const hasDemo = config.mode === 'sandbox' && config.roles.includes('api')
        const demo = hasDemo ? await ensureDemo(foundation, service) : null
        print(demo === null ? `Tillbell is at ${service.baseUrl}` : await demoGreeting(foundation, demo))
        log.info({ signal: await stopped }, 'stopping')
      } finally {
        await service.stop()
      }
    } finally {
      await foundation.close()
    }
    return exitCodes.done
  },
}

/** Ctrl-C reaches us from the terminal, and once more through npm: both are one wish. */
const sameWishMs = 500

/** The first signal asks politely. A later one, of a person who will not wait, ends the process: the next start recovers. */
function whenToldToStop(): Promise<string> {
  let toldAtMs: number | null = null
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        toldAtMs ??= performance.now()
        if (performance.now() - toldAtMs > sameWishMs) process.exit(exitCodes.failed)
        resolve(signal)
      })
    }
  })
}
