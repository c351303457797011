// The audit log: who changed what, when, from where. A row is written before the change is begun, and how it ended after it;
// what has no end was interrupted.

import type { MerchantId } from '../core/ids.ts'
import type { Page } from '../core/lists.ts'
import type { Role } from '../core/login.ts'
import type { Json as CoreJson } from '../core/offer.ts'
import type { Database, Json, Scope } from './database.ts'
import { idAt } from './id-at.ts'

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
  /** Of a change that is committed with its row. */
  readonly status?: number
}

export async function insertChange(scope: Scope, { detail, ...change }: NewChange): Promise<void> {
  await scope`insert into console_change ${scope({ ...change, detail: scope.json(detail) })}`
}

export async function endChange(
  sql: Database,
  { merchantId, id }: Pick<NewChange, 'merchantId' | 'id'>,
  ended: { readonly status: number; readonly about: string | null },
): Promise<void> {
  // What was refused changed nothing: what it would have been is nobody's business, nor is the name of what is not there.
  await sql`update console_change set status = ${ended.status},
      about = case when ${ended.status}::int = 404 then null else coalesce(about, ${ended.about}) end,
      detail = case when ${ended.status}::int between 400 and 499 then '{}' else detail end
    where merchant_id = ${merchantId} and id = ${id}`
}

export interface ShownChange extends Omit<NewChange, 'detail' | 'status'> {
  readonly detail: { readonly [name: string]: CoreJson }
  /** Null: it is not known how it ended. */
  readonly status: number | null
}

export interface ChangeFilter extends Page<string> {
  readonly by: string | null
  readonly action: string | null
  readonly about: string | null
  readonly createdAfter: Date | null
  readonly createdBefore: Date | null
}

/** Newest first. */
export async function listChanges(sql: Database, merchantId: MerchantId, filter: ChangeFilter): Promise<ShownChange[]> {
  const { after, by, action, about, createdAfter, createdBefore, limit } = filter
  return sql<ShownChange[]>`select merchant_id, id, at, by, role, action, about, detail, address, user_agent, status
    from console_change where merchant_id = ${merchantId}
      ${after === null ? sql`` : sql`and id < ${after}`}
      ${by === null ? sql`` : sql`and by = ${by}`}
      ${action === null ? sql`` : sql`and action = ${action}`}
      ${about === null ? sql`` : sql`and about = ${about}`}
      ${createdAfter === null ? sql`` : sql`and at > ${createdAfter} and id > ${idAt(createdAfter, -1)}`}
      ${createdBefore === null ? sql`` : sql`and at < ${createdBefore} and id < ${idAt(createdBefore, 1)}`}
    order by id desc limit ${limit}`
}
