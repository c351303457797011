// Joins the console, and the dashboard that calls it, to the world.

import type { FastifyInstance } from 'fastify'
import type { ConsolePorts } from './console/ports.ts'
import { type AllConsolePorts, consoleRoutes } from './console/server.ts'
import type { MerchantId } from './core/ids.ts'
import { demoSetting, type Foundation } from './foundation.ts'
import { consoleHookPorts } from './join-console-hooks.ts'
import { consoleKeyPorts } from './join-console-keys.ts'
import { overviewPorts } from './join-console-overview.ts'
import { sellingPorts } from './join-console-selling.ts'
import { consoleSessions } from './join-console-sessions.ts'
import { signInPorts } from './join-console-sign-in.ts'
import type { Joined } from './join-core.ts'
import { formTokens } from './keys/form-tokens.ts'
import { endChange, insertChange } from './store/console-changes.ts'
import { findMerchant } from './store/merchants.ts'
import { readSetting } from './store/settings.ts'

export function dashboard(foundation: Foundation, joined: Joined) {
  return async (app: FastifyInstance, resources: (scope: FastifyInstance) => void): Promise<void> => {
    await app.register(async scope => consoleRoutes(scope, consolePorts(foundation, joined), resources))
  }
}

function consolePorts(foundation: Foundation, joined: Joined): AllConsolePorts {
  const signIn = signInPorts(foundation)
  return {
    ...basePorts(foundation, joined),
    ...signIn,
    ...consoleKeyPorts(foundation, signIn),
    ...consoleHookPorts(foundation, joined),
    ...sellingPorts(foundation, joined),
    ...overviewPorts(foundation, joined),
    about: aboutPorts(foundation),
  }
}

function basePorts(foundation: Foundation, joined: Joined): ConsolePorts {
  return {
    service: joined.ports.service,
    sessions: consoleSessions(foundation),
    csrf: formTokens(foundation.sealer.derive('console forms')),
    changes: changePorts(foundation),
  }
}

function changePorts({ sql, clock, newUuid }: Foundation): ConsolePorts['changes'] {
  return {
    async begin({ merchantId, email, role }, { action, about, detail }, { address, userAgent }) {
      const id = newUuid()
      const who = { merchantId, id, at: clock.now(), by: email, role }
      await insertChange(sql, { ...who, action, about, detail, address, userAgent })
      return { merchantId, id }
    },
    end: (change, ended) => endChange(sql, change, ended),
  }
}

function aboutPorts({ sql, clock }: Foundation): AllConsolePorts['about'] {
  return {
    merchant: (id: MerchantId) => findMerchant(sql, id),
    isDemo: async (id: MerchantId) => (await readSetting(sql, demoSetting)) === id,
    now: clock.now,
    offsetMs: clock.offsetMs,
  }
}
