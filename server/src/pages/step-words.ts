// What a customer is told about a payment, in every state it can be in. Whoever has the link reads it: why a bank declined is
// between the bank and its customer, and is not told.

import { waitingCharge } from '../core/customer-step.ts'
import { canStillBeUsed } from '../core/offer.ts'
import type { Sale } from '../core/sale.ts'
import { shownAmount } from './shown-amount.ts'
import { type Said, said } from './words/said.ts'
import type { Words } from './words/words.ts'

export interface StepWords extends Said {
  readonly mood: 'asks' | 'good' | 'bad' | 'waits'
  /** What the customer can do: go on to the bank, see how it stands by now, try again on the offer's page. */
  readonly ways: readonly ('bank' | 'look' | 'again')[]
  /** It is paid: the transaction's id is the receipt's number. */
  readonly receipt: boolean
}

export function stepWords(sale: Sale, { payment, locale }: Words, now: Date, returned: boolean): StepWords {
  const { merchant, transaction } = sale
  // Settled as not made, and the gateway says otherwise; or the other way round: nobody may be told that nothing was charged.
  if (isOpenQuestion(sale)) return standing('waits', payment.lookedInto)
  switch (transaction.status) {
    case 'Further Action Required':
      if (transaction.actionWants !== null) return failed(sale, payment.failed.tooLate, payment, now)
      if (waitingCharge(sale, now) === null) return standing('waits', payment.tooLate, 'look')
      return returned
        ? standing('waits', payment.notConfirmedYet, 'look', 'bank')
        : standing('asks', payment.confirm, 'bank')
    case 'Processing':
      return standing('waits', payment.inProgress, 'look')
    case 'Failed':
      return failed(sale, howItFailed(transaction.failure?.code, payment.failed), payment, now)
    case 'Voided':
      return standing('bad', payment.calledOff(merchant.name))
    case 'Authorized':
      return paid(payment.reserved(merchant.name))
    case 'Successful':
      return paid(payment.paid(merchant.name))
    case 'Partially Refunded':
      return paid(payment.partlyRefunded(merchant.name, refundedOf(sale, locale)))
    case 'Refunded':
      return paid(payment.refunded(merchant.name, refundedOf(sale, locale)))
  }
}

function refundedOf({ transaction: { refundedMinor, currency } }: Sale, locale: string): string {
  return shownAmount(refundedMinor, currency, locale)
}

function isOpenQuestion({ operations }: Sale): boolean {
  return operations.some(({ kind, forPerson }) => kind === 'charge' && forPerson !== null)
}

function standing(mood: StepWords['mood'], words: Said, ...ways: StepWords['ways']): StepWords {
  return { mood, ...words, ways, receipt: false }
}

function paid(words: Said): StepWords {
  return { ...standing('good', words), receipt: true }
}

/** Who paid on our page may try again there, and who asked by mail may pay there; who paid elsewhere begins there. */
function failed(
  { transaction, offer, merchant }: Sale,
  { heading, sentences }: Said,
  payment: Words['payment'],
  now: Date,
): StepWords {
  const told = [...sentences, payment.notCharged]
  const isOurs = transaction.entered !== null || transaction.source === 'Email Transaction'
  if (!isOurs) return standing('bad', said(heading, ...told, payment.beginAgain(merchant.name)))
  if (!canStillBeUsed(offer, now)) return standing('bad', said(heading, ...told))
  return standing('bad', said(heading, ...told, payment.mayTryAgain), 'again')
}

function howItFailed(code: string | undefined, words: Words['payment']['failed']): Said {
  if (code === 'action_expired') return words.tooLate
  return code === 'authentication_failed' ? words.notConfirmed : words.notMade
}
