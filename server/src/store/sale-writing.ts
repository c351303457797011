// Writes of sales. Each is one commit: its statements go out in one flight, and a count that is not what it must be
// undoes them all. An update names the version it was decided on; zero rows means someone was faster.
//
// A sale's rows are locked in one order, so that two commits of one sale do not wait for each other: the transaction, then what hangs on it
// (operation, key), the offer's stock last. An insert that meets an equal key waits for whoever is changing that row. Between sales that
// share a commit there is no order: there, whoever waits long for a lock gives up, and is written by itself.

import type { Outbox } from '../core/delivery.ts'
import type { HeldOperation, Operation } from '../core/operation.ts'
import type {
  Ask,
  Change,
  Committed,
  Created,
  NewSale,
  OwedEvent,
  PreSale,
  PreSaleAnswer,
  Repetition,
} from '../core/ports.ts'
import type { Transaction } from '../core/transaction.ts'
import type { Database, Json, Scope } from './database.ts'
import { idOfTheMomentOf } from './id-at.ts'
import { isReplayOver } from './keyed-requests.ts'
import { byLetter, oweMail, refusedBy, takeToken, unpaid } from './letter-writing.ts'
import { handOver, insertDeliveries, type Newborn } from './newborn-deliveries.ts'
import { countedOfferId } from './offer-versions.ts'
import { atOnce, inOneCommit, inSharedCommit, Undone } from './one-commit.ts'
import { serviceTime } from './settings.ts'
import { giveTokensBack, insertLateTokenUse } from './token-uses.ts'

export async function createSale(sql: Database, newSale: NewSale): Promise<Created> {
  const { sale, letter, onlyIfUnpaid = null } = newSale
  const usesToken = letter === undefined && sale.transaction.tokenSha256 !== null
  const isCounted = sale.offer.stockLeft !== null || letter !== undefined || usesToken || onlyIfUnpaid !== null
  const result = isCounted
    ? await inOneCommit(sql, 'begun', scope => insertCountedSale(scope, newSale, letter))
    : await atOnce(sql, sale.transaction.merchantId, 'begun', scope => insertSale(scope, newSale))
  return result as Created
}

function insertSale(scope: Scope, { sale: { transaction }, operation, preSale, repetition, leaseMs }: NewSale) {
  const created = insertTransaction(scope, transaction, operation === null ? leaseMs : null)
  return [
    operation === null ? created : scope`with created as (${created}) ${insertOperation(scope, operation, leaseMs)}`,
    ...insertPreSaleRequests(scope, transaction, preSale, preSaleRequestIds(transaction, preSale)),
    ...insertKey(scope, transaction, null, repetition),
  ]
}

async function insertCountedSale(scope: Scope, newSale: NewSale, letter: NewSale['letter']): Promise<void> {
  const { transaction, offer } = newSale.sale
  const asked = [
    ...(letter === undefined ? usesOf(scope, transaction) : byLetter(scope, newSale.sale, letter)),
    ...unpaid(scope, transaction, newSale.onlyIfUnpaid ?? null),
  ]
  const taking = offer.stockLeft === null ? null : takeUnits(scope, transaction)
  const [taken, ...counted] = (
    await Promise.all([...insertSale(scope, newSale), ...asked.map(({ statement }) => statement), taking])
  ).reverse()
  const refused = refusedBy(asked, counted.slice(0, asked.length).reverse())
  if (refused !== null) throw new Undone(refused)
  if (taken?.count === 0) throw new Undone('sold_out')
}

/** Of a payment that no letter asked for: the token that it names. */
function usesOf(scope: Scope, transaction: Transaction) {
  const { tokenSha256, customerId } = transaction
  return tokenSha256 === null ? [] : [takeToken(scope, transaction, { boxSha256: tokenSha256, customerId })]
}

