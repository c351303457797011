// Who the merchant's people are. There is always an owner: whoever takes one away holds the merchant meanwhile. So of two owners
// who demote each other at once, the second waits; then it is an owner no more, which is found by `lockActor` in the same commit.

import { alertKinds } from '../core/alert.ts'
import type { MerchantId } from '../core/ids.ts'
import type { Role } from '../core/login.ts'
import type { Database, Scope } from './database.ts'
import { dropInvitationsBy, dropLinks } from './login-links.ts'
import type { LoginName } from './logins.ts'

export interface Member {
  readonly email: string
  readonly role: Role
  readonly secondFactor: boolean
  readonly createdAt: Date
  /** Null: not signed in. */
  readonly seenAt: Date | null
}

export async function listTeam(sql: Database, merchantId: MerchantId): Promise<Member[]> {
  return sql<Member[]>`select l.email, l.role, l.totp_since is not null as second_factor, l.created_at,
      (select max(s.seen_at) from console_session s where s.merchant_id = l.merchant_id and s.email = l.email) as seen_at
    from login l where l.merchant_id = ${merchantId} order by l.created_at, l.email`
}

export type TeamChange = 'done' | 'not known' | 'last owner'

export async function changeRole(scope: Scope, who: LoginName, role: Role): Promise<TeamChange> {
  const may = await mayLoseOwner(scope, who, role)
  if (may !== 'done') return may
  // Who becomes an owner is alerted to everything, like one who is invited, until they choose otherwise.
  await scope`update login set role = ${role},
      alerts = case when ${role} = 'owner' and role <> 'owner' then ${alertKinds}::text[] else alerts end
    where merchant_id = ${who.merchantId} and email = ${who.email}`
  if (role !== 'owner') await dropInvitationsBy(scope, who)
  return 'done'
}

/** With their sessions, codes and links, those too with which they invited others. */
export async function removeMember(scope: Scope, who: LoginName): Promise<TeamChange> {
  const may = await mayLoseOwner(scope, who, null)
  if (may !== 'done') return may
  const { merchantId, email } = who
  await scope`delete from login where merchant_id = ${merchantId} and email = ${email}`
  await scope`delete from directory where kind = 'login' and key = ${email} and merchant_id = ${merchantId}`
  await dropLinks(scope, { merchantId, email, kind: 'reset' })
  // Sent again while the first was being accepted, an invitation is open beside the login.
  await dropLinks(scope, { merchantId, email, kind: 'invitation' })
  await dropInvitationsBy(scope, who)
  return 'done'
}

async function mayLoseOwner(scope: Scope, { merchantId, email }: LoginName, role: Role | null): Promise<TeamChange> {
  await scope`select from merchant where merchant_id = ${merchantId} for no key update`
  const [row] = await scope<{ role: Role; otherOwner: boolean }[]>`select role, exists (select from login other
      where other.merchant_id = ${merchantId} and other.email <> ${email} and other.role = 'owner') as other_owner
    from login where merchant_id = ${merchantId} and email = ${email}`
  if (row === undefined) return 'not known'
  return row.role === 'owner' && role !== 'owner' && !row.otherOwner ? 'last owner' : 'done'
}
