// A letter as an operator or a merchant sees it: what was found out about its sender, what came of it, and what the customer
// was told.

import type { LetterId, OfferId, OutgoingMailId, TransactionId } from './ids.ts'
import type { ConsentVerdict, MailKind, Verdict } from './letter.ts'
import type { Page } from './lists.ts'
import type { Json } from './offer.ts'
import { isoTime } from './sale.ts'

export interface ShownLetter {
  readonly id: LetterId
  readonly receivedAt: Date
  readonly offerId: OfferId
  /** Null: there is not exactly one, or its customer was erased. */
  readonly sender: string | null
  readonly isProven: boolean
  readonly state: 'waiting' | 'done'
  /** Null: it waits, or came to nothing, and then why. */
  readonly transactionId: TransactionId | null
  readonly closedBecause: string | null
  /** Null: its customer was erased. */
  readonly verdict: Verdict | null
  /** Oldest first. */
  readonly mails: readonly ShownMail[]
}

export const mailStates = ['waiting', 'sent', 'dropped', 'skipped'] as const

export interface ShownMail {
  readonly id: OutgoingMailId
  readonly kind: MailKind
  readonly state: (typeof mailStates)[number]
  readonly attempts: number
  readonly createdAt: Date
  /** Why it was not sent, or not yet. */
  readonly cause: string | null
}

export interface LetterFilter extends Page<LetterId> {
  readonly transaction: TransactionId | null
  /** Whom they are from, in small letters. */
  readonly email: string | null
  readonly proven: boolean | null
}

/** As JSON names things. */
export function verdictView(verdict: Verdict): { [name: string]: Json } {
  const { sender, isProven, isAligned, rules, spf, dmarc, signatures, consent } = verdict
  return {
    sender,
    proven: isProven,
    aligned: isAligned,
    rules: rules.map(({ rule, holds, says }) => ({ rule, holds, why: says })),
    spf,
    dmarc,
    consent: consent === undefined ? null : consentView(consent),
    signatures: signatures.map(({ domain, selector, result, isAligned: aligned, comment }) => ({
      ...{ domain, selector, result, aligned, comment },
    })),
  }
}

function consentView({ isGiven, rules }: ConsentVerdict): { [name: string]: Json } {
  return { given: isGiven, rules: rules.map(({ rule, holds, says }) => ({ rule, holds, why: says })) }
}

export function letterView(letter: ShownLetter): { [name: string]: Json } {
  const { id, receivedAt, offerId, sender, isProven, state, transactionId, closedBecause, verdict, mails } = letter
  return {
    id,
    received_at: isoTime(receivedAt),
    offer: offerId,
    from: sender,
    proven: isProven,
    state,
    transaction: transactionId,
    closed_because: closedBecause,
    verdict: verdict === null ? null : verdictView(verdict),
    mails: mails.map(mailView),
  }
}

function mailView({ kind, state, attempts, createdAt, cause }: ShownMail): { [name: string]: Json } {
  return { kind, state, attempts, created_at: isoTime(createdAt), cause }
}
