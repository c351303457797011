// What customers would see: the page of an offer that is not made yet, the pages in a look that is not saved yet, and the mails.
// Nothing is stored, and nothing in them does anything.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { MerchantId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { type Language, languages } from '../core/login.ts'
import { callerOf } from '../http/answering.ts'
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
  }
}

const mailSamples = ['receipt', 'reserved', 'further_action', 'confirm', 'bank', 'error'] as const
const spoken = { language: Type.Optional(oneOfField(languages, "The customer's.")) }
const pageQuery = Type.Object(spoken)
const mailQuery = Type.Object({ ...spoken, kind: Type.Optional(oneOfField(mailSamples, 'Which of them.')) })
const looks = { needs: 'viewer', onlyAsks: true } as const

/** Mails have their styles in them. In its frame this one fetches nothing but a logo, and whatever is pressed leads nowhere. */
const mailPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox"

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
      const headers = { 'Content-Security-Policy': mailPolicy, 'Referrer-Policy': 'no-referrer' }
      return reply.headers({ ...headers, 'Content-Type': 'text/html; charset=utf-8' }).send(html)
    },
  )
}
