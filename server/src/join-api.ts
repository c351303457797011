// Joins the REST routes to the world.

import type { ApiPorts, ApiStore, ApiWrites, PaymentPage, SettingsWrites } from './api/ports.ts'
import { refuseFormerActor } from './begin-as.ts'
import type { MerchantId, OfferId } from './core/ids.ts'
import { createTurns, inTurn } from './core/turns.ts'
import { demoSetting, type Foundation } from './foundation.ts'
import type { PaymentPageChange } from './http/look-arguments.ts'
import { cardLinkWrites } from './join-card-links.ts'
import { cardCopier, cardRemover, cardStorer, customerEraser } from './join-cards.ts'
import type { Joined } from './join-core.ts'
import { gatewayPorts, gatewayWrites } from './join-gateways.ts'
import { listenerPorts } from './join-hook-listeners.ts'
import { endpointWrites, hookPorts, hookReads, resendWrites } from './join-hook-routes.ts'
import { keyUses } from './join-key-uses.ts'
import { offerLinks, offerTokens, ownToken, tokenOf } from './join-offer-tokens.ts'
import type { WhyNotReady } from './join-readiness.ts'
import { tokens } from './join-tokens.ts'
import { newGatewayId } from './keys/new-ids.ts'
import { reachedMailDomain } from './mail-domain.ts'
import type { Logger } from './observe/log.ts'
import type { Metrics } from './observe/metrics.ts'
import { answerSealer } from './sealed-answers.ts'
import { findCard, listCards } from './store/cards.ts'
import type { Scope } from './store/database.ts'
import { findDefaultGateway, findGateway, listGateways } from './store/gateways.ts'
import { answeredBefore, doAlone, doOnce } from './store/keyed-requests.ts'
import { changeMailSettings, readMailSettings } from './store/mail-settings.ts'
import { findApiKey, findMerchant, renameMerchant } from './store/merchants.ts'
import { keepOfferLink } from './store/offer-links.ts'
import { deactivateOffer, findOffer, insertOffer, listOffers } from './store/offers.ts'
import { findLook, saveLook } from './store/payment-pages.ts'
import { listSales } from './store/sale-listing.ts'
import { readSetting } from './store/settings.ts'
import { findLetter, listLetters } from './store/shown-letters.ts'

export function apiPorts(
  foundation: Foundation,
  log: Logger,
  metrics: Metrics,
  joined: Joined,
  finish: ApiPorts['finish'],
  advanceClock: ((byMs: number) => Promise<Date>) | null,
  whyNotReady: WhyNotReady,
): ApiPorts {
  const { sql, config } = foundation
  const isDemo = async (merchantId: MerchantId) => (await readSetting(sql, demoSetting)) === merchantId
  return {
    core: joined.ports,
    store: apiStore(foundation),
    hooks: hookPorts(foundation, log, joined),
    listeners: listenerPorts(foundation, log, joined),
    requestsPerS: config.requestsPerS,
    mailDomain: reachedMailDomain(config),
    newOfferId: () => foundation.newUuid() as OfferId,
    newGatewayId,
    offerToken: offerTokens(foundation, joined),
    offerLink: offerLinks(foundation, joined),
    tokens: tokens(foundation),
    gateways: gatewayPorts(foundation, log, joined),
    storeCard: cardStorer(foundation, joined),
    copyCard: cardCopier(foundation, joined),
    removeCard: cardRemover(foundation, joined),
    eraseCustomer: customerEraser(foundation, joined),
    sandbox: advanceClock === null ? null : { isDemo, advanceClock },
    finish,
    isReady: whyNotReady,
    observeRequest(method, route, status, durationMs) {
      metrics.requests.observe({ method, route, status: String(status) }, durationMs / 1_000)
    },
  }
}

/** Changes of one merchant wait for each other, most of them for its row: those that wait must hold none of the connections that payments need. */
const changesAtOnce = 4

