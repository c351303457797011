// Joins the REST routes to the world.

import type { ApiPorts, ApiStore, ApiWrites } from './api/ports.ts'
import { gatewayTimeoutMs } from './core/call-gateway.ts'
import type { CustomerId, GatewayId, MerchantId, OfferId } from './core/ids.ts'
import { amountAsNumber } from './core/money.ts'
import { type Offer, ourPageUrl } from './core/offer.ts'
import type { Card, Merchant } from './core/people.ts'
import { demoSetting, type Foundation } from './foundation.ts'
import { type GatewayWorld, identifyGateway, whyNotGateway } from './gateways/open.ts'
import type { Joined } from './join-core.ts'
import { hookPorts, hookReads, hookWrites } from './join-hook-routes.ts'
import { newCardToken, newGatewayId } from './keys/new-ids.ts'
import { neverExpiresS, sealOfferToken, tokenAmountMax } from './keys/offer-token.ts'
import type { Sealer } from './keys/sealing.ts'
import type { Logger } from './observe/log.ts'
import type { Metrics } from './observe/metrics.ts'
import { answerSealer } from './sealed-answers.ts'
import { belongsTo } from './setup/merchant.ts'
import { findCard, insertCard, listCards, markCardRemoved, upsertCustomer } from './store/cards.ts'
import type { Scope } from './store/database.ts'
import { eraseCustomer, findCustomerByEmail } from './store/erasure.ts'
import { findDefaultGateway, findGateway, insertGateway, listGateways, updateGateway } from './store/gateways.ts'
import { doAlone, doOnce } from './store/keyed-requests.ts'
import { findApiKey, findMerchant } from './store/merchants.ts'
import { deactivateOffer, findOffer, insertOffer, listOffers } from './store/offers.ts'
import { listSales } from './store/sale-listing.ts'
import { readSetting } from './store/settings.ts'

export function apiPorts(
  foundation: Foundation,
  log: Logger,
  metrics: Metrics,
  joined: Joined,
  finish: ApiPorts['finish'],
  advanceClock: ((byMs: number) => Promise<Date>) | null,
): ApiPorts {
  const { sql, config } = foundation
  const isDemo = async (merchantId: MerchantId) => (await readSetting(sql, demoSetting)) === merchantId
  return {
    core: joined.ports,
    store: apiStore(foundation, joined),
    hooks: hookPorts(foundation, log, joined),
    requestsPerS: config.requestsPerS,
    mailDomain: config.mailDomain,
    newOfferId: () => foundation.newUuid() as OfferId,
    newGatewayId,
    offerToken: (merchant, offer) => offerToken(foundation, joined, merchant, offer),
    whyNotCredentials: (type, credentials) => whyNotGateway(type, credentials, joined.gatewayWorld),
    storeCard: cardStorer(foundation, joined),
    removeCard: cardRemover(foundation, joined),
    eraseCustomer: customerEraser(foundation, joined),
    sandbox: advanceClock === null ? null : { isDemo, advanceClock },
    finish,
    async isReady() {
      return sql`select from merchant limit 1`.then(
        () => null,
        () => 'The database does not answer.',
      )
    },
    observeRequest(method, route, status, durationMs) {
      metrics.requests.observe({ method, route, status: String(status) }, durationMs / 1_000)
    },
  }
}

function apiStore(foundation: Foundation, { gatewayWorld }: Joined): ApiStore {
  const { sql, sealer } = foundation
  const writes = (scope: Scope): ApiWrites => ({
    ...hookWrites(foundation, scope),
    insertOffer: offer => insertOffer(scope, offer),
    deactivateOffer: (merchantId, id) => deactivateOffer(scope, merchantId, id),
    insertGateway: (gateway, credentials) =>
      insertGateway(scope, {
        ...gateway,
        credentialsSealed: sealer.seal(credentials, belongsTo.credentials(gateway.merchantId, gateway.id)),
      }),
    updateGateway: (merchantId, id, change) => changeGateway(scope, sealer, gatewayWorld, merchantId, id, change),
  })
  return {
    ...hookReads(foundation),
    findApiKey: key => findApiKey(sql, key),
    findMerchant: id => findMerchant(sql, id),
    listSales: (merchantId, filter) => listSales(sql, merchantId, filter),
    findOffer: (merchantId, id) => findOffer(sql, merchantId, id),
    listOffers: (merchantId, page) => listOffers(sql, merchantId, page),
    findCard: (merchantId, token) => findCard(sql, merchantId, token),
    listCards: (merchantId, filter) => listCards(sql, merchantId, filter),
    listGateways: (merchantId, page) => listGateways(sql, merchantId, page),
    findGateway: (merchantId, id) => findGateway(sql, merchantId, id),
    async doAlone(merchantId, key, work) {
      const { keep, give } = answerSealer(sealer, merchantId, key)
      const kept = await doAlone(sql, merchantId, key, async () => keep(await work()))
      return typeof kept === 'string' ? kept : give(kept)
    },
    async doOnce(merchantId, key, work) {
      const { keep, give } = answerSealer(sealer, merchantId, key)
      const kept = await doOnce(sql, merchantId, key, async scope => keep(await work(writes(scope))))
      return kept === 'otherArguments' ? kept : give(kept)
    },
  }
}

