// Joins the page on which a customer enters a card to the links, the gateways and the cards.

import { setTimeout as delay } from 'node:timers/promises'
import type { ApiWrites } from './api/ports.ts'
import { gatewayTimeoutMs } from './core/call-gateway.ts'
import { type CardLink, cardLinkName, cardLinkState, parseCardLink } from './core/card-link.ts'
import type { EnteredCard } from './core/gateway.ts'
import type { Foundation } from './foundation.ts'
import { createThrottle } from './http/throttle.ts'
import { byTheMerchant, cardStorerWith } from './join-cards.ts'
import type { Joined } from './join-core.ts'
import { tries } from './join-tries.ts'
import { formTokens } from './keys/form-tokens.ts'
import { newCardLinkSecret, secretHash } from './keys/new-ids.ts'
import type { CardPagePorts, FoundLink, StoredOnLink } from './pages/cards.ts'
import { findCardLink, giveCardLinkBack, insertCardLink, takeCardLink, useCardLink } from './store/card-links.ts'
import { findCard } from './store/cards.ts'
import type { Scope } from './store/database.ts'
import { findGateway } from './store/gateways.ts'
import { findMerchant } from './store/merchants.ts'
import { findLook } from './store/payment-pages.ts'

export function cardLinkWrites(scope: Scope): Pick<ApiWrites, 'insertCardLink'> {
  return {
    async insertCardLink(link) {
      const secret = newCardLinkSecret()
      await insertCardLink(scope, link, secretHash(secret))
      return cardLinkName(link.merchantId, secret)
    },
  }
}

/** Of one link: some for who mistypes, and two in a minute for a machine that tries cards. */
const linkLimit = { perS: 1 / 30, burst: 10 }

export function cardPagePorts(foundation: Foundation, joined: Joined): CardPagePorts {
  const { sealer, config } = foundation
  const throttle = createThrottle(linkLimit)
  const tokens = formTokens(sealer.derive('forms of cards'))
  return {
    find: name => findLink(foundation, joined, name),
    store: countedEnterer(foundation, joined),
    mayTry: name => throttle.take(name).ok,
    formToken: tokens.of,
    isFormToken: tokens.fits,
    isSandbox: config.mode === 'sandbox',
    baseUrl: () => joined.ports.service.baseUrl,
    now: joined.ports.now,
  }
}

async function findLink({ sql }: Foundation, { ports }: Joined, name: string): Promise<FoundLink | null> {
  const named = parseCardLink(name)
  if (named === null) return null
  const { merchantId, secret } = named
  const link = await findCardLink(sql, { merchantId, secretSha256: secretHash(secret) })
  const merchant = link === null ? null : await findMerchant(sql, merchantId)
  if (link === null || merchant === null) return null
  const used = link.cardToken === null ? null : await findCard(sql, merchantId, link.cardToken)
  const isOpen = cardLinkState(link, ports.now()) === 'open'
  const gateway = isOpen ? await findGateway(sql, merchantId, link.gatewayId) : null
  const isActive = gateway?.status === 'active'
  const fields = isActive ? (await ports.openGateway(merchantId, link.gatewayId)).cardFields : null
  const look = await findLook(sql, merchantId)
  return { link, merchant, look, mask: used?.card.mask ?? null, fields }
}

/** Longer than storing takes: who holds it still then is dead. */
const leaseMs = gatewayTimeoutMs + 30_000
const lookEveryMs = 100
const waitMaxMs = 20_000

/** Tries of one address at a merchant are counted over all its links, and with those on its other pages. */
function countedEnterer(foundation: Foundation, joined: Joined): CardPagePorts['store'] {
  const { take, giveBack } = tries(foundation)
  const enter = cardEnterer(foundation, joined)
  return async (link, card, address) => {
    const taken = await take(link.merchantId, 'address', address)
    if (!taken.ok) return { kind: 'too_many_tries', retryAfterS: taken.retryAfterS }
    const entered = await enter(link, card)
    const hasFailed = entered.kind === 'refused' || entered.kind === 'not_here'
    if (!hasFailed) await giveBack(link.merchantId, 'address', address)
    return entered
  }
}

/**
 * One request at a time: of a double click the second sees what became of the first. That there is one card is not left to
 * this, but to the commit that uses the link.
 */
function cardEnterer(foundation: Foundation, joined: Joined) {
  const { sql } = foundation
  const { now } = joined.ports
  return async (link: CardLink, card: EnteredCard): Promise<StoredOnLink> => {
    const untilMs = performance.now() + waitMaxMs
    while (!(await takeCardLink(sql, link, now(), leaseMs))) {
      const current = await findCardLink(sql, link)
      if (current === null || cardLinkState(current, now()) !== 'open') return { kind: 'see' }
      if (performance.now() >= untilMs) return { kind: 'busy' }
      await delay(lookEveryMs)
    }
    try {
      return await storeFor(foundation, joined, link, card)
    } finally {
      await giveCardLinkBack(sql, link)
    }
  }
}

async function storeFor(
  foundation: Foundation,
  joined: Joined,
  link: CardLink,
  card: EnteredCard,
): Promise<StoredOnLink> {
  const { merchantId, email, firstName, lastName, gatewayId } = link
  const asked = { email, firstName, lastName, gatewayId, card }
  const now = joined.ports.now()
  const keeping = { ...byTheMerchant, consentedAt: now, confirmedAt: now } // the merchant sent the link to its customer
  const stored = await cardStorerWith(foundation, joined)(merchantId, asked, keeping, (scope, token) =>
    useCardLink(scope, link, token, joined.ports.now()),
  )
  if (stored === 'called off' || 'stored' in stored) return { kind: 'see' }
  switch (stored.kind) {
    case 'refused':
      return stored
    case 'of another customer':
      return { kind: 'not_here' }
    case 'not_sent':
    case 'unknown':
      return { kind: 'not_now', cause: stored.cause }
    case 'no gateway':
    case 'gateway inactive':
      return { kind: 'see' }
  }
}
