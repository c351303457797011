// Joins the page of an offer to the offers, the gateways and what a browser did there before.

import { type CheckoutSecret, nextAttempt, standing } from './core/checkout.ts'
import type { CardFields } from './core/gateway.ts'
import { isWanting } from './core/go-on.ts'
import type { OfferId, TransactionId } from './core/ids.ts'
import type { Offer } from './core/offer.ts'
import type { Ports } from './core/ports.ts'
import type { Sale } from './core/sale.ts'
import type { Foundation } from './foundation.ts'
import { checkoutNamed, checkoutPayer, gatewayForCards } from './join-checkout-payment.ts'
import { cardToConfirm } from './join-confirmation.ts'
import type { Joined } from './join-core.ts'
import type { CustomerPost } from './join-mail.ts'
import { proofPorts } from './join-proofs.ts'
import { tries } from './join-tries.ts'
import { formTokens } from './keys/form-tokens.ts'
import { newCheckoutSecret } from './keys/new-ids.ts'
import type { CheckoutPorts, FoundOffer, ProvenCustomer, Visit } from './pages/checkout/ports.ts'
import { cardsToPayWith, findCustomer } from './store/cards.ts'
import { provenEmailOf, triesOf } from './store/checkouts.ts'
import type { Database } from './store/database.ts'
import { findOwner } from './store/directory.ts'
import { findMerchant } from './store/merchants.ts'
import { findOffer } from './store/offers.ts'
import { findLook } from './store/payment-pages.ts'

export type Finish = <T>(work: Promise<T>) => Promise<T>

export function checkoutPorts(
  foundation: Foundation,
  joined: Joined,
  finish: Finish,
  post: CustomerPost,
): CheckoutPorts {
  const { sql, sealer, config } = foundation
  const { ports } = joined
  const tokens = formTokens(sealer.derive('forms of offers'))
  const pay = checkoutPayer(foundation, joined)
  return {
    find: offerId => findOfferOfAnybody(sql, post, offerId),
    findWaiting: (offerId, transactionId) => findWaiting(sql, ports, offerId, transactionId),
    visit: (found, secret) => visit(foundation, joined, found, secret),
    pay: (found, order) => finish(pay(found, order)),
    mayGuess: ({ offer }, address, isRight) =>
      tries(foundation)[isRight ? 'left' : 'take'](offer.merchantId, 'address', address),
    proofs: {
      ...proofPorts(foundation, joined, post),
      whoIs: ({ offer }, email) => provenCustomer(foundation, joined, offer, email),
      cardToConfirm: ({ offer: { merchantId, gatewayId } }, email, tokenSha256) =>
        cardToConfirm(sql, { merchantId, gatewayId, email, tokenSha256 }, ports.now()),
    },
    newSecret: () => newCheckoutSecret(ports.now()),
    formToken: tokens.of,
    isFormToken: tokens.fits,
    isSandbox: config.mode === 'sandbox',
    baseUrl: () => ports.service.baseUrl,
    now: ports.now,
  }
}

async function findOfferOfAnybody(sql: Database, post: CustomerPost, offerId: OfferId): Promise<FoundOffer | null> {
  const merchantId = await findOwner(sql, 'offer', offerId)
  if (merchantId === null) return null
  const [offer, merchant, look, isMailed] = await Promise.all([
    findOffer(sql, merchantId, offerId),
    findMerchant(sql, merchantId),
    findLook(sql, merchantId),
    post.reaches(merchantId),
  ])
  return offer === null || merchant === null ? null : { offer, merchant, look, isMailed }
}

async function findWaiting(
  sql: Database,
  { store, now }: Ports,
  offerId: OfferId,
  transactionId: TransactionId,
): Promise<Sale | null> {
  const merchantId = await findOwner(sql, 'offer', offerId)
  const sale = merchantId === null ? null : await store.loadForCustomer(merchantId, transactionId)
  return sale?.transaction.offerId === offerId && isWanting(sale.transaction, now()) ? sale : null
}

async function visit(
  foundation: Foundation,
  joined: Joined,
  { offer }: FoundOffer,
  secret: CheckoutSecret | null,
): Promise<Visit> {
  const { sql } = foundation
  const fields = await cardFieldsOf(foundation, joined, offer)
  if (secret === null) return { fields, attempt: 0, standing: null, proven: null }
  const named = checkoutNamed(offer, secret)
  const [tries, email] = await Promise.all([triesOf(sql, named), provenEmailOf(sql, named)])
  const stands = standing(tries)
  return {
    fields,
    attempt: nextAttempt(tries),
    standing: stands === null ? null : await joined.ports.store.loadForCustomer(offer.merchantId, stands.transactionId),
    proven: email === null ? null : await provenCustomer(foundation, joined, offer, email),
  }
}

export async function cardFieldsOf(
  foundation: Foundation,
  { ports }: Joined,
  offer: Offer,
): Promise<CardFields | null> {
  const gatewayId = await gatewayForCards(foundation, offer)
  return gatewayId === null ? null : (await ports.openGateway(offer.merchantId, gatewayId)).cardFields
}

const cardsMax = 10

async function provenCustomer(
  { sql }: Foundation,
  { ports }: Joined,
  { merchantId, gatewayId }: Offer,
  email: string,
): Promise<ProvenCustomer> {
  const of = { merchantId, email, gatewayId, onlyCard: null, now: ports.now(), limit: cardsMax }
  const [customer, cards] = await Promise.all([findCustomer(sql, merchantId, email), cardsToPayWith(sql, of)])
  return { email, customer, cards }
}
