// Pays on the page of an offer: one request of a checkout at a time, the card into its vault, then the one function that
// charges. That it is charged once is not left to the turns taken here, but to the key of each try.

import { setTimeout as delay } from 'node:timers/promises'
import { gatewayTimeoutMs } from './core/call-gateway.ts'
import { chargeOffer } from './core/charge.ts'
import {
  attemptOf,
  attemptsMax,
  type CheckoutSecret,
  checkoutLifeMs,
  mayHavePaid,
  mistakeWithinMs,
  nextAttempt,
  onePaymentMs,
  standing,
} from './core/checkout.ts'
import { declineCodes } from './core/gateway.ts'
import { goOn, isWanting } from './core/go-on.ts'
import type { CardToken, GatewayId } from './core/ids.ts'
import { type Offer, whyNotForSale } from './core/offer.ts'
import { type Card, canCustomerUse } from './core/people.ts'
import type { OnlyIfUnpaid } from './core/ports.ts'
import type { Sale } from './core/sale.ts'
import type { Tries } from './core/tries.ts'
import type { Foundation } from './foundation.ts'
import { cardStorerWith, type Keeping } from './join-cards.ts'
import type { Joined } from './join-core.ts'
import { ownToken } from './join-offer-tokens.ts'
import { tries } from './join-tries.ts'
import { checkoutHash, secretHash } from './keys/new-ids.ts'
import type { CheckoutPorts, FoundOffer, Order, Paid } from './pages/checkout/ports.ts'
import { findCard, findCustomer } from './store/cards.ts'
import {
  checkoutName,
  type EarlierPayment,
  fingerprintOf,
  giveTurnBack,
  letCardGo,
  type NamedCheckout,
  newestPayment,
  provenEmailOf,
  takeTurn,
  triesOf,
} from './store/checkouts.ts'
import { findDefaultGateway, findGateway } from './store/gateways.ts'
import { findOffer } from './store/offers.ts'
import { findUnusedToken, isTokenSpent } from './store/token-uses.ts'

/** Longer than storing a card, asking Pre-Sale and charging take: who holds it still then is dead. */
const leaseMs = 4 * gatewayTimeoutMs
const lookEveryMs = 100
const waitMaxMs = 20_000

/** A request of the page, and all that it works with. */
interface Paying {
  readonly foundation: Foundation
  readonly joined: Joined
  readonly tries: Tries
  readonly storeCard: ReturnType<typeof cardStorerWith>
  readonly offer: Offer
  readonly order: Order
  readonly named: NamedCheckout
}

export function checkoutNamed({ merchantId, id }: Offer, secret: CheckoutSecret): NamedCheckout {
  return { merchantId, offerId: id, secretSha256: checkoutHash(id, secret) }
}

export function checkoutPayer(foundation: Foundation, joined: Joined): CheckoutPorts['pay'] {
  const world = { foundation, joined, tries: tries(foundation), storeCard: cardStorerWith(foundation, joined) }
  return async ({ offer }: FoundOffer, order: Order) => {
    const paying: Paying = { ...world, offer, order, named: checkoutNamed(offer, order.secret) }
    const known = (await triedBefore(paying)) ?? (await triedTooOften(paying))
    if (known !== null) return known
    const next = async () => (await triedBefore(paying)) ?? (await payInTurn(paying))
    return (await inTurn(paying, paying.named, next)) ?? { kind: 'busy' }
  }
}

/** Before anything is written, so that a flood writes nothing. */
async function triedTooOften({ tries, offer, order }: Paying): Promise<Paid | null> {
  for (const kind of ['address', 'waiting'] as const) {
    const left = await tries.left(offer.merchantId, kind, order.address)
    if (!left.ok) return { kind: 'too_many_tries', retryAfterS: left.retryAfterS }
  }
  return null
}

/** One at a time. Null: somebody else is at it, and takes long. */
async function inTurn<Done>(
  { foundation, joined }: Paying,
  named: NamedCheckout,
  work: () => Promise<Done>,
): Promise<Done | null> {
  const { sql } = foundation
  const untilMs = performance.now() + waitMaxMs
  for (;;) {
    const turn = await takeTurn(sql, named, joined.ports.now(), leaseMs)
    if (turn !== null) return work().finally(() => giveTurnBack(sql, turn))
    if (performance.now() >= untilMs) return null
    await delay(lookEveryMs)
  }
}

