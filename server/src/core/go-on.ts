// A payment by mail that wants something of its customer goes on when that is there: a card entered on the page, a proof, or
// the customer's word by a second mail. It is the same transaction; and from here on it is charged like every other.

import { chargeSale } from './begin-charge.ts'
import { checkedFacts } from './charge.ts'
import type { CardToken, MerchantId, TransactionId } from './ids.ts'
import { withUnitsTaken } from './offer.ts'
import type { Customer, Entered } from './people.ts'
import type { ForLetter, OnlyIfUnpaid, Ports, Repetition, TokenUse } from './ports.ts'
import type { Sale } from './sale.ts'
import { owedEvent } from './settle.ts'
import { chargeFailed, type Failure, failureCodes, goesOn, type Transaction } from './transaction.ts'

export const wantedForMs = 7 * 86_400_000

/** It can still go on. */
export function isWanting({ status, actionWants, actionExpiresAt }: Transaction, now: Date): boolean {
  const isInTime = actionExpiresAt !== null && actionExpiresAt > now
  return status === 'Further Action Required' && actionWants !== null && isInTime
}

/** What somebody asked for is paid by them. Another person would pay without knowing for whom, and use up a token that is not theirs. */
export function isAskedBy({ customer }: Sale, email: string | null): boolean {
  return customer.email !== null && customer.email === email
}

export interface GoOn {
  readonly merchantId: MerchantId
  readonly transactionId: TransactionId
  readonly cardToken: CardToken
  /** What the customer entered on the page; null: they wrote a mail. */
  readonly entered: Entered | null
  /** The token that it uses where it was asked for without one, in hex; left out: none. */
  readonly tokenSha256?: string | null
  readonly repetition: Repetition | null
  readonly letter: ForLetter | null
  readonly onlyIfUnpaid: OnlyIfUnpaid | null
}

/** The sale as it then stands; null: it was refused, and nothing has changed. */
export async function goOn(ports: Ports, command: GoOn): Promise<Sale | null> {
  const {
    merchantId,
    transactionId,
    cardToken,
    entered,
    tokenSha256 = null,
    repetition,
    letter,
    onlyIfUnpaid,
  } = command
  const waiting = await ports.store.load(merchantId, transactionId)
  if (waiting === null || !isWanting(waiting.transaction, ports.now())) return null
  const before = waiting.transaction
  const facts = await ports.store.chargeFacts(merchantId, before.offerId, cardToken)
  const checked = checkedFacts(facts, { quantity: before.quantity, entered }, ports.now())
  if ('status' in checked) return null
  const { card, customer, gateway } = checked
  if (!isAskedBy(waiting, customer.email)) return null
  const given = { cardToken: card.token, customerId: customer.id, gatewayId: gateway.id, entered }
  const asked = {
    ...goesOn(before, given),
    tokenSha256: before.tokenSha256 ?? tokenSha256,
    version: before.version + 1,
  }
  const uses = [...usesOf(asked.tokenSha256, customer), ...(letter?.uses ?? [])]
  const settled = await chargeSale(ports, checked, asked, first =>
    ports.store.goOn({ before, first, uses, repetition, letter, onlyIfUnpaid }),
  )
  return typeof settled === 'string' ? null : settled.sale
}

export function usesOf(tokenSha256: string | null, { id: customerId }: Customer): TokenUse[] {
  return tokenSha256 === null ? [] : [{ boxSha256: tokenSha256, customerId }]
}

/** Nobody went on with it in time. */
export async function endUnwanted(ports: Ports, sale: Sale): Promise<void> {
  await endWanting(ports, sale, { code: 'action_expired', sentence: failureCodes.action_expired })
}

/** It held nothing, so that nothing is given back. False: it is no more as it was read, and nothing has changed. */
export async function endWanting(ports: Ports, sale: Sale, failure: Failure): Promise<boolean> {
  const before = sale.transaction
  const failed = asIfTaken({ ...sale, transaction: chargeFailed(before, failure) })
  const committed = await ports.store.commit({
    before,
    after: failed.transaction,
    event: owedEvent(ports, failed, 'error', 'error', 'charge'),
  })
  return committed === 'committed'
}

/** What a failure's hook says is left counts the units as given back: where none were taken, they are taken here first. */
export function asIfTaken(sale: Sale): Sale {
  return { ...sale, offer: withUnitsTaken(sale.offer, sale.transaction.quantity) }
}
