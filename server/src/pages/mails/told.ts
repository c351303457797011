// What customers are told by mail, of the payments that they asked for by mail. Facts are values: whoever hands them in has
// looked them up.

import type { CardType } from '../../core/gateway.ts'
import type { Currency } from '../../core/money.ts'
import type { FailureCode } from '../../core/transaction.ts'
import { brandNames } from '../brands.ts'
import { failureCodeSays } from '../checkout/failures.ts'
import type { Html } from '../html.ts'
import { shownAmount } from '../shown-amount.ts'
import { shownDate } from '../shown-time.ts'
import type { Said } from '../words/said.ts'
import type { Words } from '../words/words.ts'
import { type MailLetterhead, type MailWay, type OtherWay, type WrittenMail, writtenMail } from './mail.ts'
import { isolated, named } from './named.ts'

export interface PaymentFacts {
  readonly head: MailLetterhead
  readonly title: string
  readonly quantity: number
  readonly amountMinor: bigint
  readonly currency: Currency
}

export interface PayingCard {
  readonly type: CardType
  readonly mask: string
}

export interface ReceiptFacts extends PaymentFacts {
  /** Held on the card, and not taken yet. */
  readonly isReserved: boolean
  readonly at: Date
  readonly card: PayingCard | null
  readonly transactionId: string
}

/** What a sender who proved to have written is told that they did not give. Null for everybody else: they are told nothing. */
export type Lack = 'card' | 'answer'

/** What is left to do: something that a page asks for, a confirmation by link or by mail, or the bank's own step. */
export type ActionFacts = PaymentFacts &
  (
    | { readonly wants: 'page'; readonly lacks: Lack | null; readonly link: string }
    /** `card`: what it is paid with; null: it is not known, or not told. */
    | { readonly wants: 'link'; readonly link: string; readonly card: PayingCard | null }
    | { readonly wants: 'word'; readonly mailTo: string; readonly link: string }
    | { readonly wants: 'bank'; readonly link: string }
  )

export interface ErrorFacts extends PaymentFacts {
  readonly code: FailureCode
  /** Where it can still be bought; null: nowhere. */
  readonly link: string | null
}

export interface ProofFacts {
  readonly head: MailLetterhead
  readonly title: string
  readonly link: string
  /** What the link is for: to use a card that is stored, or to confirm the address under which one was just saved. */
  readonly purpose: 'proof' | 'savedCard'
}

export function receiptMail(words: Words, facts: ReceiptFacts): WrittenMail {
  const { head, isReserved, at, card, transactionId } = facts
  const { receipt, number } = words.mail
  const merchant = named(head.merchant)
  const { heading, sentences } = isReserved ? words.payment.reserved(merchant) : receipt.paid(merchant)
  return writtenMail(words, head, {
    subject: (isReserved ? receipt.reservedSubject : receipt.subject)(isolated(merchant), amountOf(words, facts)),
    heading,
    sentences,
    facts: [
      ...paymentRows(words, facts, isReserved ? words.payment.reservedAmount : words.payment.amount),
      [words.payment.date, shownDate(at, words.locale)],
      ...cardRows(words, card),
      [number, transactionId],
    ],
    button: null,
    notes: [isReserved ? receipt.keepReserved : receipt.keep, receipt.notYou(merchant)],
  })
}

export function furtherActionMail(words: Words, facts: ActionFacts): WrittenMail {
  const { mail } = words
  const merchant = named(facts.head.merchant)
  const says = { page: mail.furtherAction, link: mail.confirm, word: mail.limit, bank: mail.bank }[facts.wants]
  const { heading, sentences } = asksOf(words, facts, merchant)
  const { notes, ...ways } = waysOf(words, facts)
  return writtenMail(words, facts.head, {
    subject: says.subject(isolated(merchant)),
    heading,
    sentences,
    facts: [
      ...paymentRows(words, facts, words.payment.amount),
      ...cardRows(words, facts.wants === 'link' ? facts.card : null),
    ],
    ...ways,
    notes: [mail.nothingYet, ...notes, facts.wants === 'link' ? mail.confirm.doNothing : mail.ignore],
  })
}

