// The commits of a sale that a letter began without a charge: it ends or waits for its customer at once; and it goes on.

import type { Outbox } from '../core/delivery.ts'
import type { HeldLetter } from '../core/letter.ts'
import type { Created, GoingOn, UnchargedSale } from '../core/ports.ts'
import type { Sale } from '../core/sale.ts'
import type { Transaction } from '../core/transaction.ts'
import type { Database, Json, Scope } from './database.ts'
import {
  byLetter,
  doneLetter,
  noOtherCopy,
  oweAnswer,
  oweMail,
  refusedBy,
  takeToken,
  unpaid,
} from './letter-writing.ts'
import { closeLetter } from './letters.ts'
import { handOver, type Newborn } from './newborn-deliveries.ts'
import { inOneCommit, Undone } from './one-commit.ts'
import {
  insertEvent,
  insertKey,
  insertOperation,
  insertPreSaleRequests,
  insertTransaction,
  leaseUntil,
  preSaleRequestIds,
  takeUnits,
  updateTransaction,
} from './sale-writing.ts'

/** Born in Processing and moved in the same commit, so that every change is written down like any other. */
export async function createUncharged(
  sql: Database,
  outbox: Outbox,
  { sale, held, doneCopy, after, event, verifiedBy }: UnchargedSale,
): Promise<'created' | 'letter_lost' | 'copy_done'> {
  const { transaction } = sale
  const born: Newborn[] = []
  const result = await inOneCommit(sql, 'created', async scope => {
    const counted = [...noOtherCopy(scope, held, doneCopy), doneLetter(scope, held, transaction)]
    const [, , , made, ...results] = await Promise.all([
      held.sender === null ? insertNobody(scope, sale) : null,
      insertTransaction(scope, transaction, null),
      updateTransaction(scope, transaction, after),
      insertEvent(scope, transaction, event, outbox, null),
      ...counted.map(({ statement }) => statement),
      verifiedBy === null ? null : insertVerification(scope, sale, verifiedBy),
      event.mail === null ? null : oweMail(scope, transaction, event.mail),
    ])
    const refused = refusedBy(counted, results)
    if (refused !== null) throw new Undone(refused)
    born.splice(0, born.length, ...made)
  })
  if (result === 'created') handOver(outbox, born, event.details)
  return result as 'created' | 'letter_lost' | 'copy_done'
}

/** A mail may name no sender; its transaction belongs to somebody all the same. */
function insertNobody(scope: Scope, { transaction }: Sale) {
  const { merchantId, customerId, createdAt } = transaction
  return scope`insert into customer (merchant_id, id, created_at) values (${merchantId}, ${customerId}, ${createdAt})`
}

function insertVerification(scope: Scope, { transaction }: Sale, boxSha256: string) {
  const { merchantId, id, offerId, createdAt, tokenSha256 } = transaction
  const first = tokenSha256 === null ? null : Buffer.from(tokenSha256, 'hex')
  // What was asked for with a token for one card is confirmed for that card.
  return scope`insert into token (merchant_id, box_sha256, offer_id, verifies, only_card, is_personal, key_id, registered, created_at)
    values (${merchantId}, ${Buffer.from(boxSha256, 'hex')}, ${offerId}, ${id},
      (select only_card from token where merchant_id = ${merchantId} and box_sha256 = ${first}), true,
      (select id from merchant_key where merchant_id = ${merchantId} and state = 'current'), false, ${createdAt})`
}

/**
 * A letter that was to confirm a payment does not say so: the payment waits for a link now, which is mailed as the answer. What
 * went on meanwhile stays as it is, and so does a letter that somebody else has.
 */
export async function askForConfirmation(
  sql: Database,
  held: HeldLetter,
  before: Transaction,
  after: Transaction,
  because: string,
): Promise<void> {
  await sql.begin(async scope => {
    const { count } = await closeLetter(scope, held, because)
    if (count === 0) return
    const moved = await updateTransaction(scope, before, after)
    if (moved.count === 1) await oweAnswer(scope, before, 'further_action', held)
  })
}

export async function goOnWithSale(
  sql: Database,
  { before, first, uses, repetition, letter, onlyIfUnpaid }: GoingOn,
): Promise<Created | 'stale'> {
  const { sale, operation, preSale, leaseMs } = first
  const { transaction, offer } = sale
  const requestIds = preSaleRequestIds(transaction, preSale)
  const result = await inOneCommit(sql, 'begun', async scope => {
    const counted = [
      ...(letter === null ? [] : byLetter(scope, sale, { ...letter, uses: [] })),
      ...uses.map(use => takeToken(scope, transaction, use)),
      ...unpaid(scope, transaction, onlyIfUnpaid),
    ]
    const [moved, ...results] = await Promise.all([
      updateTransaction(scope, before, transaction, givenBy(scope, sale, operation === null ? leaseMs : null)),
      ...counted.map(({ statement }) => statement),
      ...(operation === null ? [] : [insertOperation(scope, operation, leaseMs)]),
      ...insertPreSaleRequests(scope, transaction, preSale, requestIds),
      ...insertKey(scope, transaction, null, repetition),
    ])
    if (moved.count === 0) throw new Undone('stale')
    const refused = refusedBy(counted, results)
    if (refused !== null) throw new Undone(refused)
    if (offer.stockLeft === null) return
    const { count } = await takeUnits(scope, transaction)
    if (count === 0) throw new Undone('sold_out')
  })
  return result as Created | 'stale'
}

/** What its customer gave, and until when nobody else may take it over. */
function givenBy(scope: Scope, { transaction }: Sale, leaseMs: number | null) {
  const { cardToken, customerId, entered, tokenSha256 } = transaction
  return scope`card_token = ${cardToken}, customer_id = ${customerId},
    token_sha256 = ${tokenSha256 === null ? null : Buffer.from(tokenSha256, 'hex')},
    entered = ${entered === null ? null : scope.json(entered as unknown as Json)},
    lease_until = ${leaseMs === null ? scope`null` : leaseUntil(scope, leaseMs)}`
}
