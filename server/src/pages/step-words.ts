// What a customer is told about a payment that waited for its bank, in every state it can be in. Whoever has the link reads
// it: why a bank declined is between the bank and its customer, and is not told.

import { waitingCharge } from '../core/customer-step.ts'
import type { Sale } from '../core/sale.ts'
import type { FailureCode, Transaction } from '../core/transaction.ts'
import { shownAmount } from './shown-amount.ts'

export interface Words {
  readonly mood: 'asks' | 'good' | 'bad' | 'waits'
  readonly heading: string
  readonly sentences: readonly string[]
  /** What the customer can do: go on to the bank, see how it stands by now. */
  readonly offers: readonly ('bank' | 'look')[]
  /** The transaction's id is the receipt's number. */
  readonly receipt: boolean
}

export function wordsFor(sale: Sale, now: Date, returned: boolean): Words {
  const { status } = sale.transaction
  // Settled as not made, and the gateway says otherwise; or the other way round: nobody may be told that nothing was charged.
  if (isOpenQuestion(sale)) return lookedInto
  switch (status) {
    case 'Further Action Required':
      if (waitingCharge(sale, now) === null) return timeIsOver
      return returned ? notConfirmedYet : asksToConfirm
    case 'Processing':
      return inHand
    case 'Failed':
      return notPaid(sale.transaction.failure?.code ?? 'interrupted', sale.merchant.name)
    case 'Voided':
      return said(
        'bad',
        'Payment called off',
        `${sale.merchant.name} has released the amount. Your card was not charged.`,
      )
    case 'Authorized':
      return paid('Payment confirmed', `The amount is reserved on your card. ${sale.merchant.name} collects it later.`)
    case 'Successful':
      return paid('Paid', `Thank you. ${sale.merchant.name} has your payment. You can close this page.`)
    case 'Partially Refunded':
    case 'Refunded':
      return paid(
        'Paid, and refunded',
        `${sale.merchant.name} has given ${givenBack(sale.transaction)} back to your card.`,
      )
  }
}

function isOpenQuestion({ operations }: Sale): boolean {
  return operations.some(({ kind, forPerson }) => kind === 'charge' && forPerson !== null)
}

function said(mood: Words['mood'], heading: string, ...sentences: readonly string[]): Words {
  return { mood, heading, sentences, offers: [], receipt: false }
}

function paid(heading: string, sentence: string): Words {
  return { ...said('good', heading, sentence), receipt: true }
}

const asksToConfirm: Words = {
  ...said('asks', 'Confirm your payment', 'Your bank asks you to confirm this payment.'),
  offers: ['bank'],
}

const notConfirmedYet: Words = {
  ...said(
    'waits',
    'Not finished yet',
    'Your bank has not confirmed this payment so far.',
    'If you have just confirmed it, check again in a moment. Otherwise go on to your bank.',
  ),
  offers: ['look', 'bank'],
}

const timeIsOver: Words = {
  ...said(
    'waits',
    'The time is over',
    'This payment was not confirmed in time. We are making sure with your bank that nothing is charged.',
  ),
  offers: ['look'],
}

const inHand: Words = {
  ...said('waits', 'In progress', 'This payment is being processed. Check again in a moment, and do not pay twice.'),
  offers: ['look'],
}

const lookedInto = said(
  'waits',
  'We are looking into it',
  'Your bank and our records do not agree about this payment yet. Please do not pay again; the merchant will tell you how it ended.',
)

function notPaid(code: FailureCode, merchant: string): Words {
  const notCharged = 'Your card was not charged.'
  const goOn = `To pay, begin again at ${merchant}.`
  if (code === 'action_expired')
    return said('bad', 'The time is over', 'This payment was not confirmed in time.', notCharged, goOn)
  if (code === 'authentication_failed')
    return said('bad', 'Not confirmed', 'Your bank did not confirm this payment.', notCharged, goOn)
  return said('bad', 'Not paid', 'This payment was not made.', notCharged, goOn)
}

function givenBack({ refundedMinor, currency }: Transaction): string {
  return shownAmount(refundedMinor, currency)
}
