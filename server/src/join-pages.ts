// Joins the pages to the world: where a customer goes on with a payment or enters a card, in every mode; and in the sandbox the bank that
// is played for it, and the demo merchant's inbox of hooks and mails.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from './config.ts'
import type { InboxHookId, MerchantId } from './core/ids.ts'
import { demoSetting, type Foundation } from './foundation.ts'
import { serveForGood } from './http/named-files.ts'
import { cardPagePorts } from './join-card-links.ts'
import { checkoutPorts, type Finish } from './join-checkout.ts'
import type { Joined } from './join-core.ts'
import { docs } from './join-docs.ts'
import type { CustomerPost } from './join-mail.ts'
import { challengePorts, stepPagePorts } from './join-steps.ts'
import { newNonce, sameHash, secretHash } from './keys/new-ids.ts'
import { createArrivals } from './pages/arrivals.ts'
import { cardFormScripts } from './pages/card-fields.ts'
import { cardScript } from './pages/card-page.ts'
import { cardRoutes } from './pages/cards.ts'
import { challengeRoutes } from './pages/challenges.ts'
import { checkoutRoutes } from './pages/checkout/routes.ts'
import { sendNotice } from './pages/form-pages.ts'
import { frameFor, nightStyle, type PageService, pageStyle } from './pages/frame.ts'
import { type InboxPorts, inboxRoutes } from './pages/inbox.ts'
import { lookRoutes } from './pages/looks.ts'
import { offerPages } from './pages/offers.ts'
import { type QrPorts, qrRoutes } from './pages/qr.ts'
import { stepRoutes } from './pages/steps.ts'
import { inboxKeySetting } from './setup/inbox.ts'
import { belongsTo } from './setup/merchant.ts'
import { findOwner } from './store/directory.ts'
import { inboxChannel, insertInboxHooks, listInboxHooks, sealedPrivateKeys } from './store/inbox.ts'
import { findInboxMail, listInboxMails } from './store/inbox-mails.ts'
import { findOffer } from './store/offers.ts'
import { findLogo } from './store/payment-pages.ts'
import { readSetting } from './store/settings.ts'

export function servesPages({ roles }: Config): boolean {
  return roles.includes('pages')
}

export function servesInbox(config: Config): boolean {
  return config.mode === 'sandbox' && servesPages(config)
}

export function pages(
  foundation: Foundation,
  joined: Joined,
  finish: Finish,
  post: CustomerPost,
): (app: FastifyInstance) => Promise<void> {
  return async app => {
    serveForGood(app, [pageStyle, nightStyle, cardScript, ...cardFormScripts])
    lookRoutes(app, { findLogo: (merchantId, sha256) => findLogo(foundation.sql, merchantId, sha256) })
    qrRoutes(app, qrPorts(foundation, joined))
    const steps = stepPagePorts(foundation, joined)
    const checkout = checkoutPorts(foundation, joined, finish, post)
    await app.register(async scope => offerPages(scope, steps, checkout))
    await app.register(async scope => stepRoutes(scope, steps))
    await app.register(async scope => checkoutRoutes(scope, checkout))
    await app.register(async scope => cardRoutes(scope, cardPagePorts(foundation, joined)))
    await app.register(docs(joined))
    if (!servesInbox(foundation.config)) return
    await app.register(async scope => challengeRoutes(scope, challengePorts(foundation, joined)))
    await app.register(async scope => serveInbox(scope, foundation))
  }
}

/** For people who followed a link that leads nowhere. */
export function nothingHere({ config }: Foundation, { ports }: Joined) {
  const service: PageService = { isSandbox: config.mode === 'sandbox', baseUrl: () => ports.service.baseUrl }
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const frame = frameFor(service, request, null)
    return sendNotice(reply, frame, 404, frame.words.checkout.noSuchOffer)
  }
}

function qrPorts({ sql, config }: Foundation, { ports }: Joined): QrPorts {
  return {
    async find(offerId) {
      const merchantId = await findOwner(sql, 'offer', offerId)
      return merchantId === null ? null : findOffer(sql, merchantId, offerId)
    },
    isSandbox: config.mode === 'sandbox',
    baseUrl: () => ports.service.baseUrl,
  }
}

async function serveInbox(app: FastifyInstance, foundation: Foundation): Promise<void> {
  const ports = inboxPorts(foundation)
  inboxRoutes(app, ports)
  // Also whenever it listens anew: what arrived while the connection was lost is not said again.
  const { arrived } = ports.arrivals
  const listening = await foundation.sql.listen(inboxChannel, arrived, arrived)
  app.addHook('onClose', () => listening.unlisten())
}

function inboxPorts({ sql, sealer, clock, newUuid }: Foundation): InboxPorts {
  const key = onceKnown(() => readSetting(sql, inboxKeySetting))
  const demo = onceKnown(() => readSetting(sql, demoSetting))
  const owner = async () => (await demo()) as MerchantId // who knows its key knows that there is one
  return {
    async opens(given) {
      const known = await key()
      return known !== null && sameHash(secretHash(String(known)), secretHash(given))
    },
    async privateKeys() {
      const merchantId = await owner()
      const sealed = await sealedPrivateKeys(sql, merchantId)
      return sealed.map(each => sealer.open(each, belongsTo.privateKey(merchantId)))
    },
    insert: async hooks => insertInboxHooks(sql, await owner(), hooks),
    list: async after => listInboxHooks(sql, await owner(), after),
    mails: {
      list: async after => listInboxMails(sql, await owner(), after),
      find: async id => findInboxMail(sql, await owner(), id),
    },
    arrivals: createArrivals(),
    newHookId: () => newUuid() as InboxHookId,
    newNonce,
    now: clock.now,
  }
}

/** Settings that are written once: from then on they need not be read again. */
function onceKnown<Value>(read: () => Promise<Value | null>): () => Promise<Value | null> {
  let known: Value | null = null
  return async () => {
    known ??= await read()
    return known
  }
}
