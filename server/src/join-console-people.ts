// Joins the merchant's people to the world: signing in, one's own account, the team, and the links that are mailed to them.

import type { PeoplePorts } from './console/people.ts'
import type { ConsolePorts, From } from './console/ports.ts'
import type { SessionPorts } from './console/session.ts'
import type { ServiceFacts } from './core/sale.ts'
import type { Foundation } from './foundation.ts'
import { accountPorts } from './join-console-account.ts'
import { linkPorts } from './join-console-links.ts'
import { type Proving, proving } from './join-console-proving.ts'
import { signInPorts } from './join-console-sign-in.ts'
import { teamPorts } from './join-console-team.ts'
import type { CustomerPost } from './join-mail.ts'
import { type KnownBrowsers, knownBrowsers } from './keys/known-browsers.ts'
import { listChanges } from './store/console-changes.ts'
import { endOwnSession, endSessionsOf, listSessions } from './store/console-sessions.ts'

/** What is done behind an answer. */
export type Later = (work: () => Promise<unknown>) => void

type By = Parameters<ConsolePorts['changes']['begin']>[0]

export interface PeopleWorld {
  readonly foundation: Foundation
  readonly service: ServiceFacts
  readonly post: CustomerPost
  readonly later: Later
  readonly proving: Proving
  readonly browsers: KnownBrowsers
  /** Puts into the audit log what nobody did who is signed in. */
  note(by: By, change: { readonly action: string; readonly status: number }, from: From): Promise<void>
}

export interface PeopleNeeds {
  readonly base: Pick<ConsolePorts, 'service' | 'changes'>
  readonly post: CustomerPost
  readonly later: Later
}

export function peoplePorts(
  foundation: Foundation,
  { base, post, later }: PeopleNeeds,
): PeoplePorts & Pick<SessionPorts, 'signIn'> {
  const { service, changes } = base
  const world: PeopleWorld = {
    foundation,
    service,
    post,
    later,
    proving: proving(foundation),
    browsers: knownBrowsers(foundation.sealer.derive('known browsers')),
    async note(by, { action, status }, from) {
      const change = await changes.begin(by, { action, about: null, detail: {} }, from)
      await changes.end(change, { status, about: null })
    },
  }
  const { sql } = foundation
  return {
    ...signInPorts(world),
    ...accountPorts(world),
    ...linkPorts(world),
    ...teamPorts(world),
    ownSessions: {
      list: who => listSessions(sql, who),
      end: async ({ merchantId, email }, id) => isUuid(id) && endOwnSession(sql, { merchantId, email, id }),
      endOthers: who => endSessionsOf(sql, who, who.sessionId),
    },
    listChanges: (merchantId, filter) => listChanges(sql, merchantId, filter),
  }
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
