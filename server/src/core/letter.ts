// letter: a mail that asks to pay. It is authenticated before it is taken, committed before its sender is told so, and then
// paid by whoever holds it. Only a letter whose sender is proven can charge anything.

import type { CardToken, LetterId, MerchantId, OfferId, TransactionId, WorkerId } from './ids.ts'

/** What was found out about a mail, rule by rule: stored with the letter, and shown as it is. */
export interface Verdict {
  /** The one address in From, in lower case; null: there is not exactly one. */
  readonly sender: string | null
  /** Whether the sender is believed: every rule of `rules` holds. */
  readonly isProven: boolean
  /** Whether SPF or DKIM is aligned with the sender: nobody else's mailbox gets an answer. */
  readonly isAligned: boolean
  /** The rules in order, each with whether it holds, and a sentence where it does not. */
  readonly rules: readonly RuleVerdict[]
  /** What SPF, DKIM and DMARC came to, in the words of their RFCs. */
  readonly spf: string
  readonly dmarc: string
  readonly signatures: readonly SignatureVerdict[]
}

export interface RuleVerdict {
  readonly rule: Rule
  readonly holds: boolean
  readonly says: string | null
}

/** Every rule that a sender is believed by. */
export const rules = [
  'one_of_each_header',
  'one_from',
  'aligned_signature',
  'whole_body_signed',
  'headers_signed',
  'to_payment_address',
  'known_charset',
  'own_words',
  'date_within_48_hours',
  'signed_within_48_hours',
] as const
export type Rule = (typeof rules)[number]

export interface SignatureVerdict {
  readonly domain: string
  readonly selector: string
  readonly result: string
  readonly isAligned: boolean
  readonly comment: string | null
}

/** What a letter asks for. */
export interface Wanted {
  readonly merchantId: MerchantId
  readonly offerId: OfferId
  /** SHA-256 of its token's box, in hex; null: it was sent to the offer's own address. */
  readonly tokenSha256: string | null
  /** The transaction that the token lets go on. */
  readonly verifies: TransactionId | null
  /** The only card that the token may charge. */
  readonly onlyCard: CardToken | null
}

export interface Letter extends Wanted {
  readonly id: LetterId
  readonly receivedAt: Date
  readonly sender: string | null
  readonly isProven: boolean
}

/** In the hand of one worker: what it commits names the number. */
export interface HeldLetter extends Letter {
  readonly holder: WorkerId
  readonly leaseNo: number
}

/** What the customer is told by mail. */
export const mailKinds = ['receipt', 'further_action', 'error'] as const
export type MailKind = (typeof mailKinds)[number]
