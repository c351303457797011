// How a merchant's pages look to its customers: its name, logo and colours, whom to ask, where to go on, who may frame them.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { maskCardNumbers } from '../core/card-number.ts'
import type { MerchantId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { logoBytesMax, logoPath, type WholeLogo } from '../core/look.ts'
import type { Json } from '../core/offer.ts'
import { pictureIn } from '../core/picture.ts'
import type { ServiceFacts } from '../core/sale.ts'
import { callerOf, keyOf, notOther, sendReply } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { emailField, jsonField, removableField, urlField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { answersWith, paymentPageAnswer } from './answers.ts'
import { originFrom, whyNotReturnUrl } from './browser-urls.ts'
import type { ApiPorts, PaymentPage, PaymentPageChange } from './ports.ts'

const logoSideMax = 2_000
const ancestorsMax = 10

const nameSays = 'must be text of 1 to 100 characters on one line, and begin with one that can be seen.'
const logoSays = `must be the base64 of a PNG, JPEG or WebP picture of at most ${logoBytesMax / 1_024} KiB and ${logoSideMax} pixels a side.`
const ancestorsSays = `must be a list of at most ${ancestorsMax} origins such as "https://shop.example".`

const colorField = (description: string) =>
  removableField(
    Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', says: 'must be a colour such as "#1a56db".', description }),
  )

const changeable = {
  name: Type.Optional(
    Type.String({
      maxLength: 100,
      pattern: '^[^\\p{Cc}\\s][^\\p{Cc}]*$',
      says: nameSays,
      description: 'What customers know the merchant by.',
    }),
  ),
  logo: Type.Optional(
    removableField(
      Type.String({ says: logoSays, description: 'Shown in place of the name: base64 of a PNG, JPEG or WebP.' }),
    ),
  ),
  button_color: Type.Optional(colorField('Of what is pressed; the letters on it are black or white by themselves.')),
  background_color: Type.Optional(colorField('Behind everything.')),
  support_email: Type.Optional(removableField(emailField('Whom a customer may ask.'))),
  return_url: Type.Optional(removableField(urlField('Where a customer may go on after paying.'))),
  frame_ancestors: Type.Optional(
    jsonField(
      Type.Array(Type.String()),
      ancestorsSays,
      'Origins that may show the pages in a frame; in a form with blanks or commas between them.',
    ),
  ),
}
const cardNumberSays = 'must have no card number.'
const changeBody = Type.Object(changeable)
const nothingNamed = `Name at least one of ${Object.keys(changeable).join(', ')}.`
const about = { about: 'payment_page' } as const
const onePage = answersWith('payment_page', paymentPageAnswer)

export function paymentPageRoutes(app: FastifyInstance, ports: ApiPorts): void {
  const { store, core } = ports
  const schema = (summary: string, more: object = {}) => ({ summary, tags: ['payment page'], ...more, ...onePage })

  app.get('/payment_page', { config: about, schema: schema('Show how the pages look') }, async (request, reply) => {
    const { merchantId } = callerOf(request)
    const [merchant, look] = await Promise.all([store.findMerchant(merchantId), store.findLook(merchantId)])
    if (merchant === null) throw new Error(`merchant ${merchantId} is gone`)
    return reply.send(answerText({ payment_page: pageView(core.service, merchantId, { name: merchant.name, look }) }))
  })

  app.patch<{ Body: Static<typeof changeBody> }>(
    '/payment_page',
    { config: about, schema: schema('Change how the pages look', { body: changeBody }) },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const change = changeFrom(request.body, core.service)
      const key = keyOf(request, 'payment_page change', asJson(change))
      const answer = await store.doOnce(merchantId, key, async writes => {
        const page = await writes.changePaymentPage(merchantId, change)
        return { status: 200, text: answerText({ payment_page: pageView(core.service, merchantId, page) }) }
      })
      return sendReply(reply, notOther(answer))
    },
  )
}

/** What is named, in the form in which it is kept. */
function changeFrom(body: Static<typeof changeBody>, service: ServiceFacts): PaymentPageChange {
  // What would change nothing is a mistake, and better said than passed over.
  if (!Object.keys(changeable).some(name => name in body)) throw new ApiError(422, { general: nothingNamed })
  const { name, button_color, background_color, support_email, return_url } = body
  const logo = body.logo ? logoFrom(body.logo) : null
  const frameAncestors = ancestorsFrom(body.frame_ancestors ?? [], service)
  refuse({
    name: hasCardNumber(name) ? cardNumberSays : null,
    logo: body.logo && logo === null ? logoSays : null,
    support_email: hasCardNumber(support_email) ? cardNumberSays : null,
    return_url: return_url ? whyNotReturnUrl(return_url, service) : null,
    frame_ancestors: frameAncestors === null ? ancestorsSays : null,
  })
  return {
    ...(name !== undefined && { name }),
    ...(body.logo !== undefined && { logo }),
    ...(button_color !== undefined && { buttonColor: button_color?.toLowerCase() || null }),
    ...(background_color !== undefined && { backgroundColor: background_color?.toLowerCase() || null }),
    ...(support_email !== undefined && { supportEmail: support_email || null }),
    ...(return_url !== undefined && { returnUrl: return_url ? new URL(return_url).href : null }),
    ...(body.frame_ancestors !== undefined && frameAncestors !== null && { frameAncestors }),
  }
}

/** One sentence for each field about which there is something to say. */
function refuse(wrong: { readonly [field: string]: string | null }): void {
  const said = Object.entries(wrong).filter(([, says]) => says !== null)
  if (said.length === 0) return
  throw new ApiError(422, Object.fromEntries(said.map(([field, says]) => [field, `${field} ${says}`])))
}

function hasCardNumber(text: string | null | undefined): boolean {
  return maskCardNumbers(text ?? '') !== (text ?? '')
}

/** `base64` breaks its lines; and a form that does not encode a `+` has a blank there. Null: no picture that fits. */
function logoFrom(text: string): WholeLogo | null {
  const base64 = text.replace(/[\r\n]/g, '').replaceAll(' ', '+')
  const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : Buffer.alloc(0)
  const picture = bytes.length <= logoBytesMax ? pictureIn(bytes) : null
  const fits = (side: number) => side >= 1 && side <= logoSideMax
  return picture !== null && fits(picture.width) && fits(picture.height) ? { type: picture.type, bytes } : null
}

/** Null: some are none, or there are too many. */
function ancestorsFrom(given: unknown, service: ServiceFacts): string[] | null {
  const texts = typeof given === 'string' ? given.split(/[\s,]+/).filter(text => text !== '') : (given as string[])
  const origins = texts.map(text => originFrom(text, service))
  const all = new Set(origins.filter(origin => origin !== null))
  return origins.includes(null) || all.size > ancestorsMax ? null : [...all]
}

function asJson({ logo, frameAncestors, ...texts }: PaymentPageChange): Json {
  return {
    ...texts,
    ...(logo !== undefined && { logo: logo === null ? null : Buffer.from(logo.bytes).toString('base64') }),
    ...(frameAncestors !== undefined && { frameAncestors: [...frameAncestors] }),
  }
}

function pageView({ baseUrl }: ServiceFacts, merchantId: MerchantId, { name, look }: PaymentPage) {
  return {
    name,
    logo_url: look.logo === null ? null : `${baseUrl}${logoPath(merchantId, look.logo)}`,
    button_color: look.buttonColor,
    background_color: look.backgroundColor,
    support_email: look.supportEmail,
    return_url: look.returnUrl,
    frame_ancestors: [...look.frameAncestors],
  }
}
