// Joins the console's pages about selling to the store, the customers' pages and the gateways.

import { mailToOffer } from './api/mail-to.ts'
import { buttonHtml } from './api/offer-links.ts'
import type { GatewayTestPorts } from './console/gateway-tests.ts'
import type { SellingPorts } from './console/offers.ts'
import type { PreviewPorts } from './console/previews.ts'
import type { GatewayId, MerchantId, OfferId } from './core/ids.ts'
import type { Language } from './core/login.ts'
import type { Look, LookChange, WholeLogo } from './core/look.ts'
import { formatAmount } from './core/money.ts'
import { type Offer, pageUrlOf } from './core/offer.ts'
import type { Merchant } from './core/people.ts'
import type { Foundation } from './foundation.ts'
import { ApiError } from './http/errors.ts'
import { type OfferBody, readOffer } from './http/offer-arguments.ts'
import { cardFieldsOf } from './join-checkout.ts'
import type { Joined } from './join-core.ts'
import { testGateway } from './join-gateways.ts'
import { letterhead } from './join-outbox.ts'
import { reachedMailDomain } from './mail-domain.ts'
import { previewHtml } from './pages/checkout/preview.ts'
import { sampleMail } from './pages/mails/samples.ts'
import { wordsFor } from './pages/words/words.ts'
import { findGateway } from './store/gateways.ts'
import { readMailSettings } from './store/mail-settings.ts'
import { findMerchant } from './store/merchants.ts'
import { listSoldOffers, salesOfOffer } from './store/offer-sales.ts'
import { findOffer } from './store/offers.ts'
import { findLook } from './store/payment-pages.ts'

export function sellingPorts(foundation: Foundation, joined: Joined): SellingPorts & PreviewPorts & GatewayTestPorts {
  const { sql, clock, config } = foundation
  const mailDomain = reachedMailDomain(config)
  return {
    selling: {
      list: (merchantId, filter) => listSoldOffers(sql, merchantId, filter),
      findOffer: (merchantId, id) => findOffer(sql, merchantId, id),
      salesOf: offer => salesOfOffer(sql, offer),
      now: clock.now,
      async tokenAddress(merchantId) {
        const { payments } = await readMailSettings(sql, merchantId)
        return mailDomain === null || !payments ? null : `transaction@${mailDomain}`
      },
    },
    previews: previewPorts(foundation, joined),
    testGateway: (merchantId, id) => testGateway(foundation, joined, merchantId, id),
  }
}

/** What is sold where only its look matters. */
const samples: { readonly [language in Language]: { readonly title: string; readonly details: string } } = {
  en: { title: 'A sample of what you sell', details: 'Its details stand here.' },
  es: { title: 'Una muestra de lo que vende', details: 'Aquí aparecen los detalles.' },
}
const sampleMinor = 4_900n

function previewPorts(foundation: Foundation, joined: Joined): PreviewPorts['previews'] {
  const { sql, clock } = foundation
  const sellerOf = async (merchantId: MerchantId) => {
    const [merchant, look] = await Promise.all([findMerchant(sql, merchantId), findLook(sql, merchantId)])
    if (merchant === null) throw new Error(`merchant ${merchantId} is gone`)
    return { merchant, look }
  }
  const sampleOf = (merchant: Merchant, language: Language) => {
    const body: OfferBody = { ...samples[language], amount: formatAmount(sampleMinor, merchant.currency) }
    return offerOf(foundation, merchant, body, null)
  }
  return {
    async offer(merchantId, body, language) {
      const { merchant, look } = await sellerOf(merchantId)
      const gatewayId = (body.gateway ?? null) as GatewayId | null
      if (gatewayId !== null && (await findGateway(sql, merchantId, gatewayId)) === null) {
        throw ApiError.notKnown('gateway')
      }
      const offer = offerOf(foundation, merchant, body, gatewayId)
      return previewOf(foundation, joined, { offer, merchant, look }, language)
    },
    async look(merchantId, { name, logo, ...change }, language) {
      const { merchant: was, look } = await sellerOf(merchantId)
      const merchant = { ...was, name: name ?? was.name }
      const seen = { offer: sampleOf(merchant, language), merchant, look: withLogo({ ...look, ...change }, logo) }
      return previewOf(foundation, joined, seen, language, logo)
    },
    async mail(merchantId, kind, language) {
      const { merchant, look } = await sellerOf(merchantId)
      const { service } = joined.ports
      const facts = { ...samples[language], amountMinor: sampleMinor, currency: merchant.currency }
      const head = letterhead(service, merchant, look)
      return sampleMail(kind, wordsFor(language), { ...facts, head, now: clock.now(), link: service.baseUrl }).html
    },
    async button(merchantId, id) {
      const [offer, seller, { payments }] = await Promise.all([
        findOffer(sql, merchantId, id),
        sellerOf(merchantId),
        readMailSettings(sql, merchantId),
      ])
      const mailDomain = payments ? reachedMailDomain(foundation.config) : null
      return offer === null ? null : buttonPage(offer, seller, mailDomain, joined.ports.service.baseUrl)
    },
  }
}

/** On white, as most mails are. */
function buttonPage(
  offer: Offer,
  { merchant, look }: { readonly merchant: Merchant; readonly look: Look },
  mailDomain: string | null,
  baseUrl: string,
): string {
  const mailTo = mailDomain === null ? null : mailToOffer(offer, merchant, mailDomain)
  const button = buttonHtml(offer, { mailTo, pageUrl: pageUrlOf(offer, baseUrl) }, look)
  const head = '<meta charset="utf-8"><base target="_blank"><title>Button</title>'
  return `<!doctype html><html lang="en"><head>${head}</head><body style="margin:16px;background:#fff">${button}</body></html>`
}

function offerOf({ clock, newUuid }: Foundation, merchant: Merchant, body: OfferBody, gatewayId: GatewayId | null) {
  const offer = readOffer(body, { merchant, gatewayId, id: newUuid() as OfferId, now: clock.now() })
  return { ...offer, tokenContent: '' }
}

/** One that is not saved has no hash yet: its bytes are in the page itself. */
function withLogo(look: Look, logo: LookChange['logo']): Look {
  if (logo === undefined) return look
  return { ...look, logo: logo === null ? null : { type: logo.type, sha256: '' } }
}

async function previewOf(
  foundation: Foundation,
  joined: Joined,
  seen: { readonly offer: Offer; readonly merchant: Merchant; readonly look: Look },
  language: Language,
  logo?: WholeLogo | null,
) {
  const fields = await cardFieldsOf(foundation, joined, seen.offer)
  const service = { isSandbox: foundation.config.mode === 'sandbox', baseUrl: () => joined.ports.service.baseUrl }
  const logoUrl = logo ? `data:${logo.type};base64,${Buffer.from(logo.bytes).toString('base64')}` : null
  const html = previewHtml(service, { found: { ...seen, isMailed: true }, fields, language, logoUrl })
  return { html, can_be_paid: fields !== null }
}