function asksOf({ mail }: Words, facts: ActionFacts, merchant: string): Said {
  if (facts.wants !== 'page')
    return { link: mail.confirm, word: mail.limit, bank: mail.bank }[facts.wants].asks(merchant)
  const { heading, someoneAsked, noCard, somethingAsked, how } = mail.furtherAction
  const asked = facts.lacks === null ? someoneAsked : { card: noCard, answer: somethingAsked }[facts.lacks]
  return { heading, sentences: [asked(merchant), how] }
}

interface Ways {
  readonly button: MailWay
  readonly notes: readonly string[]
  readonly otherWay?: OtherWay
}

function waysOf({ mail }: Words, facts: ActionFacts): Ways {
  const { furtherAction, confirm, limit, bank } = mail
  switch (facts.wants) {
    case 'page':
      return { button: { says: furtherAction.button, url: facts.link }, notes: [furtherAction.until] }
    case 'link':
      return { button: { says: confirm.button, url: facts.link }, notes: [furtherAction.until] }
    case 'word': {
      const otherWay = { says: limit.orPage, link: mail.payOnPage, url: facts.link }
      return { button: { says: limit.button, url: facts.mailTo }, notes: [], otherWay }
    }
    case 'bank':
      return { button: { says: bank.button, url: facts.link }, notes: [bank.until] }
  }
}

export function errorMail(words: Words, facts: ErrorFacts): WrittenMail {
  const { error, payOnPage } = words.mail
  const merchant = named(facts.head.merchant)
  const { heading, sentences } = error.asked(merchant)
  // Whom a merchant does not sell to is not sent to where it sells.
  const link = facts.code === 'pre_sale_stopped' ? null : facts.link
  return writtenMail(words, facts.head, {
    subject: error.subject(isolated(merchant)),
    heading,
    sentences: [...sentences, ...whyNot(words, facts.code, merchant, named(facts.title))],
    facts: paymentRows(words, facts, words.payment.amount),
    button: link === null ? null : { says: payOnPage, url: link },
    notes: [],
  })
}

/** To whoever somebody on a page says to be. */
export function proofMail(words: Words, { head, title, link, purpose }: ProofFacts): WrittenMail {
  const proof = words.mail[purpose]
  const merchant = named(head.merchant)
  return writtenMail(words, head, {
    subject: proof.subject(isolated(merchant)),
    heading: proof.heading,
    sentences: [proof.asks(merchant, named(title)), proof.how],
    facts: [],
    button: { says: proof.button, url: link },
    notes: [proof.until, proof.notYou],
  })
}

/** Each says that nothing was charged. */
function whyNot(words: Words, code: FailureCode, merchant: string, title: string): readonly (Html | string)[] {
  const { checkout, mail } = words
  const andNothing = ({ sentences }: Said) => [...sentences, mail.nothingYet]
  switch (code) {
    case 'offer_inactive':
      return checkout.inactive(merchant, title).sentences
    case 'offer_expired':
      return andNothing(checkout.expired(merchant, title))
    case 'offer_used_up':
      return andNothing(checkout.usedUp(merchant, title))
    case 'offer_for_another':
      return andNothing(checkout.forAnother)
    case 'gateway_inactive':
      return checkout.noWayToPay(merchant).sentences
    default:
      return [failureCodeSays(words, code, merchant).text]
  }
}

function paymentRows(words: Words, facts: PaymentFacts, amountName: string): [string, string][] {
  return [
    [words.payment.for, `${facts.quantity === 1 ? '' : `${facts.quantity} × `}${named(facts.title)}`],
    [words.mail.to, named(facts.head.merchant)],
    [amountName, amountOf(words, facts)],
  ]
}

function cardRows({ payment }: Words, card: PayingCard | null): [string, string][] {
  return card === null ? [] : [[payment.card, payment.cardEndingIn(brandNames[card.type], card.mask)]]
}

function amountOf({ locale }: Words, { amountMinor, currency }: PaymentFacts): string {
  return shownAmount(amountMinor, currency, locale)
}
