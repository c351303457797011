// What a customer is told about a payment that failed. Why a bank declined is told where it helps to pay; that a card is taken
// for lost, stolen or misused is between its holder and the bank, and nobody who merely tries it may learn it here.

import type { Sale } from '../../core/sale.ts'
import type { FailureCode } from '../../core/transaction.ts'
import type { Html } from '../html.ts'
import type { Words } from '../words/words.ts'

export interface FailureSays {
  readonly text: Html | string
  readonly status: 402 | 409 | 503
}

export function failureSays(words: Words, { transaction }: Sale, merchant: string): FailureSays {
  return failureCodeSays(words, transaction.failure?.code ?? 'interrupted', merchant)
}

export function failureCodeSays(words: Words, code: FailureCode, merchant: string): FailureSays {
  const { declined, notNow } = words.checkout
  if (code === 'pre_sale_stopped') return { text: declined.stopped(merchant), status: 409 }
  const text = declinedSays(words, code)
  return text === null ? { text: notNow, status: 503 } : { text, status: 402 }
}

/** Null: it was not the card. */
function declinedSays(words: Words, code: FailureCode): string | null {
  const { declined } = words.checkout
  switch (code) {
    case 'insufficient_funds':
      return declined.insufficientFunds
    case 'expired_card':
      return declined.expired
    case 'incorrect_cvc':
      return declined.wrongCode
    case 'card_not_supported':
      return declined.notSupported
    case 'authentication_failed':
      return declined.notConfirmed
    case 'action_expired':
      return declined.tooLate
    case 'card_declined':
    case 'limit_exceeded':
    case 'lost_card':
    case 'stolen_card':
    case 'fraud_suspected':
      return declined.card
    default:
      return null
  }
}
