// tillbell serve: the whole service, until it is told to stop.

import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { type Foundation, openFoundation, refuseUnknownSealers } from '../foundation.ts'
import { type Service, startService } from '../main.ts'
import type { Logger } from '../observe/log.ts'
import { refuseBeforeReopened } from '../restored.ts'
import { demoGreeting, ensureDemo } from '../setup/demo.ts'
import { isConnectionLoss } from '../store/database.ts'
import { type Command, exitCodes } from './command.ts'
import { whenToldToStop } from './told-to-stop.ts'

/**
 * While a service starts, everything that is made stays, and V8 would learn from it to make such objects in old space. Under load they go within
 * milliseconds, but from there only with a full collection, and all that hangs on them. No wrong result can come of this: it is where objects are.
 */
const leaveObjectsYoung = '--no-allocation-site-pretenuring'

export const serve: Command = {
  positionals: [],
  options: {},
  examples: ['tillbell serve'],
  async run({ config, log, print }) {
    setFlagsFromString(leaveObjectsYoung)
    const stopped = whenToldToStop()
    const foundation = await openFoundation(config, 'owner', log)
    try {
      await refuseBeforeReopened(foundation.sql, config)
      await refuseUnknownSealers(foundation)
      const service = await startService(foundation, log)
      try {
        if (foundation.notice !== null) print(foundation.notice)
        const greeting = await Promise.race([
          stopped.then(() => null),
          onceThere(() => greet(foundation, service), log),
        ])
        if (greeting !== null) print(greeting)
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

/** Makes the demo, if there is to be one: by who can serve it, as demo.json says where to send the first charge. */
async function greet(foundation: Foundation, service: Service): Promise<string> {
  const { mode, roles } = foundation.config
  const demo = mode === 'sandbox' && roles.includes('api') ? await ensureDemo(foundation, service) : null
  return demo === null ? `Tillbell is at ${service.baseUrl}` : demoGreeting(foundation, demo)
}

const tryAgainMs = 500

/** By now it serves, and a database that goes away for a moment no longer ends it: what is left of its start is done when that is back. */
async function onceThere<T>(work: () => Promise<T>, log: Logger): Promise<T> {
  for (let isSaid = false; ; isSaid = true) {
    try {
      return await work()
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      if (!isSaid) log.warn({ err: error }, 'the demo is made when the database is back')
      await delay(tryAgainMs, null, { ref: false })
    }
  }
}