/** What became of this very try, or of another that may have paid. Null: this one is the next. */
async function triedBefore(paying: Paying): Promise<Paid | null> {
  const { foundation, joined, offer, order, named } = paying
  const made = await triesOf(foundation.sql, named)
  const stands = standing(made)
  if (stands === null) return null
  const same = stands.mayHavePaid ? stands : made.find(({ number }) => number === order.attempt)
  if (same === undefined) {
    return order.attempt < attemptsMax ? null : { kind: 'too_many_tries', retryAfterS: checkoutLifeMs / 1_000 }
  }
  const sale = await joined.ports.store.loadForCustomer(offer.merchantId, same.transactionId)
  if (sale === null) throw new Error(`transaction ${same.transactionId} is gone`)
  return outcomeOf(sale, nextAttempt(made))
}

function outcomeOf(sale: Sale, attempt: number): Paid {
  return mayHavePaid(sale) ? { kind: 'see', transactionId: sale.transaction.id } : { kind: 'failed', sale, attempt }
}

/** What a try came to. `counts`: it may have been one of many by somebody who looks for a card that works. */
interface Tried {
  readonly paid: Paid
  readonly counts: boolean
}

async function payInTurn(paying: Paying): Promise<Paid> {
  const { joined, tries, offer, order } = paying
  const { quantity, email } = order
  const taken = await tries.take(offer.merchantId, 'address', order.address)
  if (!taken.ok) return { kind: 'too_many_tries', retryAfterS: taken.retryAfterS }
  const why = whyNotForSale(offer, { quantity, email, now: joined.ports.now() })
  // Whom an offer is for can be guessed: a wrong guess counts.
  const { paid, counts } =
    why === null
      ? await tryCard(paying)
      : { paid: { kind: 'not_for_sale', why } as const, counts: why === 'for_another' }
  if (!counts) await tries.giveBack(offer.merchantId, 'address', order.address)
  return paid
}

async function tryCard(paying: Paying): Promise<Tried> {
  const { foundation, joined, offer, order } = paying
  const { pays } = order
  const atHand = await (pays.kind === 'new' ? newCard(paying, pays) : storedCard(paying, pays.token))
  if ('kind' in atHand) return { paid: atHand, counts: atHand.kind === 'card_refused' }
  const fingerprint = await fingerprintOf(foundation.sql, offer.merchantId, atHand.token)
  const tried = await oneAtATime(paying, fingerprint, () => payWith(paying, atHand, fingerprint))
  // What paid for nothing is not kept: its customer enters it again, or another.
  if (pays.kind === 'new' && tried.paid.kind !== 'see')
    await letCardGo(foundation.sql, offer.merchantId, atHand.token, joined.ports.now())
  return tried
}

/**
 * The same card for the same offer, from two checkouts at the same moment, or any two cards where the offer is for one customer: the
 * second one sees the first.
 */
async function oneAtATime(paying: Paying, fingerprint: string, work: () => Promise<Tried>): Promise<Tried> {
  const { merchantId, id, email } = paying.offer
  if (fingerprint === '' && email === null) return work()
  const name = email === null ? `card ${id} ${fingerprint}` : `offer ${id}`
  const shared = { merchantId, offerId: id, secretSha256: secretHash(name) }
  return (await inTurn(paying, shared, work)) ?? { paid: { kind: 'busy' }, counts: false }
}

/** Where a new card of this offer is stored; null: nowhere at the moment. */
export async function gatewayForCards({ sql }: Foundation, offer: Offer): Promise<GatewayId | null> {
  const { merchantId, gatewayId } = offer
  const gateway = await (gatewayId === null
    ? findDefaultGateway(sql, merchantId)
    : findGateway(sql, merchantId, gatewayId))
  return gateway?.status === 'active' ? gateway.id : null
}

