// The tokens that the service makes itself: one with each offer, and one that lets a transaction go on.

import { neverExpiresS, sealToken, type TokenTarget } from '@tillbell/sdk/token'
import { mailToConfirm } from './api/mail-to.ts'
import type { MadeToken } from './api/ports.ts'
import { amountAsNumber } from './core/money.ts'
import { type Offer, ourPageUrl } from './core/offer.ts'
import type { Merchant } from './core/people.ts'
import type { Sale, ServiceFacts } from './core/sale.ts'
import { tokenMinorMax } from './core/token.ts'
import type { Foundation } from './foundation.ts'
import type { Joined } from './join-core.ts'
import { boxHashIn } from './keys/open-token.ts'
import type { OfferLink, OwnToken } from './store/offer-links.ts'
import type { TokenOfOffer } from './store/tokens.ts'

/** What a token is made with. */
type Maker = Pick<Joined, 'currentKeyOf'> & { readonly ports: { readonly service: Pick<ServiceFacts, 'baseUrl'> } }
type NewOffer = Omit<Offer, 'tokenContent'>

/** For its one customer, or for anybody who can be proven. Empty where the amount is too large for a token. */
export function offerTokens(
  { servicePublicKey }: Pick<Foundation, 'servicePublicKey'>,
  { ports, currentKeyOf }: Maker,
): (merchant: Merchant, offer: NewOffer) => Promise<MadeToken> {
  return async (merchant, offer) => {
    const { currency } = offer
    const amount = amountAsNumber(offer.amountMinor, currency)
    const key = await currentKeyOf(merchant.id)
    if (offer.amountMinor >= tokenMinorMax) return { content: '', keyId: key.id }
    const target: TokenTarget =
      offer.email === null
        ? { url: offer.pageUrl ?? ourPageUrl(offer.id, ports.service.baseUrl) }
        : { email: offer.email }
    const { authorizationOnly } = offer
    const userData = { authorization_only: authorizationOnly, currency, offer: offer.id }
    const keys = { partnerId: merchant.partnerId, privateKey: key.privateKey, servicePublicKey }
    const expiresS = expirySeconds(offer.expiresAt)
    const content = sealToken({ target, group: offer.id, amount, expiresS, authorizationOnly, userData }, keys)
    return { content, keyId: key.id }
  }
}

function expirySeconds(expiresAt: Date | null): number {
  return expiresAt === null ? neverExpiresS : Math.min(Math.floor(expiresAt.getTime() / 1_000), neverExpiresS)
}

const verificationMs = 3_600_000

/** A mail that goes on with a transaction, and what its token is known by. Null: no token holds so much, or its customer is gone. */
export function verifications(
  { config, servicePublicKey }: Pick<Foundation, 'config' | 'servicePublicKey'>,
  { ports, privateKeyOf }: Pick<Joined, 'ports' | 'privateKeyOf'>,
): (sale: Sale) => Promise<{ readonly mailTo: string; readonly boxSha256: string } | null> {
  return async ({ merchant, offer, customer, transaction }) => {
    const { amountMinor, currency } = transaction
    const amount = amountAsNumber(amountMinor, currency)
    if (customer.email === null || amountMinor >= tokenMinorMax) return null
    const { authorizationOnly } = transaction
    const contents = {
      target: { email: customer.email },
      group: transaction.id,
      amount,
      expiresS: expirySeconds(new Date(ports.now().getTime() + verificationMs)),
      authorizationOnly,
      userData: { authorization_only: authorizationOnly, currency, offer: offer.id },
    }
    const keys = { partnerId: merchant.partnerId, privateKey: await privateKeyOf(merchant.id), servicePublicKey }
    const text = sealToken(contents, keys)
    const boxSha256 = boxHashIn(text)?.toString('hex')
    if (boxSha256 === undefined) throw new Error('a token that was just made cannot be read')
    return { mailTo: mailToConfirm(offer, merchant, config.mailDomain, text), boxSha256 }
  }
}

/** What is known of the token that was made with an offer. */
export function tokenOf(
  { tokenContent, email }: Pick<Offer, 'tokenContent' | 'email'>,
  keyId: string,
): TokenOfOffer | null {
  const boxSha256 = boxHashIn(tokenContent)
  return boxSha256 === null ? null : { boxSha256, registered: false, onlyCard: null, isPersonal: email !== null, keyId }
}

/** The token of an offer for one customer, with which that one pays it; null: it is for everybody, or has none. */
export function ownToken(offer: Offer): OwnToken | null {
  const boxSha256 = offer.email === null ? null : boxHashIn(offer.tokenContent)
  return boxSha256 === null ? null : { content: offer.tokenContent, boxSha256 }
}

/** A token with which this customer alone pays the offer, once. Null: the amount is too large for one. */
export function offerLinks(
  foundation: Pick<Foundation, 'servicePublicKey'>,
  joined: Maker,
): (merchant: Merchant, offer: Offer, email: string) => Promise<OfferLink | null> {
  const make = offerTokens(foundation, joined)
  return async (merchant, offer, email) => {
    const { content, keyId } = await make(merchant, { ...offer, email })
    const boxSha256 = boxHashIn(content)
    const { merchantId, id: offerId, expiresAt } = offer
    return boxSha256 === null ? null : { merchantId, offerId, email, content, boxSha256, keyId, expiresAt }
  }
}
