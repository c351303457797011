// Reads of sales: each one statement, so that all its parts are of one snapshot.

import type { CardToken, GatewayId, MerchantId, OfferId, TransactionId } from '../core/ids.ts'
import type { Card, CardVault } from '../core/people.ts'
import type { ChargeFacts, EarlierRequest, GatewayFacts, PreSaleEndpoint, Repetition } from '../core/ports.ts'
import type { Sale } from '../core/sale.ts'
import { columnsOf, partsOf } from './columns.ts'
import type { Database, Scope } from './database.ts'
import { isReplayOver } from './keyed-requests.ts'
import {
  cardColumns,
  cardFrom,
  customerColumns,
  customerFrom,
  disputeFromJson,
  isOverdue,
  merchantColumns,
  merchantFrom,
  offerColumns,
  offerFrom,
  operationFromJson,
  transactionColumns,
  transactionFrom,
} from './rows.ts'
import type { Piece } from './sql.ts'

type Row = Record<string, unknown>

const factsColumns = columnsOf({ m: merchantColumns, o: offerColumns, u: customerColumns, c: cardColumns })
const ownColumns = columnsOf({ t: transactionColumns })

/** Everything that makes a sale, joined to transaction `t`; of its operations `p` only those that fit `which`. */
export function saleColumns(sql: Scope, which: Piece = sql`true`) {
  return sql`${sql.unsafe(ownColumns)}, ${sql.unsafe(factsColumns)}, (select json_agg(w order by w.id)
      from (select p.*, ${isOverdue(sql, 'p')} as is_overdue from operation p
        where p.merchant_id = t.merchant_id and p.transaction_id = t.id and ${which}) w) as operations,
    (select json_agg(d order by d.opened_at, d.gateway_ref) from dispute d
      where d.merchant_id = t.merchant_id and d.transaction_id = t.id) as disputes`
}

export function saleJoins(sql: Scope) {
  return sql`
    join merchant m on m.merchant_id = t.merchant_id
    join offer o on o.merchant_id = t.merchant_id and o.id = t.offer_id
    join customer u on u.merchant_id = t.merchant_id and u.id = t.customer_id
    left join card c on c.merchant_id = t.merchant_id and c.token = t.card_token`
}

export function saleFrom(row: Row): Sale {
  const operations = (row.operations ?? []) as Row[]
  const parts = partsOf(row)
  return {
    transaction: transactionFrom(present(parts, 't')),
    merchant: merchantFrom(present(parts, 'm')),
    offer: offerFrom(present(parts, 'o')),
    customer: customerFrom(present(parts, 'u')),
    card: cardOf(parts),
    operations: operations.map(operationFromJson),
    disputes: ((row.disputes ?? []) as Row[]).map(disputeFromJson),
  }
}

function cardOf(parts: ReturnType<typeof partsOf>): Card | null {
  const found = parts.c ?? null
  return found === null ? null : cardFrom(found)
}

function present(parts: ReturnType<typeof partsOf>, prefix: string): Row {
  const found = parts[prefix] ?? null
  if (found === null) throw new Error(`a joined row has no ${prefix}`)
  return found
}

export function loadSale(sql: Scope, merchantId: MerchantId, id: TransactionId): Promise<Sale | null> {
  return loadWith(sql, merchantId, id, sql`true`)
}

/** Without its refunds. */
export function loadSaleForCustomer(sql: Scope, merchantId: MerchantId, id: TransactionId): Promise<Sale | null> {
  return loadWith(sql, merchantId, id, sql`p.kind <> 'refund'`)
}

async function loadWith(sql: Scope, merchantId: MerchantId, id: TransactionId, which: Piece) {
  const [row] = await sql`select ${saleColumns(sql, which)} from transaction t ${saleJoins(sql)}
    where t.merchant_id = ${merchantId} and t.id = ${id}`
  return row === undefined ? null : saleFrom(row)
}

/**
 * What is at hand for a charge. The gateway is the one the offer names, else the one that holds the card: a merchant
 * who changes the default gateway keeps selling to the cards stored at the old one.
 */
