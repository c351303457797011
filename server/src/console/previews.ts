// What customers would see: the page of an offer that is not made yet, the pages in a look that is not saved yet, mails and buttons.
// Nothing is stored, and nothing in them does anything.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { type MerchantId, type OfferId, parseUuid } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { type Language, languages } from '../core/login.ts'
import { callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { oneOfField } from '../http/fields.ts'
import { type LookBody, lookBody, type PaymentPageChange, readLook } from '../http/look-arguments.ts'
import { type OfferBody, offerBody } from '../http/offer-arguments.ts'
import { Type } from '../http/schema.ts'
import type { MailSampleKind, PagePreview } from './contract/selling.ts'
import type { ConsolePorts } from './ports.ts'

export interface PreviewPorts {
  readonly previews: {
    /** What is wrong with the arguments is thrown, as where an offer is made. */
    offer(merchantId: MerchantId, body: OfferBody, language: Language): Promise<PagePreview>
    /** The page of a sample. */
    look(merchantId: MerchantId, change: PaymentPageChange, language: Language): Promise<PagePreview>
    /** The HTML of it. */
    mail(merchantId: MerchantId, kind: MailSampleKind, language: Language): Promise<string>
    /** The button to an offer, in a page of its own; null: there is no such offer. */
    button(merchantId: MerchantId, id: OfferId): Promise<string | null>
  }
}

const mailSamples = ['receipt', 'reserved', 'further_action', 'confirm', 'confirm_by_mail', 'bank', 'error'] as const
const spoken = { language: Type.Optional(oneOfField(languages, "The customer's.")) }
const pathId = Type.Object({ id: Type.String() })
const pageQuery = Type.Object(spoken)
const mailQuery = Type.Object({ ...spoken, kind: Type.Optional(oneOfField(mailSamples, 'Which of them.')) })
const looks = { needs: 'viewer', onlyAsks: true } as const

/** Mails have their styles in them. In its frame one fetches nothing but a logo, and whatever is pressed leads nowhere. */
const mailPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox"

const mailHeaders = {
  'Content-Security-Policy': mailPolicy,
  'Referrer-Policy': 'no-referrer',
  'Content-Type': 'text/html; charset=utf-8',
}

export function previewRoutes(app: FastifyInstance, { previews, service }: PreviewPorts & ConsolePorts): void {
  app.post<{ Body: OfferBody; Querystring: Static<typeof pageQuery> }>(
    '/offers/preview',
    { config: looks, schema: { body: offerBody, querystring: pageQuery } },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const preview = await previews.offer(merchantId, request.body, request.query.language ?? 'en')
      return reply.send(answerText({ preview: { ...preview } }))
    },
  )

  app.post<{ Body: LookBody; Querystring: Static<typeof pageQuery> }>(
    '/payment_page/preview',
    { config: looks, schema: { body: lookBody, querystring: pageQuery } },
    async (request, reply) => {
      const change = readLook(request.body, service)
      const preview = await previews.look(callerOf(request).merchantId, change, request.query.language ?? 'en')
      return reply.send(answerText({ preview: { ...preview } }))
    },
  )

  app.get<{ Querystring: Static<typeof mailQuery> }>(
    '/mail_samples',
    { config: { needs: 'viewer' }, schema: { querystring: mailQuery } },
    async (request, reply) => {
      const { kind = 'receipt', language = 'en' } = request.query
      const html = await previews.mail(callerOf(request).merchantId, kind, language)
      return reply.headers(mailHeaders).send(html)
    },
  )

  app.get<{ Params: Static<typeof pathId> }>(
    '/offers/:id/button',
    { config: { needs: 'viewer' }, schema: { params: pathId } },
    async (request, reply) => {
      const id = parseUuid<OfferId>(request.params.id)
      const html = id === null ? null : await previews.button(callerOf(request).merchantId, id)
      if (html === null) throw ApiError.notKnown('offer')
      return reply.headers(mailHeaders).send(html)
    },
  )
}
