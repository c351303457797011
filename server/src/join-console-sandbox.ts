// Joins the dashboard's sandbox page to the clock and the demo merchant's inbox.

import { type SandboxPorts, shownMax } from './console/sandbox.ts'
import { demoSetting, type Foundation } from './foundation.ts'
import type { Joined } from './join-core.ts'
import { inboxKeySetting } from './setup/inbox.ts'
import { listInboxHooks } from './store/inbox.ts'
import { listInboxMails } from './store/inbox-mails.ts'
import { readSetting } from './store/settings.ts'
import { nextDueAt } from './store/sweeping.ts'

/** Nobody advances the clock further than that to see something happen. */
const aheadMs = 7 * 86_400_000

export function sandboxPorts({ sql, clock, config }: Foundation, { ports }: Joined): SandboxPorts {
  return {
    sandbox: {
      async facts(merchantId) {
        if (config.mode !== 'sandbox' || (await readSetting(sql, demoSetting)) !== merchantId) return null
        const now = clock.now()
        const [key, next, hooks, mails] = await Promise.all([
          readSetting(sql, inboxKeySetting),
          nextDueAt(sql, now, new Date(now.getTime() + aheadMs)),
          listInboxHooks(sql, merchantId, null, shownMax),
          listInboxMails(sql, merchantId, null),
        ])
        const inboxUrl = key === null ? null : `${ports.service.baseUrl}/inbox/${String(key)}`
        return { now, offsetMs: clock.offsetMs(), nextDueAt: next, inboxUrl, hooks, mails }
      },
    },
  }
}
