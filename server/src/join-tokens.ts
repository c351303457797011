// Opens tokens, makes the offers that they stand for, and revokes them. What does not open, has expired, was used up or was
// revoked gets one answer, after the same work: two statements and as many tries of keys. Only what does not look like a token is
// refused before, which says nothing that its sender could not see.

import type { CardToken, MerchantId, OfferId } from './core/ids.ts'
import type { Wanted } from './core/letter.ts'
import type { Offer } from './core/offer.ts'
import { type OpenedToken, offerOfToken, onlyCardOf, tokenHasExpired } from './core/token.ts'
import type { Foundation } from './foundation.ts'
import { boxOpener, type ClosedToken, type OpenBox, readToken } from './keys/open-token.ts'
import { violatedConstraint } from './store/database.ts'
import { insertOffer } from './store/offers.ts'
import {
  findToken,
  findTokenMerchant,
  type KnownToken,
  revokeToken,
  type TokenMerchant,
  type TokenOfOffer,
} from './store/tokens.ts'

export interface RevokedToken {
  readonly revokedAt: Date
  /** What it stood for; null: nobody had shown it. */
  readonly offerId: OfferId | null
}

export interface Tokens {
  /** What a mail asks for with it, its offer found or made; null: the one error of tokens. */
  open(text: string): Promise<Wanted | null>
  /** Its offer alone. */
  register(text: string): Promise<OfferId | null>
  /** Whose it is, also where it expired or was used; null: it does not open. */
  merchantOf(text: string): Promise<MerchantId | null>
  /** For good, also one that expired or was used. Null: it does not open, or is another merchant's. */
  revoke(merchantId: MerchantId, text: string): Promise<RevokedToken | null>
}

export interface TokenPorts {
  readonly openBox: OpenBox
  readonly now: () => Date
  readonly newOfferId: () => OfferId
  findMerchant(partnerId: bigint): Promise<TokenMerchant | null>
  find(merchantId: MerchantId, boxSha256: Buffer, card: string): Promise<KnownToken>
  /** `known`: another request has written this token meanwhile. */
  insert(offer: Offer, token: TokenOfOffer): Promise<'written' | 'known'>
  revoke(merchantId: MerchantId, boxSha256: Buffer, now: Date): Promise<RevokedToken>
}

export function tokens(foundation: Foundation): Tokens {
  const { sql, clock, newUuid, servicePrivateKey } = foundation
  return tokensOver({
    openBox: boxOpener(servicePrivateKey),
    now: clock.now,
    newOfferId: () => newUuid() as OfferId,
    findMerchant: partnerId => findTokenMerchant(sql, partnerId),
    find: (merchantId, boxSha256, card) => findToken(sql, merchantId, boxSha256, card),
    async insert(offer, token) {
      try {
        await sql.begin(scope => insertOffer(scope, offer, token))
        return 'written'
      } catch (error) {
        if (violatedConstraint(error) === 'token_pkey') return 'known'
        throw error
      }
    },
    revoke: (merchantId, boxSha256, now) => sql.begin(scope => revokeToken(scope, merchantId, boxSha256, now)),
  })
}

/** A token that was looked at: what is null was not there. */
interface Seen {
  readonly closed: ClosedToken
  readonly merchant: TokenMerchant | null
  readonly opened: OpenedToken | null
  readonly known: KnownToken
}

const nobody = '' as MerchantId

export function tokensOver(ports: TokenPorts): Tokens {
  const open = async (text: string) => {
    const closed = readToken(text)
    return closed === null ? null : openOrMake(ports, text, closed)
  }
  return {
    open,
    register: async text => (await open(text))?.offerId ?? null,
    async merchantOf(text) {
      const closed = readToken(text)
      const seen = closed === null ? null : await look(ports, closed)
      return seen === null || seen.opened === null ? null : (seen.merchant?.merchantId ?? null)
    },
    async revoke(merchantId, text) {
      const closed = readToken(text)
      const seen = closed === null ? null : await look(ports, closed)
      if (seen === null || seen.opened === null || seen.merchant?.merchantId !== merchantId) return null
      return ports.revoke(merchantId, seen.closed.boxSha256, ports.now())
    },
  }
}

/** The same work, whatever is found. */
async function look(ports: TokenPorts, closed: ClosedToken): Promise<Seen> {
  const merchant = await ports.findMerchant(closed.partnerId)
  const opened = ports.openBox(closed, merchant?.publicKeys ?? [])
  const card = opened === null ? '' : (onlyCardOf(opened) ?? '')
  const known = await ports.find(merchant?.merchantId ?? nobody, closed.boxSha256, card)
  return { closed, merchant, opened, known }
}

async function openOrMake(ports: TokenPorts, text: string, closed: ClosedToken): Promise<Wanted | null> {
  const { merchant, opened, known } = await look(ports, closed)
  const now = ports.now()
  if (merchant === null || opened === null || !isGood(opened, known, now)) return null
  const { merchantId, currency } = merchant
  const tokenSha256 = closed.boxSha256.toString('hex')
  if (known.offerId !== null) {
    const { offerId, verifies, onlyCard } = known
    return { merchantId, offerId, tokenSha256, verifies, onlyCard }
  }
  const facts = { merchantId, currency, id: ports.newOfferId(), now, cardEmail: known.cardEmail, content: text }
  const offer = offerOfToken(opened, facts)
  if (offer === null) return null
  const onlyCard: CardToken | null = onlyCardOf(opened)
  const written = await ports.insert(offer, { boxSha256: closed.boxSha256, registered: true, onlyCard })
  // Of two who show it at the same moment, one makes the offer; the other finds it, or finds the token revoked.
  if (written === 'known') return openOrMake(ports, text, closed)
  return { merchantId, offerId: offer.id, tokenSha256, verifies: null, onlyCard }
}

/** Where each customer may pay once, whether this one has is not known before the sender is: the commit of a payment sees to it. */
function isGood(opened: OpenedToken, known: KnownToken, now: Date): boolean {
  const isUsedUp = known.isUsed && opened.target.kind !== 'url'
  const hasCard = opened.target.kind !== 'card' || known.cardEmail !== null
  return known.revokedAt === null && !isUsedUp && hasCard && !tokenHasExpired(opened, now)
}