export async function commitChange(sql: Database, outbox: Outbox, change: Change): Promise<Committed> {
  const {
    before,
    after,
    begins,
    settles,
    revises,
    preSaleAnswers = [],
    event,
    answer,
    givesBackUnits,
    takesTokenAgain = [],
    givesTokenBack = false,
  } = change
  const mail = event?.mail ?? change.mail ?? null
  /** Of the last try whose statements were answered: no other can have gone through, a commit is sent after that. */
  const born: Newborn[] = []
  const write = async (scope: Scope) => {
    const fixed = answer === undefined ? null : fixAnswer(scope, after, answer)
    const [moved, settled, revised, made] = await Promise.all([
      updateTransaction(scope, before, after),
      settles === undefined ? null : updateOperation(scope, settles.held, settles.operation, after),
      revises === undefined ? null : reviseOperation(scope, revises.before, revises.operation),
      event === undefined ? [] : insertEvent(scope, before, event, outbox, fixed),
      ...preSaleAnswers.map(given => updatePreSaleRequest(scope, after, given)),
      ...(begins === undefined ? [] : beginOperation(scope, before, begins)),
      ...writeRecords(scope, change),
      event === undefined ? fixed : null,
      mail === null ? null : oweMail(scope, after, mail),
      ...takesTokenAgain.map(use => insertLateTokenUse(scope, after, use)),
      ...(givesTokenBack ? giveTokensBack(scope, after) : []),
      ...(givesBackUnits === undefined ? [] : giveBack(scope, after, givesBackUnits)),
      keepsCard(change) ? keepCard(scope, after) : null,
    ])
    if (settled?.count === 0 || revised?.count === 0) throw new Undone('lease_lost')
    if (moved.count === 0) throw new Undone('stale')
    if (begins?.operation.kind === 'refund' && (await hasListedRefund(scope, before))) throw new Undone('stale')
    born.splice(0, born.length, ...made)
  }
  // A mail rings a bell, which all commits that do so take turns for.
  const result = await (givesBackUnits === undefined && mail === null
    ? inSharedCommit(sql, before.merchantId, 'committed', write)
    : inOneCommit(sql, 'committed', write))
  if (result === 'committed' && event !== undefined) handOver(outbox, born, event.details)
  return result as Committed
}

/**
 * Settled as not made, and its gateway has said otherwise since (core/follow-up.ts refuses what it reads of those). Whoever lists one
 * holds the transaction, which this commit has written: it was listed since that was read.
 */
async function hasListedRefund(scope: Scope, { merchantId, id }: Transaction): Promise<boolean> {
  const listed = await scope`select from operation where merchant_id = ${merchantId} and transaction_id = ${id}
    and kind = 'refund' and outcome in ('not_sent', 'declined') and for_person is not null limit 1`
  return listed.length > 0
}

/** Whether this is the success of a payment on a page, where a card may have been entered. */
function keepsCard({ before, after: { status, entered } }: Change): boolean {
  return entered !== null && status !== before.status && (status === 'Successful' || status === 'Authorized')
}

/** The card that just paid, if its customer agreed that it is kept. */
function keepCard(scope: Scope, { merchantId, cardToken }: Transaction) {
  return scope`update card set remove_at = null
    where merchant_id = ${merchantId} and token = ${cardToken}
      and consented_at is not null and remove_at is not null and removed_at is null`
}

/** Taken only where they are there: of fifty buyers of the last ten, forty find no row. */
export function takeUnits(scope: Scope, { merchantId, offerId, quantity }: Transaction) {
  return scope`update offer set stock_left = stock_left - ${quantity}
    where merchant_id = ${merchantId} and id = ${countedOfferId(scope, merchantId, offerId)} and stock_left >= ${quantity}`
}

/** The units, and the use of a token with them; below zero the units are taken again, and the token's use by `insertLateTokenUse`. */
function giveBack(scope: Scope, transaction: Transaction, units: number) {
  const { merchantId, offerId, source, tokenSha256 } = transaction
  // A payment by mail may have used one more: the token that confirmed it.
  const mayUseTokens = source === 'Email Transaction' || tokenSha256 !== null
  return [
    scope`update offer set stock_left = stock_left + ${units}
      where merchant_id = ${merchantId} and id = ${countedOfferId(scope, merchantId, offerId)} and stock_left is not null`,
    ...(mayUseTokens && units > 0 ? giveTokensBack(scope, transaction) : []),
  ]
}

export function insertTransaction(scope: Scope, transaction: Transaction, leaseMs: number | null) {
  const { failure, entered, tokenSha256, ...columns } = transaction
  const row = {
    ...columns,
    entered: entered === null ? null : scope.json(entered as unknown as Json),
    tokenSha256: tokenSha256 === null ? null : Buffer.from(tokenSha256, 'hex'),
    failureCode: failure?.code ?? null,
    failureSentence: failure?.sentence ?? null,
    leaseUntil: leaseMs === null ? null : leaseUntil(scope, leaseMs),
  }
  return scope`insert into transaction ${scope(row as unknown as InsertRow)}`
}

/** Leases are counted on the database's clock: the only one that all processes share, and that no sandbox moves. */
export function leaseUntil(scope: Scope, leaseMs: number) {
  return scope`now() + ${leaseMs} * interval '1 millisecond'`
}

/** So long after its first lease an operation may be pending; from then on it is in doubt. */
const overdueAfterMs = 120_000

export function overdueAt(scope: Scope, leaseMs: number) {
  return leaseUntil(scope, leaseMs + overdueAfterMs)
}

/** The driver takes an expression for a value; its types do not say so. */
export type InsertRow = Record<string, string>

/**
 * A process that holds a lease on a transaction without operation must still have it; others need only the version. It is found by its
 * id alone: by `=` the planner might go by the index of states.
 */
