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
  /** Whether it says that its sender wants to pay; absent in what was kept before this was asked. */
  readonly consent?: ConsentVerdict
}

/** What must hold of an email's own words before it charges at once. */
export const consentRules = ['new_mail', 'own_sender', 'signed_subject', 'one_text', 'expected_words'] as const
export type ConsentRule = (typeof consentRules)[number]

export interface ConsentVerdict {
  readonly isGiven: boolean
  /** In order, each with whether it holds, and a sentence where it does not. */
  readonly rules: readonly { readonly rule: ConsentRule; readonly holds: boolean; readonly says: string | null }[]
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
  'date_within_48_hours',
  'signed_within_48_hours',
] as const
export type Rule = (typeof rules)[number]

/** A signature that is older proves nothing any more. */
export const signedWithinMs = 48 * 3_600_000

/** In verdicts that are still kept from before consent was judged apart. */
export const formerRules = ['own_words'] as const

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
  /** Only its merchant can have made what asks for it: a token for one customer or card. Anybody may know everything else. */
  readonly isPersonal: boolean
}

/** Kept, so that no copy of it charges anything once its token can pay again: its sender was told that nothing was charged. */
export const refusedAtOnce = 'Its token could not pay when it came, and it was refused.'

export interface Letter extends Wanted {
  readonly id: LetterId
  readonly receivedAt: Date
  readonly sender: string | null
  readonly isProven: boolean
  /** Its words say that its sender wants to pay; null: it came before this was asked. */
  readonly hasConsent: boolean | null
  /** Its token is for another customer than its sender. */
  readonly isForAnother: boolean
}

/** In the hand of one worker: what it commits names the number. */
export interface HeldLetter extends Letter {
  readonly holder: WorkerId
  readonly leaseNo: number
}

/** What the customer is told by mail. */
export const mailKinds = ['receipt', 'further_action', 'error'] as const
export type MailKind = (typeof mailKinds)[number]
