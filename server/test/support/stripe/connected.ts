// A merchant of the service whose gateway is the Stripe look-alike.

import { answered } from '../answers.ts'
import type { Client } from '../client.ts'
import type { Bank } from './cards.ts'
import type { PaymentIntent } from './objects.ts'
import type { StripeServer } from './server.ts'

export interface Connected {
  readonly gateway: string
  /** Stores one of Stripe's test cards. */
  card(reference?: string): Promise<string>
  /** A plain card whose bank has changed its mind since. */
  cardWith(bank: Bank): Promise<string>
  /** The one payment there that bears a transaction's id. */
  intentOf(transaction: string): PaymentIntent
}

/** `types`: the events that Stripe tells of; null: all. */
export async function connectStripe(
  client: Client,
  stripe: StripeServer,
  types: readonly string[] | null = null,
): Promise<Connected> {
  const json = { type: 'stripe', credentials: stripe.credentials, default: true }
  const { gateway } = answered(await client.ask('gateways', { json }), 200).json
  const { webhook_secret: secret } = stripe.credentials
  stripe.webhooks.register(`${client.baseUrl}/gateways/${gateway.id}/events`, secret, types)
  async function card(reference = 'pm_card_visa'): Promise<string> {
    const form = { email: 'ada@example.com', reference }
    return answered(await client.ask('credit_cards', { form }), 200).json.card.service_token
  }
  return {
    gateway: gateway.id,
    card,
    async cardWith(bank) {
      const token = await card()
      const [newest] = stripe.state.all('payment_method')
      if (newest === undefined) throw new Error('no card was stored')
      stripe.dashboard.setBank(newest.id, bank)
      return token
    },
    intentOf(transaction) {
      const all = stripe.state.all('payment_intent')
      const [intent, ...others] = all.filter(({ metadata }) => metadata.tillbell_transaction === transaction)
      if (intent === undefined || others.length > 0) throw new Error(`${transaction} is not one payment at Stripe`)
      return intent
    },
  }
}