async function changeGateway(
  scope: Scope,
  sealer: Sealer,
  world: GatewayWorld,
  merchantId: MerchantId,
  id: GatewayId,
  { credentials, ...change }: Parameters<ApiWrites['updateGateway']>[2],
): ReturnType<ApiWrites['updateGateway']> {
  const known = await findGateway(scope, merchantId, id)
  if (known === null) return 'not known'
  const owner = belongsTo.credentials(merchantId, id)
  const sealed = credentials === undefined ? {} : { credentialsSealed: sealer.seal(credentials, owner) }
  const before = JSON.parse(sealer.open(known.credentialsSealed, owner))
  if (credentials !== undefined) {
    const accountOf = (given: object) =>
      identifyGateway(id, known.type, { ...given }, world, AbortSignal.timeout(gatewayTimeoutMs))
    const [was, is] = [await accountOf(before), await accountOf(JSON.parse(credentials))]
    if (was.kind !== 'account' || is.kind !== 'account' || was.account !== is.account) return 'another account'
  }
  return (await updateGateway(scope, merchantId, id, { ...change, ...sealed })) ?? 'not known'
}

/** The token made with an offer: for its one customer, or for anybody who can be proven. */
export async function offerToken(
  { servicePublicKey }: Foundation,
  { ports, privateKeyOf }: Joined,
  merchant: Merchant,
  offer: Omit<Offer, 'tokenContent'>,
): Promise<string> {
  const amount = amountAsNumber(offer.amountMinor, offer.currency)
  if (amount >= tokenAmountMax) return ''
  const target =
    offer.email === null
      ? { url: offer.pageUrl ?? ourPageUrl(offer.id, ports.service.baseUrl) }
      : { email: offer.email }
  const expiresS =
    offer.expiresAt === null ? neverExpiresS : Math.min(Math.floor(offer.expiresAt.getTime() / 1_000), neverExpiresS)
  const { authorizationOnly } = offer
  const userData = { authorization_only: authorizationOnly, offer: offer.id }
  const keys = { partnerId: merchant.partnerId, merchantPrivateKey: await privateKeyOf(merchant.id), servicePublicKey }
  return sealOfferToken({ target, group: offer.id, amount, expiresS, authorizationOnly, userData }, keys)
}

export function cardStorer({ sql, clock, newUuid }: Foundation, { ports }: Joined): ApiPorts['storeCard'] {
  return async (merchantId, asked) => {
    const account = await findDefaultGateway(sql, merchantId)
    if (account === null) return { kind: 'refused', sentence: 'number cannot be stored: there is no default gateway.' }
    const gateway = await ports.openGateway(merchantId, account.id)
    const outcome = await gateway.storeCard(asked.card, AbortSignal.timeout(gatewayTimeoutMs))
    if (outcome.kind === 'refused') return outcome
    const { fingerprint, kind: _, ...described } = outcome
    const { email, firstName, lastName } = asked
    const customer = {
      id: newUuid() as CustomerId,
      email,
      firstName,
      lastName,
      smsNumber: null,
      billing: null,
      shipping: null,
    }
    const createdAt = clock.now()
    const token = newCardToken()
    await sql.begin(async scope => {
      const customerId = await upsertCustomer(scope, merchantId, customer, createdAt)
      const card: Card = { ...described, token, customerId, gatewayId: account.id, removedAt: null, createdAt }
      await insertCard(scope, merchantId, card, fingerprint)
    })
    const stored = await findCard(sql, merchantId, token)
    if (stored === null) throw new Error('a stored card is gone')
    return { stored }
  }
}

function cardRemover({ sql, clock }: Foundation, { ports }: Joined): ApiPorts['removeCard'] {
  return async (merchantId, { card }) => {
    const gateway = await ports.openGateway(merchantId, card.gatewayId)
    const outcome = await gateway.removeCard(card.cardRef, AbortSignal.timeout(gatewayTimeoutMs))
    if (outcome.kind === 'removed') await markCardRemoved(sql, merchantId, card.token, clock.now())
    return outcome.kind
  }
}

const cardsAtOnce = 100

/** Cards go at their gateways first: when one does not answer, nothing is erased yet and the call can be made again. */
export function customerEraser(foundation: Foundation, joined: Joined): ApiPorts['eraseCustomer'] {
  const { sql, clock } = foundation
  const remove = cardRemover(foundation, joined)
  return async (merchantId, email) => {
    const id = await findCustomerByEmail(sql, merchantId, email)
    if (id === null) return 'not known'
    for (;;) {
      const cards = await listCards(sql, merchantId, { email, after: null, limit: cardsAtOnce })
      if (cards.length === 0) break
      for (const found of cards) {
        if ((await remove(merchantId, found)) === 'unknown') return 'gateway silent'
      }
    }
    await sql.begin(scope => eraseCustomer(scope, merchantId, id, clock.now()))
    return 'erased'
  }
}