export function updateTransaction(
  scope: Scope,
  before: Transaction,
  after: Transaction,
  more = scope`lease_until = null`,
) {
  return scope`update transaction set status = ${after.status}, gateway_id = ${after.gatewayId}, net_amount_minor = ${after.netAmountMinor},
      pre_sale = ${after.preSale}, failure_code = ${after.failure?.code ?? null},
      failure_sentence = ${after.failure?.sentence ?? null}, held_minor = ${after.heldMinor},
      captured_minor = ${after.capturedMinor}, refund_reserved_minor = ${after.refundReservedMinor},
      refunded_minor = ${after.refundedMinor}, action_expires_at = ${after.actionExpiresAt},
      action_wants = ${after.actionWants}, action_mail_to = ${after.actionMailTo}, version = version + 1, ${more}
    where merchant_id = ${before.merchantId} and id = ${before.id}
      and (status, version) is not distinct from (${before.status}, ${before.version}::int)
      and (lease_until is null or lease_until > now())`
}

export function insertOperation(scope: Scope, operation: Operation, leaseMs: number) {
  const { isOverdue: _, moreForPerson: __, request, ...columns } = operation // a new one has one sentence at most
  const row = {
    ...columns,
    request: request === null ? null : scope.json(request as unknown as Json),
    leaseNo: 1,
    leaseUntil: leaseUntil(scope, leaseMs),
    overdueAt: operation.settledAt === null ? overdueAt(scope, leaseMs) : null,
  }
  return scope`insert into operation ${scope(row as unknown as InsertRow)}`
}

function beginOperation(scope: Scope, transaction: Transaction, begins: NonNullable<Change['begins']>) {
  const { operation, repetition, leaseMs } = begins
  return [insertOperation(scope, operation, leaseMs), ...insertKey(scope, transaction, operation, repetition)]
}

/**
 * Settled only by who still holds it, but for a success: that is proof, whoever brings it. The lease ends with this, and
 * the schedule says when it is asked again. What was listed for a person since it was read is not known to who settles it, and
 * stays listed.
 */
function updateOperation(scope: Scope, held: HeldOperation, operation: Operation, { status }: Transaction) {
  // One that only waits for its customer is not in doubt; of any other that is still pending nothing was learned.
  const isAsBefore = operation.outcome === 'pending' && status !== 'Further Action Required'
  const { forPerson, moreForPerson } = operation
  const isListedAsRead = scope`(for_person is not distinct from ${held.forPerson} and more_for_person = ${held.moreForPerson}::text[])`
  return scope`update operation set outcome = ${operation.outcome}, asks = ${operation.asks},
      next_ask_at = ${operation.nextAskAt}, gateway_ref = ${operation.gatewayRef},
      decline_code = ${operation.declineCode}, not_sent_code = ${operation.notSentCode}, cause = ${operation.cause}, settled_at = ${operation.settledAt},
      for_person = case when ${isListedAsRead} then ${forPerson} else coalesce(for_person, ${forPerson}) end,
      more_for_person = case when ${isListedAsRead} then ${moreForPerson}::text[]
        else more_for_person || array_remove(array[nullif(${forPerson}, for_person)], null) end, lease_until = now(),
      overdue_at = ${isAsBefore ? scope`overdue_at` : scope`null`}
    where merchant_id = ${held.merchantId} and id = ${held.id}
      and (lease_no = ${held.leaseNo} or ${operation.outcome} = 'succeeded')
      and outcome in ('pending', 'unknown')`
}

/** It must still stand as it was when this was decided, and so must what was said of it. */
function reviseOperation(scope: Scope, before: Operation, operation: Operation) {
  const { outcome, amountMinor, gatewayRef, declineCode, notSentCode, cause, settledAt, nextAskAt } = operation
  return scope`update operation set outcome = ${outcome}, amount_minor = ${amountMinor}, gateway_ref = ${gatewayRef},
      decline_code = ${declineCode}, not_sent_code = ${notSentCode}, cause = ${cause}, settled_at = ${settledAt},
      for_person = ${operation.forPerson}, more_for_person = ${operation.moreForPerson}::text[], next_ask_at = ${nextAskAt}
    where merchant_id = ${before.merchantId} and id = ${before.id} and outcome = ${before.outcome}
      and for_person is not distinct from ${before.forPerson} and more_for_person = ${before.moreForPerson}::text[]
      and gateway_ref is not distinct from ${before.gatewayRef}`
}

/** What is kept beside the state: rows that a gateway reported, what was asked in doubt, a person's word, a dispute. */
function writeRecords(scope: Scope, { before, reported = [], ask, resolution, dispute }: Change) {
  const { merchantId } = before
  return [
    ...reported.map(operation => insertOperation(scope, operation, 0)),
    ...(ask === undefined ? [] : [insertAsk(scope, before, ask)]),
    ...(resolution === undefined
      ? []
      : [scope`insert into resolution ${scope({ merchantId, ...resolution } as unknown as InsertRow)}`]),
    ...(dispute === undefined ? [] : [writeDispute(scope, before, dispute)]),
  ]
}

