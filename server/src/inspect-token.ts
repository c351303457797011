// Tells a merchant what one of its tokens says, and why it does not open. It reads only: no offer is made of it.

import type { MerchantId } from './core/ids.ts'
import { formatAmount } from './core/money.ts'
import type { Merchant } from './core/people.ts'
import { isoTime } from './core/sale.ts'
import {
  currencyOfToken,
  type InspectedToken,
  isUnsignedAuthorization,
  type OpenedToken,
  offerOfToken,
  type TokenSays,
  tokenAmountMinor,
  tokenHasExpired,
} from './core/token.ts'
import { type ClosedToken, parseToken } from './keys/open-token.ts'
import { look, opensUnsigned, type Seen, type TokenPorts } from './look-at-token.ts'
import type { KnownToken, TokenKey, TokenMerchant } from './store/tokens.ts'

const closedBecause = (reason: string, more: Partial<InspectedToken> = {}): InspectedToken => ({
  ...{ state: 'closed', reason, keyId: null, says: null, offerId: null, revokedAt: null },
  ...more,
})

export async function inspectToken(
  ports: TokenPorts,
  { id, partnerId }: Pick<Merchant, 'id' | 'partnerId'>,
  text: string,
): Promise<InspectedToken> {
  const closed = parseToken(text)
  if ('why' in closed) return closedBecause(closed.why)
  if (closed.partnerId !== BigInt(partnerId)) {
    return closedBecause(`It is not yours: it names the partner_id ${closed.partnerId}, and yours is ${partnerId}.`)
  }
  const seen = await look(ports, closed)
  const { key, opened, known } = seen
  if (key === null || opened === null) return closedBecause(await whyNoKey(ports, id, closed))
  const { offerId, revokedAt } = known
  const facts = { keyId: key.id, offerId, revokedAt }
  if ('why' in opened) return closedBecause(opened.why, facts)
  return { ...facts, says: saidBy(opened, key), ...stateOf(ports, seen, { opened, key, content: text }) }
}

/** Not tried with the others: what is compromised is to be forgotten. */
async function whyNoKey(ports: TokenPorts, merchantId: MerchantId, closed: ClosedToken): Promise<string> {
  const keys = await ports.findCompromisedKeys(merchantId)
  const opened = ports.openBoxOnce(
    closed,
    keys.map(({ publicKey }) => publicKey),
  )
  const key = keys.find(({ publicKey }) => publicKey === opened?.publicKey)
  if (key === undefined) {
    return 'None of your keys opens it: it was made with another Private Key or for another service, or was changed on the way.'
  }
  return `It was made with the Private Key ${key.id}, which was marked as compromised: its tokens do not open any more.`
}

function saidBy(opened: OpenedToken, key: TokenKey): TokenSays {
  const { amount, ...others } = opened
  const currency = currencyOfToken(opened, key.currency)
  if (typeof currency !== 'string') return { ...others, amount: String(amount), currency: null }
  const minor = tokenAmountMinor(amount, currency)
  return { ...others, amount: typeof minor === 'bigint' ? formatAmount(minor, currency) : String(amount), currency }
}

type State = Pick<InspectedToken, 'state' | 'reason'>

interface Read {
  readonly opened: OpenedToken
  readonly key: TokenKey
  readonly content: string
}

/** In the order in which nothing more can be done about it. */
function stateOf(ports: TokenPorts, { merchant, known }: Seen, read: Read): State {
  const { opened } = read
  const why = merchant === null ? null : whyClosed(ports, { merchant, known }, read)
  if (why !== null) return { state: 'closed', reason: why }
  const { revokedAt, isUsedUp, isOfferActive } = known
  if (revokedAt !== null) return { state: 'revoked', reason: `It was revoked at ${isoTime(revokedAt)}.` }
  if (isUsedUp) return { state: 'used', reason: 'It was paid with: it pays once.' }
  if (tokenHasExpired(opened, ports.now()) && opened.expiresAt !== null) {
    return { state: 'expired', reason: `It expired at ${isoTime(opened.expiresAt)}.` }
  }
  if (isOfferActive === false) return { state: 'inactive', reason: 'Its offer is not active any more.' }
  return { state: 'open', reason: null }
}

function whyClosed(
  ports: TokenPorts,
  { merchant, known }: { readonly merchant: TokenMerchant; readonly known: KnownToken },
  { opened, key, content }: Read,
): string | null {
  if (isUnsignedAuthorization(opened) && !opensUnsigned(ports, merchant)) return unsigned
  const { cardEmail, offerId } = known
  const isCardGone = opened.target.kind === 'card' && cardEmail === null
  // What stands for an offer already says no more than which.
  if (offerId !== null && !isCardGone) return null
  const { merchantId } = merchant
  const facts = { merchantId, keyCurrency: key.currency, id: ports.newOfferId(), now: ports.now(), cardEmail, content }
  const offer = offerOfToken(opened, facts)
  return 'why' in offer ? offer.why : null
}

const unsigned =
  'Its version is 2 (authorises only), and user_data.authorization_only does not say so: anybody could have changed it. It opens if you turn on mail_settings.unsigned_authorizations.'