async function newCard(paying: Paying, { card, keeps }: Order['pays'] & { kind: 'new' }): Promise<Card | Paid> {
  const { foundation, joined, storeCard, offer, order, named } = paying
  const gatewayId = await gatewayForCards(foundation, offer)
  if (gatewayId === null) return { kind: 'not_now', cause: 'The gateway is not active.' }
  const { email, entered } = order
  const { firstName, lastName, billing, shipping } = entered
  const now = joined.ports.now()
  // Kept by the success of its payment, and by nothing else: whoever enters a card may not be allowed to use it.
  const terms = { consentedAt: keeps ? now : null, removeAt: new Date(now.getTime() + onePaymentMs) }
  const isProven = (await provenEmailOf(foundation.sql, named)) === email
  const rights = { refreshesCustomer: isProven, confirmedAt: isProven ? now : null }
  const keeping: Keeping = { ...terms, ...rights, billing, shipping }
  const asked = { email, firstName, lastName, gatewayId, card }
  const stored = await storeCard(offer.merchantId, asked, keeping, async () => true)
  if (stored === 'called off') throw new Error('a card was called off that nothing hung on')
  if ('stored' in stored) return stored.stored.card
  switch (stored.kind) {
    case 'refused':
      return { kind: 'card_refused', sentence: stored.sentence }
    case 'of another customer':
      return { kind: 'card_refused', sentence: 'Enter your card again, or use another one.' }
    case 'not_sent':
    case 'unknown':
      return { kind: 'not_now', cause: stored.cause }
    case 'no gateway':
    case 'gateway inactive':
      return { kind: 'not_now', cause: 'The gateway is not active.' }
  }
}

/** A mask was shown only to who had proven the address; that is asked again here, because a form can say anything. */
async function storedCard(paying: Paying, token: CardToken): Promise<Card | Paid> {
  const { foundation, joined, offer, order, named } = paying
  const { sql } = foundation
  const [found, provenEmail] = await Promise.all([findCard(sql, offer.merchantId, token), provenEmailOf(sql, named)])
  const isTheirs = provenEmail !== null && found?.customer.email === provenEmail && order.email === provenEmail
  return isTheirs && canCustomerUse(found.card, joined.ports.now()) ? found.card : { kind: 'card_not_usable' }
}

/** A gateway that does not know its cards again counts them by its own means. */
const notCounted = { ok: true } as const

async function payWith(paying: Paying, card: Card, fingerprint: string): Promise<Tried> {
  const { tries, offer, order } = paying
  const { merchantId } = offer
  // Before the card is asked about, which may just have paid for this very payment in another browser.
  const over = (await waitsNoMore(paying)) ?? (await tokenUsedUp(paying))
  if (over !== null) return unpaid(paying, over)
  // Looked for before the payments are: who uses it after this is seen by the commit, and who has used it before by the question.
  const uses = await unusedToken(paying)
  const earlier = await paidBefore(paying, fingerprint)
  if (earlier !== null) return unpaid(paying, askAbout(offer, earlier))
  const taken = fingerprint === '' ? notCounted : await tries.take(merchantId, 'card', fingerprint)
  if (!taken.ok) return { paid: { kind: 'too_many_tries', retryAfterS: taken.retryAfterS }, counts: true }
  const onlyIfUnpaid = offer.email === null ? null : { since: null, besides: order.besides }
  const sale = await charged(paying, card.token, uses, onlyIfUnpaid)
  const counts = sale !== null && isDeclined(sale)
  if (!counts && fingerprint !== '') await tries.giveBack(merchantId, 'card', fingerprint)
  // An email was faster: its payment is asked about, or its link was replaced.
  const isTokenUsed = sale === null && uses !== null && (await unusedToken(paying)) !== uses
  const isPaid = sale === null && (await paidBefore(paying, fingerprint)) !== null
  if (isTokenUsed || isPaid) return payWith(paying, card, fingerprint)
  if (sale === null) return { paid: await whyRefused(paying), counts }
  if (isWaiting(sale)) await tries.take(merchantId, 'waiting', order.address)
  return { paid: outcomeOf(sale, order.attempt + 1), counts }
}

/** A card was stored that pays for nothing, and perhaps a customer with it: of one network only so many. */
async function unpaid({ tries, offer, order }: Paying, paid: Paid): Promise<Tried> {
  await tries.take(offer.merchantId, 'waiting', order.address)
  return { paid, counts: false }
}

