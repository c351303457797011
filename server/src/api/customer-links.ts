// Links with which one customer pays an offer by email at once. Only the merchant can make them, and each carries a token that is
// good for that customer's mailbox alone.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { parseEmail } from '../core/email.ts'
import { type OfferId, parseUuid } from '../core/ids.ts'
import { formatAmount } from '../core/money.ts'
import { notForSaleSays, type Offer, pageUrlOf, whyNotForSale } from '../core/offer.ts'
import { openPaymentSays } from '../core/offer-link.ts'
import { isoTime } from '../core/sale.ts'
import { tokenMinorMax } from '../core/token.ts'
import { callerOf, keyedAnswer, keyOf, notOther, sendReply } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { emailField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { answersWith, offerLinkAnswer } from './answers.ts'
import { mailToPay } from './mail-to.ts'
import { buttonHtml } from './offer-links.ts'
import { type Seller, sellerOf } from './offers.ts'
import type { ApiPorts } from './ports.ts'

const pathId = Type.Object({ id: Type.String() })
const linkBody = Type.Object({ email: emailField('The one customer who can pay with it.') })

export function customerLinkRoutes(app: FastifyInstance, ports: ApiPorts): void {
  const { store, core } = ports
  app.post<{ Params: Static<typeof pathId>; Body: Static<typeof linkBody> }>(
    '/offers/:id/links',
    {
      config: { about: 'link' },
      schema: {
        summary: 'Make a link with which one customer pays an offer by email',
        tags: ['offers'],
        params: pathId,
        body: linkBody,
        ...answersWith('link', offerLinkAnswer, 'The link: the same one until it is used, revoked or expired.'),
      },
    },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const id = parseUuid<OfferId>(request.params.id)
      if (id === null) throw ApiError.notKnown('offer')
      const email = emailFrom(request.body.email)
      const key = keyOf(request, 'offers links', { offer: id, email })
      // What can be sold now does not change what was answered before.
      const earlier = await store.earlierAnswer(merchantId, key)
      if (earlier !== null) return sendReply(reply, notOther(earlier))
      const offer = await store.findOffer(merchantId, id)
      if (offer === null) throw ApiError.notKnown('offer')
      refuseOther(offer, email, core.now())
      const seller = await sellerOf(ports, merchantId)
      const link = await ports.offerLink(seller.merchant, offer, email)
      if (link === null)
        throw new ApiError(422, {
          offer: `offer is too large for a token: its amount must be below ${formatAmount(tokenMinorMax, offer.currency)} ${offer.currency}.`,
        })
      const answer = await store.doOnce(merchantId, key, async writes => {
        const kept = await writes.keepOfferLink(link, offer)
        if (kept.kind === 'ended') throw new ApiError(422, { offer: `offer ${notForSaleSays.inactive}` })
        if (kept.kind === 'payment_open') throw new ApiError(409, { general: openPaymentSays(kept.id) })
        return keyedAnswer({ link: linkView(ports, offer, seller, email, kept.token) }, { email })
      })
      return sendReply(reply, notOther(answer))
    },
  )
}

function emailFrom(given: string): string {
  const email = parseEmail(given)
  if (email === null) throw new ApiError(422, { email: 'email must be an email address.' })
  return email
}

function refuseOther(offer: Offer, email: string, now: Date): void {
  const why = whyNotForSale(offer, { quantity: 1, email, now })
  if (why === 'for_another') throw new ApiError(422, { email: 'email is not the customer whom this offer is for.' })
  if (why !== null) throw new ApiError(422, { offer: `offer ${notForSaleSays[why]}` })
}

function linkView(ports: ApiPorts, offer: Offer, { merchant, look, mailDomain }: Seller, email: string, token: string) {
  const mailTo = mailDomain === null ? null : mailToPay(offer, merchant, mailDomain, token)
  return {
    offer: offer.id,
    email,
    token,
    mail_to: mailTo,
    button_html: buttonHtml(offer, { mailTo, pageUrl: pageUrlOf(offer, ports.core.service.baseUrl) }, look),
    expires_at: offer.expiresAt === null ? null : isoTime(offer.expiresAt),
  }
}
