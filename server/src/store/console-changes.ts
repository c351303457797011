// The audit log: who changed what, when, from where. A row is written before the change is begun, and how it ended after it;
// what has no end was interrupted.

import type { MerchantId } from '../core/ids.ts'
import type { Role } from '../core/login.ts'
import type { Database, Json } from './database.ts'

export interface NewChange {
  readonly merchantId: MerchantId
  readonly id: string
  readonly at: Date
  readonly by: string
  readonly role: Role | null
  readonly action: string
  readonly about: string | null
  readonly detail: Json
  readonly address: string
  readonly userAgent: string
}

export async function insertChange(sql: Database, { detail, ...change }: NewChange): Promise<void> {
  await sql`insert into console_change ${sql({ ...change, detail: sql.json(detail) })}`
}

export async function endChange(
  sql: Database,
  { merchantId, id }: Pick<NewChange, 'merchantId' | 'id'>,
  ended: { readonly status: number; readonly about: string | null },
): Promise<void> {
  await sql`update console_change set status = ${ended.status}, about = coalesce(about, ${ended.about})
    where merchant_id = ${merchantId} and id = ${id}`
}
