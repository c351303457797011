// How a merchant's pages look to its customers: its name, logo and colours, whom to ask, where to go on, who may frame them.

import type { FastifyInstance } from 'fastify'
import type { MerchantId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { logoPath } from '../core/look.ts'
import type { Json } from '../core/offer.ts'
import type { ServiceFacts } from '../core/sale.ts'
import { callerOf, keyedAnswer, keyOf, notOther, sendReply } from '../http/answering.ts'
import { type LookBody, lookBody, type PaymentPageChange, readLook } from '../http/look-arguments.ts'
import { answersWith, paymentPageAnswer } from './answers.ts'
import type { ApiPorts, PaymentPage } from './ports.ts'

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

  app.patch<{ Body: LookBody }>(
    '/payment_page',
    { config: about, schema: schema('Change how the pages look', { body: lookBody }) },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const change = readLook(request.body, core.service)
      const key = keyOf(request, 'payment_page change', asJson(change))
      const answer = await store.changeSettings(callerOf(request), key, async writes => {
        const page = await writes.changePaymentPage(merchantId, change)
        return keyedAnswer({ payment_page: pageView(core.service, merchantId, page) }, null)
      })
      return sendReply(reply, notOther(answer))
    },
  )
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
