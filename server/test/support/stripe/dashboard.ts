// What a merchant does in Stripe's dashboard, and what happens there without anybody's asking. Each resolves when those
// who are told have answered once.

import type { Bank } from './cards.ts'
import { answerChallenge } from './paying.ts'
import { cancel, capture, confirmIntent } from './payment-intents.ts'
import { failRefund, refund } from './refunds.ts'
import type { Reply } from './reply.ts'
import type { State } from './state.ts'

export interface Dashboard {
  /** Without an amount: all that is left. The id of the refund. */
  refund(intentId: string, amount?: number): Promise<string>
  /** A refund that was pending has arrived. */
  settleRefund(refundId: string): Promise<void>
  failRefund(refundId: string): Promise<void>
  capture(intentId: string, amount?: number): Promise<void>
  cancel(intentId: string): Promise<void>
  /** Nobody captured in time. */
  expire(intentId: string): Promise<void>
  /** The id of the dispute. */
  openDispute(intentId: string, amount?: number): Promise<string>
  closeDispute(disputeId: string, end: 'won' | 'lost'): Promise<void>
  /** The bank sent a new card. */
  updateCard(paymentMethodId: string, expiry: { readonly month: number; readonly year: number }): Promise<void>
  /** From now on the bank of this card answers so. */
  setBank(paymentMethodId: string, bank: Bank): void
  /** Whoever has the client secret pays with another card, in a browser. False: it cannot be paid any more. */
  payWithSecret(clientSecret: string, cardName: string): Promise<boolean>
  /** The customer answers the bank. False: it does not ask. */
  answerChallenge(intentId: string, result: 'pass' | 'fail'): Promise<boolean>
}

export function openDashboard(state: State, tell: () => Promise<void>): Dashboard {
  const intentOf = (id: string) => found(state.find('payment_intent', id), id)
  const chargeOf = (intentId: string) => found(state.find('charge', intentOf(intentId).latest_charge), intentId)
  const refundOf = (id: string) => found(state.find('refund', id), id)
  async function told(reply: Reply): Promise<string> {
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
    await tell()
    return 'id' in reply.body ? String(reply.body.id) : ''
  }
  return {
    refund: (id, amount) =>
      told(refund(state, chargeOf(id), { amount: amount ?? null, metadata: {}, reason: 'requested_by_customer' })),
    async settleRefund(id) {
      refundOf(id).status = 'succeeded'
      state.tell('refund.updated', refundOf(id))
      await tell()
    },
    async failRefund(id) {
      failRefund(state, refundOf(id))
      await tell()
    },
    capture: async (id, amount) => void (await told(capture(state, intentOf(id), amount ?? null))),
    cancel: async id => void (await told(cancel(state, intentOf(id), 'requested_by_customer'))),
    expire: async id => void (await told(cancel(state, intentOf(id), 'expired'))),
    async openDispute(id, amount) {
      const charge = chargeOf(id)
      charge.disputed = true
      const dispute = state.add<'dispute'>({
        id: state.newId('du'),
        object: 'dispute',
        amount: amount ?? charge.amount_captured,
        charge: charge.id,
        created: state.nowS(),
        currency: charge.currency,
        livemode: false,
        metadata: {},
        payment_intent: id,
        reason: 'fraudulent',
        status: 'needs_response',
      })
      state.tell('charge.dispute.created', dispute)
      state.tell('charge.dispute.funds_withdrawn', dispute)
      await tell()
      return dispute.id
    },
    async closeDispute(id, end) {
      const dispute = found(state.find('dispute', id), id)
      dispute.status = end
      state.tell('charge.dispute.closed', dispute)
      if (end === 'won') state.tell('charge.dispute.funds_reinstated', dispute)
      await tell()
    },
    async updateCard(id, { month, year }) {
      const method = found(state.find('payment_method', id), id)
      method.card.exp_month = month
      method.card.exp_year = year
      state.tell('payment_method.automatically_updated', method)
      await tell()
    },
    setBank(id, bank) {
      state.banks.set(id, bank)
    },
    async payWithSecret(clientSecret, cardName) {
      const form = { payment_method: cardName, return_url: `${state.pagesUrl}/back` }
      const id = clientSecret.split('_secret_')[0] ?? ''
      if (intentOf(id).client_secret !== clientSecret) return false
      const { status } = confirmIntent({ state, id, form, endpoint: 'confirmIntent' })
      await tell()
      return status === 200
    },
    async answerChallenge(id, result) {
      const isAnswered = answerChallenge(state, intentOf(id), result)
      await tell()
      return isAnswered
    },
  }
}

function found<Found>(thing: Found | null, id: string): Found {
  if (thing === null) throw new Error(`${id} is not here`)
  return thing
}
