// Our side of a reconciliation: charges and refunds at one gateway, each with what became of it. Read only.

import type { GatewayId, MerchantId } from '../core/ids.ts'
import type { OurBooks, Span } from '../core/reconcile.ts'
import type { OurOperation } from '../core/reconcile-entry.ts'
import type { Scope } from './database.ts'
import { idAt } from './id-at.ts'
import { isOverdue } from './rows.ts'

type Row = Omit<OurOperation, 'followUp'> & {
  readonly followUpKind: 'capture' | 'void' | null
  readonly followUpOutcome: OurOperation['outcome']
  readonly followUpMinor: bigint
}

/** How far an id's time may be from its row's, where clocks were set. */
const idDays = 2

export function ourBooks(sql: Scope, merchantId: MerchantId, gatewayId: GatewayId): OurBooks {
  const ofGateway = sql`p.merchant_id = ${merchantId} and p.gateway_id = ${gatewayId} and p.kind in ('charge', 'refund')`
  return {
    async find(operationIds, gatewayRefs) {
      // Two reads, each by its own index: an `or` of the two would read the whole table.
      const rows = await sql<Row[]>`
        ${columns(sql)} where ${ofGateway} and p.id = any(${operationIds}::uuid[])
        union ${columns(sql)} where ${ofGateway} and p.gateway_ref = any(${gatewayRefs}::text[])`
      return rows.map(fromRow)
    },
    async succeeded(span, after, limit) {
      const rows = await sql<Row[]>`${columns(sql)}
        where ${ofGateway} and p.outcome = 'succeeded' and ${madeIn(sql, span)} and p.id > ${after ?? idAt(span.from, -idDays)}
        order by p.id limit ${limit}`
      return rows.map(fromRow)
    },
    async lastDoneAt(span, withinMs) {
      const [row] = await sql<{ at: Date | null }[]>`
        select max(least(p.settled_at, p.created_at + ${withinMs} * interval '1 millisecond')) as at
        from operation p where ${ofGateway} and ${madeIn(sql, span)} and p.id > ${idAt(span.from, -idDays)}`
      return row?.at ?? null
    },
  }
}

function madeIn(sql: Scope, { from, to }: Span) {
  return sql`p.created_at >= ${from} and p.created_at < ${to} and p.id < ${idAt(to, idDays)}`
}

/** A transaction has one capture or void at most that is open or succeeded. What waits for its customer is in nobody's hand. */
function columns(sql: Scope) {
  return sql`select p.kind, p.id as operation_id, p.transaction_id, p.gateway_ref, p.amount_minor, p.currency, p.created_at,
      p.outcome, p.for_person, p.more_for_person, t.authorization_only,
      (p.outcome in ('pending', 'unknown') and p.lease_until > now() and not ${isOverdue(sql, 'p')}
        or coalesce(f.outcome <> 'succeeded' and f.lease_until > now(), false) and not ${isOverdue(sql, 'f')}) as under_way,
      p.kind = 'charge' and t.status = 'Further Action Required' and not ${isOverdue(sql, 'p')} as waits_for_customer,
      f.kind as follow_up_kind, f.outcome as follow_up_outcome, f.amount_minor as follow_up_minor,
      p.settled_at, greatest(p.settled_at, f.settled_at) as changed_at
    from operation p
      join transaction t on t.merchant_id = p.merchant_id and t.id = p.transaction_id
      left join operation f on f.merchant_id = p.merchant_id and f.transaction_id = p.transaction_id and p.kind = 'charge'
        and p.outcome = 'succeeded' and f.kind in ('capture', 'void') and f.outcome in ('pending', 'unknown', 'succeeded')`
}

function fromRow({ followUpKind, followUpOutcome, followUpMinor, ...ours }: Row): OurOperation {
  const followUp =
    followUpKind === null ? null : { kind: followUpKind, outcome: followUpOutcome, amountMinor: followUpMinor }
  return { ...ours, followUp }
}
