// Joins the console, and the dashboard that calls it, to the world.

import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { dashboardFiles } from './console/app-files.ts'
import type { ConsolePorts } from './console/ports.ts'
import { type AllConsolePorts, consoleRoutes } from './console/server.ts'
import type { MerchantId } from './core/ids.ts'
import { demoSetting, type Foundation } from './foundation.ts'
import { consoleHookPorts } from './join-console-hooks.ts'
import { consoleKeyPorts } from './join-console-keys.ts'
import { overviewPorts } from './join-console-overview.ts'
import { type PeopleNeeds, peoplePorts } from './join-console-people.ts'
import { sellingPorts } from './join-console-selling.ts'
import { consoleSessions } from './join-console-sessions.ts'
import { transactionPorts } from './join-console-transactions.ts'
import type { Joined } from './join-core.ts'
import { formTokens } from './keys/form-tokens.ts'
import { endChange, insertChange } from './store/console-changes.ts'
import { findMerchant } from './store/merchants.ts'
import { readSetting } from './store/settings.ts'

/** Where `dashboard/build.ts` puts it. */
const builtDashboard = join(import.meta.dirname, '../dist/dashboard')

/** What the console mails, and does behind its answers. */
export type ConsoleNeeds = Omit<PeopleNeeds, 'base'>

export function dashboard(foundation: Foundation, joined: Joined, needs: ConsoleNeeds) {
  return async (app: FastifyInstance, resources: (scope: FastifyInstance) => void): Promise<void> => {
    dashboardFiles(app, builtDashboard, () => joined.ports.service.baseUrl)
    await app.register(async scope => consoleRoutes(scope, consolePorts(foundation, joined, needs), resources))
  }
}

function consolePorts(foundation: Foundation, joined: Joined, needs: ConsoleNeeds): AllConsolePorts {
  const base = basePorts(foundation, joined)
  const people = peoplePorts(foundation, { ...needs, base })
  return {
    ...base,
    ...people,
    ...consoleKeyPorts(foundation, people),
    ...consoleHookPorts(foundation, joined),
    ...sellingPorts(foundation, joined),
    ...overviewPorts(foundation, joined),
    ...transactionPorts(foundation),
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

export function changePorts({ sql, clock, newUuid }: Foundation): ConsolePorts['changes'] {
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
