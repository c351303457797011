// Deliveries written past the interface, as a commit would have made them: how they come to be is not what these tests
// are about.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AttemptResult, HeldDelivery, LaneName } from '../../src/core/delivery.ts'
import type { ClaimId, DeliveryId, EndpointId, MerchantId, WorkerId } from '../../src/core/ids.ts'
import { afterAttempt, isAccepted } from '../../src/core/retry-schedule.ts'
import { type Settled, settleAttempts } from '../../src/store/attempt-results.ts'
import { claimDeliveries, cutClaims } from '../../src/store/claims.ts'
import type { Database } from '../../src/store/database.ts'
import type { Piece } from '../../src/store/sql.ts'

export async function newLane(sql: Database, merchantId: MerchantId): Promise<LaneName> {
  const [row] = await sql<{ id: EndpointId }[]>`
    insert into hook_endpoint (merchant_id, id, kind, url, timeout_s, status, created_at)
    values (${merchantId}, gen_random_uuid(), 'transaction', 'http://merchant.test/', 15, 'enabled', now()) returning id`
  assert.ok(row !== undefined)
  return { merchantId, endpointId: row.id }
}

export async function owe(
  sql: Database,
  { merchantId, endpointId }: LaneName,
  count: number,
  dueAt: Date,
): Promise<void> {
  await sql`with e as (
      insert into event (merchant_id, id, kind, type, details, at)
      select ${merchantId}, gen_random_uuid(), 'transaction', 'success', '{}', ${dueAt} from generate_series(1, ${count}::int)
      returning id),
    born as (
      insert into delivery (merchant_id, id, event_id, endpoint_id, created_at)
      select ${merchantId}, gen_random_uuid(), e.id, ${endpointId}, ${dueAt} from e returning *)
    insert into owed_delivery (merchant_id, id, event_id, endpoint_id, created_at, due_at)
    select merchant_id, id, event_id, endpoint_id, created_at, created_at from born`
}

/** As if all their attempts had been in vain, and nobody had been told. */
export function drop(sql: Database, which: Piece) {
  return sql<{ id: DeliveryId }[]>`
    insert into owed_delivery (merchant_id, id, event_id, endpoint_id, created_at, state, attempts, settled_at, drop_untold)
    select merchant_id, id, event_id, endpoint_id, created_at, 'dropped', attempts, coalesce(settled_at, now()), true
    from whole_delivery where ${which}
    on conflict (merchant_id, id) do update set state = 'dropped', due_at = null, resend_at = null, holder = null, parked = false,
      settled_at = excluded.settled_at, drop_untold = true
    returning id`
}

/** What a worker makes of an answer. */
export function resultOf(held: HeldDelivery, at: Date, status: number | null): AttemptResult {
  const attempt = { at, status, reason: status === null ? 'It broke.' : null, durationMs: 5, response: 'answer' }
  return { held, attempt, after: afterAttempt(held, { at, accepted: isAccepted(status) }) }
}

export const noon = new Date('2026-11-15T12:00:00Z')
export const at = (ms: number) => new Date(noon.getTime() + ms)
export const after5Min = at(300_000)

/** One lane of a merchant that has no other, and what workers do with it. */
export class OwedLane {
  readonly sql: Database
  readonly name: LaneName

  constructor(sql: Database, name: LaneName) {
    this.sql = sql
    this.name = name
  }

  owe(count: number, dueAt = noon): Promise<void> {
    return owe(this.sql, this.name, count, dueAt)
  }

  claim(holder: WorkerId, limit: number, now = noon): Promise<HeldDelivery[]> {
    return claimDeliveries(this.sql, this.name, { id: randomUUID() as ClaimId, holder, now, limit, goesOn: false })
  }

  /** What comes after all that is claimed. */
  claimOn(holder: WorkerId, limit: number, now = noon): Promise<HeldDelivery[]> {
    return claimDeliveries(this.sql, this.name, { id: randomUUID() as ClaimId, holder, now, limit, goesOn: true })
  }

  async claimOne(holder: WorkerId, now = noon): Promise<HeldDelivery> {
    const [held] = await this.claim(holder, 1, now)
    assert.ok(held !== undefined, 'there is something to claim')
    return held
  }

  /** Whoever held it gives it back. */
  giveBack({ claimId, id }: HeldDelivery): Promise<void> {
    assert.ok(claimId !== null)
    return cutClaims(this.sql, this.name.merchantId, [claimId], [id])
  }

  settle(held: HeldDelivery, holder: WorkerId, status: number | null, time = noon): Promise<Settled> {
    return settleAttempts(this.sql, this.name.merchantId, holder, [resultOf(held, time, status)])
  }

  async turn(to: 'paused' | 'enabled' | 'deleted'): Promise<void> {
    const { endpointId } = this.name
    if (to === 'deleted') await this.sql`update hook_endpoint set deleted_at = now() where id = ${endpointId}`
    else await this.sql`update hook_endpoint set status = ${to} where id = ${endpointId}`
  }

  /** Its only delivery. */
  async row(): Promise<{ readonly [column: string]: unknown }> {
    const [found] = await this.sql`select state, attempts, scheduled_made, due_at, resend_at, parked, holder, settled_at
      from whole_delivery where merchant_id = ${this.name.merchantId}`
    return { ...found }
  }
}
