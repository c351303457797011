// Each of the mails to customers, about a payment that never was: for the merchant to look at.

import type { Currency } from '../../core/money.ts'
import type { Words } from '../words/words.ts'
import type { MailLetterhead, WrittenMail } from './mail.ts'
import { errorMail, furtherActionMail, type PaymentFacts, receiptMail } from './told.ts'

export type SampleKind = 'receipt' | 'reserved' | 'further_action' | 'confirm' | 'confirm_by_mail' | 'bank' | 'error'

export interface SampleFacts {
  readonly head: MailLetterhead
  readonly title: string
  readonly amountMinor: bigint
  readonly currency: Currency
  readonly now: Date
  /** Where its links would lead. */
  readonly link: string
}

const transactionId = '00000000-0000-7000-8000-000000000000'

export function sampleMail(kind: SampleKind, words: Words, facts: SampleFacts): WrittenMail {
  const { head, title, amountMinor, currency, now: at, link } = facts
  const payment: PaymentFacts = { head, title, quantity: 1, amountMinor, currency }
  const card = { type: 'visa', mask: '4242' } as const
  switch (kind) {
    case 'receipt':
    case 'reserved':
      return receiptMail(words, { ...payment, isReserved: kind === 'reserved', at, card, transactionId })
    case 'further_action':
      return furtherActionMail(words, { ...payment, wants: 'page', lacks: 'card', link })
    case 'confirm':
      return furtherActionMail(words, { ...payment, wants: 'link', link, card })
    case 'confirm_by_mail':
      return furtherActionMail(words, { ...payment, wants: 'word', mailTo: link, link })
    case 'bank':
      return furtherActionMail(words, { ...payment, wants: 'bank', link })
    case 'error':
      return errorMail(words, { ...payment, code: 'card_declined', link })
  }
}
