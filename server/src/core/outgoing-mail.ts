// outgoing mail: what a customer is told by mail of a transaction that a letter made. It is owed by the commit that changed
// the transaction; what it says is written when it is sent.

import type { LetterId, MerchantId, OutgoingMailId, TransactionId, WorkerId } from './ids.ts'
import type { MailKind } from './letter.ts'

export interface OutgoingMail {
  readonly merchantId: MerchantId
  readonly id: OutgoingMailId
  readonly letterId: LetterId
  readonly transactionId: TransactionId
  readonly kind: MailKind
  readonly createdAt: Date
}

/** In the hand of one worker: how it ended is written under this number alone. */
export interface HeldMail extends OutgoingMail {
  /** With the one that this claim is for. */
  readonly attempts: number
  /** The attempt before came to no end: its process died, and nobody knows how far it was. */
  readonly followsLost: boolean
  readonly holder: WorkerId
  readonly leaseNo: number
}

/** What a further action is: something that a page asks for, a confirmation by link or by mail, or the bank's own step. */
export type Asked = 'page' | 'link' | 'word' | 'bank'

/** One goes out in an hour of each kind and name. */
export interface MailBound {
  readonly kind: Exclude<MailKind, 'receipt'>
  readonly name: string
}

/**
 * What bounds a mail; null: it goes each time. Who proved to have written gets
 * an answer to each: the bound is for those in whose name somebody else may have written. A receipt goes for each payment.
 */
export function boundOf(
  { kind, transactionId }: Pick<OutgoingMail, 'kind' | 'transactionId'>,
  to: { readonly address: string; readonly isProven: boolean; readonly asked: Asked },
): MailBound | null {
  if (kind === 'receipt' || to.isProven) return null
  if (kind === 'error') return { kind, name: to.address }
  // The bank asks about a payment that somebody went on with, on a page.
  return { kind, name: `${to.asked} ${to.asked === 'bank' ? transactionId : to.address}` }
}

export type MailEnd =
  | { readonly state: 'sent' }
  /** Not yet, and tried again then. */
  | { readonly state: 'waiting'; readonly dueAt: Date; readonly cause: string }
  /** It was tried for long enough, or refused for good. */
  | { readonly state: 'dropped'; readonly cause: string }
  /** Nobody needs it any more, or nobody may get it. */
  | { readonly state: 'skipped'; readonly cause: string }

const minuteMs = 60_000
const hourMs = 3_600_000

/** How long after an attempt that came to nothing the next one is made. After the last nobody waits for it any more. */
export const mailGapsMs = [
  1 * minuteMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  6 * hourMs,
  12 * hourMs,
  24 * hourMs,
] as const
const keptMaxMs = 48 * hourMs

/** What becomes of one that the relay did not take now. */
export function afterFailure(mail: Pick<HeldMail, 'attempts' | 'createdAt'>, now: Date, cause: string): MailEnd {
  const gapMs = mailGapsMs[mail.attempts - 1] ?? null
  if (gapMs === null) return { state: 'dropped', cause }
  const dueAt = new Date(now.getTime() + gapMs)
  const isTooLate = dueAt.getTime() - mail.createdAt.getTime() > keptMaxMs
  return isTooLate ? { state: 'dropped', cause } : { state: 'waiting', dueAt, cause }
}
