// tillbell serve: the whole service, until it is told to stop.

import { openFoundation } from '../foundation.ts'
import { startService } from '../main.ts'
import { demoGreeting, ensureDemo } from '../setup/demo.ts'
import { type Command, exitCodes } from './command.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'Run the service. In the sandbox, the first start makes a demo merchant and prints how to use it.',
  positionals: [],
  options: {},
  async run({ config, log, print }) {
    const stopped = whenToldToStop()
    const foundation = await openFoundation(config, 'owner', log)
    try {
      const service = await startService(foundation, log)
      try {
        if (foundation.notice !== null) print(foundation.notice)
        const demo = config.mode === 'sandbox' ? await ensureDemo(foundation, service) : null
        print(demo === null ? `Tillbell is at ${service.baseUrl}` : demoGreeting(demo, config.dataFolder))
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

/** The first signal asks politely. A second one, of a person who will not wait, ends the process: the next start recovers. */
function whenToldToStop(): Promise<string> {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        resolve(signal)
        process.once(signal, () => process.exit(exitCodes.failed))
      })
    }
  })
}
