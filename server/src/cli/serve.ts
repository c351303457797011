// tillbell serve: the whole service, until it is told to stop.

import { setFlagsFromString } from 'node:v8'
import { openFoundation, refuseUnknownSealers } from '../foundation.ts'
import { startService } from '../main.ts'
import { refuseBeforeReopened } from '../restored.ts'
import { demoGreeting, ensureDemo } from '../setup/demo.ts'
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
