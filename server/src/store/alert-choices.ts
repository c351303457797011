// Who of a merchant's people is mailed about what.

import type { AlertKind, AlertReader } from '../core/alert.ts'
import type { MerchantId } from '../core/ids.ts'
import type { Role } from '../core/login.ts'
import type { Database, Scope } from './database.ts'

export async function listAlertChoices(
  sql: Database,
  merchantId: MerchantId,
): Promise<{ readonly email: string; readonly role: Role; readonly alerts: readonly AlertKind[] }[]> {
  return sql<{ email: string; role: Role; alerts: AlertKind[] }[]>`
    select email, role, alerts from login where merchant_id = ${merchantId} order by email`
}

/** In one statement: two pages of one person that change different kinds at once leave both changed. */
export async function changeAlertChoices(
  sql: Database,
  { merchantId, email }: { readonly merchantId: MerchantId; readonly email: string },
  { add, remove }: { readonly add: readonly AlertKind[]; readonly remove: readonly AlertKind[] },
): Promise<void> {
  await sql`update login set alerts = array(
      select distinct kind from unnest(alerts || ${add}::text[]) kind where kind <> all(${remove}::text[]) order by kind)
    where merchant_id = ${merchantId} and email = ${email}`
}

export async function alertReaders(sql: Scope, merchantId: MerchantId, kind: AlertKind): Promise<AlertReader[]> {
  return sql<AlertReader[]>`select email, language from login
    where merchant_id = ${merchantId} and ${kind} = any(alerts) order by email`
}
