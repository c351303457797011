// Joins the merchant's people to the world: signing in, one's own account, the team, and the links that are mailed to them.

import type { PeoplePorts } from './console/people.ts'
import type { ConsolePorts, From } from './console/ports.ts'
import type { SessionPorts } from './console/session.ts'
import type { ServiceFacts } from './core/sale.ts'
import type { Foundation } from './foundation.ts'
import { accountPorts, sessionOf } from './join-console-account.ts'
import { linkPorts } from './join-console-links.ts'
import { type Proving, proving } from './join-console-proving.ts'
import { signInPorts } from './join-console-sign-in.ts'
import { teamPorts } from './join-console-team.ts'
import type { CustomerPost } from './join-mail.ts'
import { type KnownBrowsers, knownBrowsers } from './keys/known-browsers.ts'
import { newConsoleSecret, secretHash } from './keys/new-ids.ts'
import { insertChange, listChanges } from './store/console-changes.ts'
import { endOwnSession, keepThisSessionAlone, listSessions } from './store/console-sessions.ts'
import type { Scope } from './store/database.ts'

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
  /** Puts into the audit log what nobody did who is signed in; in the very commit that did it. */
  note(scope: Scope, by: By, change: { readonly action: string; readonly status: number }, from: From): Promise<void>
}

export interface PeopleNeeds {
  readonly base: Pick<ConsolePorts, 'service'>
  readonly post: CustomerPost
  readonly later: Later
}

export function peoplePorts(
  foundation: Foundation,
  { base, post, later }: PeopleNeeds,
): PeoplePorts & Pick<SessionPorts, 'signIn'> {
  const world: PeopleWorld = {
    foundation,
    service: base.service,
    post,
    later,
    proving: proving(foundation),
    browsers: knownBrowsers(foundation.sealer.derive('known browsers')),
    async note(scope, { merchantId, email, role }, done, { address, userAgent }) {
      const row = { merchantId, id: foundation.newUuid(), at: foundation.clock.now(), by: email, role, about: null }
      await insertChange(scope, { ...row, ...done, detail: {}, address, userAgent })
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
      async endOthers(who) {
        const secret = newConsoleSecret()
        const isKept = await sql.begin(scope => keepThisSessionAlone(scope, sessionOf(who), secretHash(secret)))
        return isKept ? secret : null
      },
    },
    listChanges: (merchantId, filter) => listChanges(sql, merchantId, filter),
  }
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