export async function readChargeFacts(
  sql: Database,
  merchantId: MerchantId,
  offerId: OfferId | null,
  cardToken: CardToken | null,
): Promise<ChargeFacts> {
  const [row] = await sql.quick`
    select ${sql.unsafe(factsColumns)}, g.id as gateway_id, g.status = 'active' as gateway_active, g.type as gateway_type, g.credentials_sealed,
      case when g.id = c.gateway_id then c.card_ref else (select y.card_ref from card_copy y
        where y.merchant_id = m.merchant_id and y.token = c.token and y.gateway_id = g.id) end as gateway_card_ref,
      (select json_agg(json_build_object('id', e.id, 'url', e.url, 'timeoutMs', e.timeout_s * 1000,
          'paused', e.status = 'paused', 'standardWebhooks', e.standard_webhooks, 'sendsJson', e.sends_json, 'keyId', k.id))
        from hook_endpoint e join merchant_key k on k.merchant_id = e.merchant_id and k.state = 'current' where e.merchant_id = m.merchant_id and e.kind = 'pre_sale' and e.deleted_at is null) as pre_sale,
      (select json_agg(json_build_object('gatewayId', f.id, 'cardRef', y.card_ref) order by f.fallback, f.id)
        from gateway f join card_copy y on y.merchant_id = f.merchant_id and y.gateway_id = f.id
        where f.merchant_id = m.merchant_id and f.fallback is not null and f.status = 'active' and y.token = c.token
          and o.gateway_id is null) as fallbacks
    from merchant m
      left join offer o on o.merchant_id = m.merchant_id and o.id = ${offerId}
      left join card c on c.merchant_id = m.merchant_id and c.token = ${cardToken}
      left join customer u on u.merchant_id = m.merchant_id and u.id = c.customer_id
      left join gateway g on g.merchant_id = m.merchant_id and g.id = coalesce(o.gateway_id, c.gateway_id,
        (select d.id from gateway d where d.merchant_id = m.merchant_id and d.is_default and c.token is null))
    where m.merchant_id = ${merchantId}`
  if (row === undefined) throw new Error(`merchant ${merchantId} is gone`)
  const parts = partsOf(row)
  const maybe = <Thing>(prefix: string, from: (row: Row) => Thing) => {
    const found = parts[prefix] ?? null
    return found === null ? null : from(found)
  }
  return {
    merchant: merchantFrom(present(parts, 'm')),
    offer: maybe('o', offerFrom),
    card: maybe('c', cardFrom),
    customer: maybe('u', customerFrom),
    gateway: gatewayFrom(row),
    fallbacks: (row.fallbacks ?? []) as CardVault[],
    preSaleEndpoints: (row.preSale ?? []) as PreSaleEndpoint[],
  }
}

function gatewayFrom(row: Row): GatewayFacts | null {
  if (row.gatewayId === null) return null
  return {
    id: row.gatewayId as GatewayId,
    access: { type: row.gatewayType as string, credentialsSealed: row.credentialsSealed as Uint8Array },
    active: row.gatewayActive === true,
    cardRef: row.gatewayCardRef as string | null,
  }
}

/** The lease of a charge is the transaction's until its operation is written, and the operation's from then on. */
export async function findEarlierRequest(
  sql: Database,
  merchantId: MerchantId,
  repetition: Repetition,
): Promise<EarlierRequest | null> {
  const [key] = await sql<KeyRow[]>`select k.arguments_hash, k.transaction_id, k.status, k.answer from idempotency_key k
    where ${isKey(sql, merchantId, repetition)} and k.transaction_id is not null and not (${isReplayOver(sql, repetition)})`
  if (key === undefined) return null
  const { argumentsHash, transactionId, status, answer } = key
  if (status !== null && answer !== null)
    return { argumentsHash, transactionId, first: { kind: 'answer', status, text: answer } }
  const [row] = await standingOf(sql, merchantId, repetition)
  if (row === undefined) return null
  const sale = saleFrom(row)
  const operation = sale.operations.find(({ id }) => id === row.operationId) ?? null
  const first = { kind: 'standing', sale, operation, running: row.running === true } as const
  return { argumentsHash, transactionId, first }
}

interface KeyRow {
  readonly argumentsHash: string
  readonly transactionId: TransactionId
  readonly status: number | null
  readonly answer: string | null
}

function isKey(sql: Database, merchantId: MerchantId, { operation, key }: Repetition) {
  return sql`k.merchant_id = ${merchantId} and k.operation = ${operation} and k.key = ${key}`
}

/** By its first holder: one that took it over goes on for a process that died, and the client is told as much as is known. */
function running(sql: Database) {
  return sql`(coalesce(t.lease_until, '-infinity') > now() and t.version = 1 or exists (select from operation p
    where p.merchant_id = t.merchant_id and p.transaction_id = t.id and p.outcome = 'pending'
      and p.lease_until > now() and p.lease_no = 1
      and (k.operation_id is null and p.kind = 'charge' or p.id = k.operation_id))) as running`
}

/** Nearly never: to look for more than that right away costs every charge a tenth of its time. */
export async function isKeyTaken(sql: Database, merchantId: MerchantId, { operation, key }: Repetition) {
  const { count } = await sql.quick`select from idempotency_key
    where merchant_id = ${merchantId} and operation = ${operation} and key = ${key}`
  return count > 0
}

function standingOf(sql: Database, merchantId: MerchantId, repetition: Repetition) {
  return sql`select ${saleColumns(sql)}, k.operation_id, ${running(sql)}
    from idempotency_key k
      join transaction t on t.merchant_id = k.merchant_id and t.id = k.transaction_id ${saleJoins(sql)}
    where ${isKey(sql, merchantId, repetition)} and not (${isReplayOver(sql, repetition)})`
}