/** Null: the payment by mail can still be gone on with, or this is none. */
async function waitsNoMore({ joined, offer, order }: Paying): Promise<Paid | null> {
  const { resumes } = order
  const { store, now } = joined.ports
  const sale = resumes === null ? null : await store.loadForCustomer(offer.merchantId, resumes)
  if (resumes === null || (sale !== null && isWanting(sale.transaction, now()))) return null
  return { kind: 'waits_no_more', transactionId: resumes }
}

/** The offer may have been sold out, or the card removed, since they were looked at; or somebody else was faster. */
async function whyRefused(paying: Paying): Promise<Paid> {
  const over = (await waitsNoMore(paying)) ?? (await tokenUsedUp(paying))
  if (over !== null) return over
  const { foundation, joined, offer, order } = paying
  const current = await findOffer(foundation.sql, offer.merchantId, offer.id)
  const { quantity, email } = order
  const why = current === null ? 'inactive' : whyNotForSale(current, { quantity, email, now: joined.ports.now() })
  return why === null ? { kind: 'card_not_usable' } : { kind: 'not_for_sale', why }
}

/** Null: this customer can still pay with the token that the payment by mail was asked for with, or there is none. */
async function tokenUsedUp({ foundation: { sql }, joined, offer, order }: Paying): Promise<Paid | null> {
  const { merchantId } = offer
  const sale = order.resumes === null ? null : await joined.ports.store.loadForCustomer(merchantId, order.resumes)
  const tokenSha256 = sale?.transaction.tokenSha256 ?? null
  const customer = tokenSha256 === null ? null : await findCustomer(sql, merchantId, order.email)
  if (tokenSha256 === null || customer === null) return null
  const use = { boxSha256: tokenSha256, customerId: customer.id }
  return (await isTokenSpent(sql, merchantId, use)) ? { kind: 'token_used' } : null
}

/** The token of an offer for one customer, with which an email could pay the same once more; null: there is none. */
async function unusedToken({ foundation, offer }: Paying): Promise<string | null> {
  return offer.email === null ? null : findUnusedToken(foundation.sql, offer, ownToken(offer)?.boxSha256 ?? null)
}

/** What may be meant to be paid once, and was. An offer for one customer is asked about whatever it was paid with, and whenever. */
async function paidBefore(
  { foundation, joined, offer, order: { besides } }: Paying,
  fingerprint: string,
): Promise<EarlierPayment | null> {
  const { merchantId, id, email } = offer
  if (email === null && fingerprint === '') return null
  const since = new Date(joined.ports.now().getTime() - mistakeWithinMs)
  const counting =
    email === null
      ? ({ kind: 'card', fingerprint, since, besides } as const)
      : ({ kind: 'any', since: null, besides } as const)
  const [newest] = await newestPayment(foundation.sql, merchantId, id, counting)
  return newest ?? null
}

function askAbout({ email }: Offer, { id, at, status, source }: EarlierPayment): Paid {
  return {
    kind: 'paid_before',
    payment: { id, at },
    status,
    isByMail: source === 'Email Transaction',
    isSameCard: email === null,
  }
}

/** The payment as it stands; null: it was refused before there was one. */
async function charged(
  { joined, offer, order, named }: Paying,
  cardToken: CardToken,
  tokenSha256: string | null,
  onlyIfUnpaid: OnlyIfUnpaid | null,
): Promise<Sale | null> {
  const { quantity, entered, referrerContext, attempt, resumes } = order
  const { merchantId } = offer
  const repetition = attemptOf(checkoutName(named), attempt)
  const command = { merchantId, cardToken, entered, tokenSha256, onlyIfUnpaid, repetition }
  if (resumes === null) {
    const asked = { offerId: offer.id, quantity, authorizationOnly: null, referrerContext }
    await chargeOffer(joined.ports, { ...command, ...asked, source: 'Web Transaction' })
  } else await goOn(joined.ports, { ...command, transactionId: resumes, letter: null })
  const earlier = await joined.ports.store.findEarlier(merchantId, repetition)
  return earlier === null ? null : joined.ports.store.loadForCustomer(merchantId, earlier.transactionId)
}

function isDeclined({ transaction: { failure } }: Sale): boolean {
  return failure !== null && failure.code in declineCodes
}

function isWaiting({ transaction: { status } }: Sale): boolean {
  return status === 'Further Action Required' || status === 'Processing'
}
