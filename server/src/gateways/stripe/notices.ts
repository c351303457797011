// Stripe's own word that something is new: an event, signed with the webhook's secret. Only what it is about is taken
// from it; how that stands is then asked, because events come late, twice and in any order.

import Stripe from 'stripe'
import type { GatewayNotice, PaymentNews } from '../../core/gateway.ts'
import { cardRefOf } from './card-ref.ts'
import { isMembers, type Members } from './exchange.ts'
import { nameOf } from './refund.ts'

/** How old a signature may be, as Stripe recommends. */
const toleranceS = 300

type Headers = { readonly [name: string]: string | string[] | undefined }

export async function readNotice(body: Buffer, headers: Headers, webhookSecret: string | null): Promise<GatewayNotice> {
  if (webhookSecret === null) return notAuthentic('cannot be believed: no webhook_secret is among the credentials')
  const signature = headers['stripe-signature']
  if (typeof signature !== 'string') return notAuthentic('has no Stripe-Signature')
  let event: unknown
  try {
    event = await Stripe.webhooks.constructEventAsync(body, signature, webhookSecret, toleranceS)
  } catch (error) {
    const isSignature = error instanceof Stripe.errors.StripeSignatureVerificationError
    return notAuthentic(
      isSignature ? "is not signed with the webhook's secret, or too old" : 'is not an event of Stripe',
    )
  }
  const about = isMembers(event) && isMembers(event.data) ? event.data.object : null
  if (!isMembers(event) || typeof event.type !== 'string' || !isMembers(about)) return { kind: 'nothing' }
  return noticeOf(event.type, about)
}

function notAuthentic(what: string): GatewayNotice {
  return { kind: 'not_authentic', sentence: `The notice ${what}.` }
}

function noticeOf(type: string, about: Members): GatewayNotice {
  if (cardNews.has(type)) return ofCard(about)
  const news = paymentNews.get(type)
  const chargeRef = searchable(about.object === 'payment_intent' ? about.id : about.payment_intent)
  return news === undefined || chargeRef === null ? { kind: 'nothing' } : { kind: 'payment', chargeRef, news }
}

function ofCard({ id, customer }: Members): GatewayNotice {
  const [owner, method] = [searchable(customer), searchable(id)]
  if (method === null || owner === null) return { kind: 'nothing' }
  return { kind: 'card', cardRef: cardRefOf({ customer: owner, method }) }
}

/** A name as Stripe gives them. The merchant has the webhook's secret too, and may sign what no database can be asked for. */
function searchable(named: unknown): string | null {
  const name = nameOf(named)
  return name !== null && /^\w{1,255}$/.test(name) ? name : null
}

const paymentNews = new Map<string, PaymentNews>([
  ['payment_intent.succeeded', 'success'],
  ['payment_intent.payment_failed', 'charge'],
  ['payment_intent.canceled', 'charge'],
  ['payment_intent.amount_capturable_updated', 'charge'],
  ['payment_intent.requires_action', 'charge'],
  ['charge.refunded', 'refund'],
  ['charge.refund.updated', 'refund'],
  ['refund.created', 'refund'],
  ['refund.updated', 'refund'],
  ['refund.failed', 'refund'],
  ['charge.dispute.created', 'dispute'],
  ['charge.dispute.updated', 'dispute'],
  ['charge.dispute.closed', 'dispute'],
  ['charge.dispute.funds_withdrawn', 'dispute'],
  ['charge.dispute.funds_reinstated', 'dispute'],
])

const cardNews = new Set(['payment_method.automatically_updated', 'payment_method.updated'])
