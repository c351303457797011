// Opens tokens, makes the offers that they stand for, revokes them, and tells their merchant what one says. What does not open, has
// expired, was used up or was revoked gets one answer, after the same work: two statements and as many tries of keys. Only what does
// not look like a token is refused before, which says nothing that its sender could not see.

import { parseEmail } from './core/email.ts'
import type { CardToken, MerchantId, OfferId } from './core/ids.ts'
import type { Merchant } from './core/people.ts'
import { type InspectedToken, isPersonal, type OpenedToken, offerOfToken, onlyCardOf } from './core/token.ts'
import type { WorksFor } from './core/works-for.ts'
import type { Foundation } from './foundation.ts'
import { inspectToken } from './inspect-token.ts'
import { boxOpener, type ClosedToken, readToken } from './keys/open-token.ts'
import { canPay, hasEnded, look, openedIn, type RevokedToken, type TokenPorts } from './look-at-token.ts'
import type { Asked, AskedByToken } from './mail/in/ports.ts'
import { type Scope, violatedConstraint } from './store/database.ts'
import { insertOffer, insertOtherVersion } from './store/offers.ts'
import { findCompromisedKeys, findToken, findTokenMerchant, holdGoodKey, revokeToken } from './store/tokens.ts'

export interface Tokens {
  /** What a mail asks for with it, its offer found or made; null: it can never pay. */
  open(text: string): Promise<AskedByToken | null>
  /** Its offer alone. */
  register(text: string): Promise<OfferId | null>
  /** Whose it is, also where it expired or was used; null: it does not open. */
  merchantOf(text: string): Promise<MerchantId | null>
  /** For good, also one that expired or was used. Null: no key opens it, or it is another merchant's. */
  revoke(merchantId: MerchantId, text: string): Promise<RevokedToken | null>
  /** What it says, or why it does not open. For this merchant alone: of another's it says only that. */
  inspect(merchant: Pick<Merchant, 'id' | 'partnerId'>, text: string): Promise<InspectedToken>
}

export function tokens(foundation: Foundation): Tokens {
  const { sql, clock, newUuid, servicePrivateKey, config } = foundation
  /** Whoever registers a token waits for what else is done with its key. */
  const begin = <T>(merchant: WorksFor, work: (scope: Scope) => Promise<T>) =>
    sql.worksFor(merchant, () => sql.begin(work))
  return tokensOver({
    opensUnsignedAuthorizations: config.mode === 'sandbox',
    findCompromisedKeys: merchantId => findCompromisedKeys(sql, merchantId),
    openBox: boxOpener(servicePrivateKey),
    openBoxOnce: boxOpener(servicePrivateKey, 0),
    now: clock.now,
    newOfferId: () => newUuid() as OfferId,
    findMerchant: partnerId => findTokenMerchant(sql, partnerId),
    find: (merchantId, token, card) => findToken(sql, merchantId, token, card),
    async insert(offer, token) {
      try {
        return await begin(offer, async scope => {
          // Its key may have been marked since it opened this token: then it opens nothing any more.
          if (!(await holdGoodKey(scope, offer.merchantId, token.keyId))) return 'known'
          await insertOffer(scope, offer, token)
          return 'written'
        })
      } catch (error) {
        if (violatedConstraint(error) === 'token_pkey') return 'known'
        throw error
      }
    },
    async insertOtherVersion(offer, boxSha256) {
      return (await begin(offer, scope => insertOtherVersion(scope, offer, boxSha256))) ? 'written' : 'known'
    },
    revoke: (merchantId, token, now) => begin({ merchantId }, scope => revokeToken(scope, merchantId, token, now)),
  })
}

export function tokensOver(ports: TokenPorts): Tokens {
  const open = async (text: string) => {
    const closed = readToken(text)
    return closed === null ? null : openOrMake(ports, text, closed)
  }
  return {
    open,
    async register(text) {
      const opened = await open(text)
      return opened?.isGood === true ? opened.offerId : null
    },
    async merchantOf(text) {
      const closed = readToken(text)
      const seen = closed === null ? null : await look(ports, closed)
      return seen === null || openedIn(ports, seen) === null ? null : (seen.merchant?.merchantId ?? null)
    },
    async revoke(merchantId, text) {
      const closed = readToken(text)
      const seen = closed === null ? null : await look(ports, closed)
      if (seen === null || seen.key === null || seen.merchant?.merchantId !== merchantId) return null
      return ports.revoke(merchantId, seen.closed, ports.now())
    },
    inspect: (merchant, text) => inspectToken(ports, merchant, text),
  }
}

async function openOrMake(ports: TokenPorts, text: string, closed: ClosedToken): Promise<AskedByToken | null> {
  const seen = await look(ports, closed)
  const { merchant, key, known } = seen
  const opened = openedIn(ports, seen)
  const now = ports.now()
  if (merchant === null || key === null || opened === null || hasEnded(opened, known, now)) return null
  const { merchantId } = merchant
  const asked = { merchantId, tokenSha256: closed.boxSha256.toString('hex'), ...payerOf(opened) }
  const isGood = canPay(opened, known)
  if (known.offerId !== null) {
    const { offerId, verifies, onlyCard } = known
    return { ...asked, offerId, verifies, onlyCard, isGood }
  }
  if (!isGood) return null
  const { cardEmail } = known
  const facts = { merchantId, keyCurrency: key.currency, id: ports.newOfferId(), now, cardEmail, content: text }
  const offer = offerOfToken(opened, facts)
  if ('why' in offer) return null
  const onlyCard: CardToken | null = onlyCardOf(opened)
  const { boxSha256 } = closed
  const written = known.hasOtherVersion
    ? await ports.insertOtherVersion(offer, boxSha256)
    : await ports.insert(offer, { boxSha256, registered: true, onlyCard, isPersonal: asked.isPersonal, keyId: key.id })
  // Of two who show it at the same moment, one makes the offer; the other finds it, or finds the token revoked.
  if (written === 'known') return openOrMake(ports, text, closed)
  return { ...asked, offerId: offer.id, verifies: null, onlyCard, isGood }
}

/** Whose a card is, the offer of its token says. */
function payerOf(opened: OpenedToken): Pick<Asked, 'isPersonal' | 'onlyEmail'> {
  const { kind, value } = opened.target
  return { isPersonal: isPersonal(opened), onlyEmail: kind === 'email' ? parseEmail(value) : null }
}