/** A success may come from one whose lease was taken over, under a number that is in use by now: it gets the next. */
export function insertAsk(scope: Scope, { merchantId }: Pick<Transaction, 'merchantId'>, ask: Ask) {
  const { operationId, number, at, step, heard } = ask
  return scope`insert into ask (merchant_id, operation_id, number, at, step, heard)
    select ${merchantId}, ${operationId}, greatest(${number}::int, coalesce(max(number), 0) + 1), ${at}, ${step}, ${scope.json(heard)}::jsonb
    from ask where merchant_id = ${merchantId} and operation_id = ${operationId}`
}

function writeDispute(scope: Scope, { merchantId, id }: Transaction, dispute: NonNullable<Change['dispute']>) {
  return scope`insert into dispute ${scope({ merchantId, transactionId: id, ...dispute } as unknown as InsertRow)}
    on conflict (merchant_id, transaction_id, gateway_ref) do update set status = excluded.status,
      amount_minor = excluded.amount_minor, reason = excluded.reason, changes = dispute.changes + 1`
}

/** Made once for all tries of a commit: a second one meets them, if the first went through. */
export function preSaleRequestIds({ id }: Transaction, preSale: PreSale | null): string[] {
  return (preSale?.endpoints ?? []).map(() => idOfTheMomentOf(id))
}

export function insertPreSaleRequests(
  scope: Scope,
  { merchantId, id }: Transaction,
  preSale: PreSale | null,
  requestIds: readonly string[],
) {
  if (preSale === null) return []
  const { endpoints, at, details } = preSale
  return endpoints.map(
    (endpoint, index) => scope`
      insert into pre_sale_request (merchant_id, id, transaction_id, endpoint_id, url, recorded_at, details)
      values (${merchantId}, ${requestIds[index]}, ${id}, ${endpoint.id}, ${endpoint.url}, ${at}, ${details})`,
  )
}

function updatePreSaleRequest(scope: Scope, { merchantId, id }: Transaction, given: PreSaleAnswer) {
  return scope`update pre_sale_request set status = ${given.status}, reason = ${given.reason},
      duration_ms = ${given.durationMs}, answer = ${given.answer}, answered_at = ${serviceTime(scope)}
    where merchant_id = ${merchantId} and transaction_id = ${id} and endpoint_id = ${given.endpointId}`
}

/**
 * A GET without a key takes the place of an equal one that is over. It is deleted first: of several that come at this moment, all but one
 * then meet the new row, as equal keys do.
 */
export function insertKey(
  scope: Scope,
  { merchantId, id }: Transaction,
  operation: Operation | null,
  key: Repetition | null,
) {
  if (key === null) return []
  const insert = scope`insert into idempotency_key (merchant_id, operation, key, arguments_hash, transaction_id, operation_id, created_at)
    values (${merchantId}, ${key.operation}, ${key.key}, ${key.argumentsHash}, ${id}, ${operation?.id ?? null}, now())`
  if (key.replayedForMs === undefined) return [insert]
  const deleteOver = scope`delete from idempotency_key k where merchant_id = ${merchantId}
    and operation = ${key.operation} and key = ${key.key} and ${isReplayOver(scope, key)}`
  return [deleteOver, insert]
}

function fixAnswer(scope: Scope, { merchantId, id }: Transaction, answer: NonNullable<Change['answer']>) {
  return scope`update idempotency_key set status = ${answer.status}, answer = ${answer.text}, settled_at = ${serviceTime(scope)}
    where merchant_id = ${merchantId} and transaction_id = ${id} and coalesce(operation_id, transaction_id) = ${answer.of}
      and status is null`
}

/**
 * With the version that the change leads to: the audit asks of each change whether it has what it owes. The event, its
 * deliveries and the fixed answer are one statement: each one more costs a charge a twentieth of its time.
 */
export function insertEvent(
  scope: Scope,
  { merchantId, id, version }: Transaction,
  event: OwedEvent,
  outbox: Outbox,
  fixed: ReturnType<Scope> | null,
) {
  const owedBy = event.kind === 'update' ? null : version + 1
  const beside = scope`v as (
      insert into event (merchant_id, id, transaction_id, kind, type, details, at, version)
      values (${merchantId}, ${event.id}, ${id}, ${event.kind}, ${event.type}, ${event.details}, ${event.at}, ${owedBy})),
    ${fixed === null ? scope`` : scope`answered as (${fixed}),`}`
  return insertDeliveries(scope, merchantId, event, outbox, beside)
}