function apiStore(foundation: Foundation): ApiStore {
  const changeTurns = createTurns(changesAtOnce)
  const { sql, sealer } = foundation
  const writes = (scope: Scope): ApiWrites => ({
    ...resendWrites(foundation, scope),
    ...cardLinkWrites(scope),
    insertOffer: (offer, keyId) => insertOffer(scope, offer, tokenOf(offer, keyId)),
    deactivateOffer: (merchantId, id) => deactivateOffer(scope, merchantId, id),
    keepOfferLink: (link, offer) => keepOfferLink(scope, link, ownToken(offer), foundation.clock.now()),
  })
  const settingsWrites = (scope: Scope): SettingsWrites => ({
    ...endpointWrites(foundation, scope),
    ...gatewayWrites(foundation, scope),
    changePaymentPage: (merchantId, change) => changePaymentPage(scope, merchantId, change),
    changeMailSettings: (merchantId, change) => changeMailSettings(scope, merchantId, change),
  })
  return {
    ...hookReads(foundation),
    findApiKey: key => findApiKey(sql, key),
    keyUsed: keyUses(foundation),
    findMerchant: id => findMerchant(sql, id),
    findLook: merchantId => findLook(sql, merchantId),
    readMailSettings: merchantId => readMailSettings(sql, merchantId),
    listSales: (merchantId, filter) => listSales(sql, merchantId, filter),
    findOffer: (merchantId, id) => findOffer(sql, merchantId, id),
    listOffers: (merchantId, page) => listOffers(sql, merchantId, page),
    async findCard(merchantId, token) {
      const found = await findCard(sql, merchantId, token)
      return found?.card.removeAt === null ? found : null // given for one payment, it is not the merchant's to use
    },
    listCards: (merchantId, filter) => listCards(sql, merchantId, filter),
    listGateways: (merchantId, page) => listGateways(sql, merchantId, page),
    findGateway: (merchantId, id) => findGateway(sql, merchantId, id),
    findDefaultGateway: merchantId => findDefaultGateway(sql, merchantId),
    listLetters: (merchantId, filter) => listLetters(sql, merchantId, filter),
    findLetter: (merchantId, id) => findLetter(sql, merchantId, id),
    async earlierAnswer(merchantId, key) {
      const kept = key === null ? null : await answeredBefore(sql, merchantId, key)
      return kept === null || kept === 'otherArguments' ? kept : answerSealer(sealer, merchantId, key).give(kept)
    },
    async doAlone(merchantId, key, work) {
      const { keep, give } = answerSealer(sealer, merchantId, key)
      const kept = await doAlone(sql, merchantId, key, async () => keep(await work()))
      return typeof kept === 'string' ? kept : give(kept)
    },
    async doOnce(merchantId, key, work) {
      const { keep, give } = answerSealer(sealer, merchantId, key)
      const kept = await inTurn(changeTurns, merchantId, () =>
        doOnce(sql, merchantId, key, async scope => keep(await work(writes(scope)))),
      )
      return kept === 'otherArguments' ? kept : give(kept)
    },
    async changeSettings(caller, key, work) {
      const { keep, give } = answerSealer(sealer, caller.merchantId, key)
      const kept = await inTurn(changeTurns, caller.merchantId, () =>
        doOnce(sql, caller.merchantId, key, async scope => {
          await refuseFormerActor(scope, caller)
          return keep(await work(settingsWrites(scope)))
        }),
      )
      return kept === 'otherArguments' ? kept : give(kept)
    },
  }
}

async function changePaymentPage(
  scope: Scope,
  merchantId: MerchantId,
  { name, ...look }: PaymentPageChange,
): Promise<PaymentPage> {
  if (name !== undefined) await renameMerchant(scope, merchantId, name)
  await saveLook(scope, merchantId, look)
  const merchant = await findMerchant(scope, merchantId)
  if (merchant === null) throw new Error(`merchant ${merchantId} is gone`)
  return { name: merchant.name, look: await findLook(scope, merchantId) }
}
