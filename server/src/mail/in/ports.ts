// What taking mail in needs from the rest of the service, and what it hands over.

import type { MerchantId } from '../../core/ids.ts'
import type { Verdict, Wanted } from '../../core/letter.ts'
import type { MailReader } from './mail-reader.ts'

/** Of a whole mail. */
export const mailBytesMax = 1024 * 1024

/** What the connection said, and nobody's headers. */
export interface Envelope {
  /** The reverse-path in lower case; empty: the null sender of bounces. Null: nobody said. */
  readonly mailFrom: string | null
  /** The one recipient; null: nobody said, and the header is asked. */
  readonly rcptTo: string | null
  readonly clientAddress: string | null
  readonly helo: string | null
}

/** What a mail asks for, and of whom. */
export interface Asked extends Wanted {
  /** The only customer who may pay with its token; null: its offer says who may. */
  readonly onlyEmail: string | null
}

/** `isGood`: it can pay now. One that cannot may be able to later, such as when its payment was voided. */
export interface AskedByToken extends Asked {
  readonly isGood: boolean
}

/** A mail as it is committed. */
export interface NewLetter {
  readonly wanted: Wanted
  readonly verdict: Verdict
  readonly isForAnother: boolean
  /** It is aligned, and names a sender. */
  readonly isAnswerable: boolean
  /** Of the customer, as far as the mail says: `en` where it does not. */
  readonly language: string
  readonly messageId: string | null
  /** Its sender is told that nothing is charged, and no copy of it may charge later. */
  readonly isRefused: boolean
  /** SHA-256 each: of Message-ID and sender, and of every signature that proved it. */
  readonly keys: readonly Buffer[]
  /** What of it is kept: text of bytes, without card numbers and attachments. */
  readonly kept: string
}

/** What became of a mail, which SMTP, HTTP and the command line each say in their own way. */
export type Taken =
  /** `known`: the same mail was here before, and nothing is done again. */
  | { readonly kind: 'taken'; readonly id: string; readonly known: boolean; readonly verdict: Verdict }
  /** Automatic mail, or for nobody: never answered, never kept. `cameBack`: the Message-ID of a mail of ours that it returns. */
  | { readonly kind: 'dropped'; readonly why: string; readonly cameBack?: string }
  /**
   * For good. `enhanced` is the SMTP code of RFC 3463, such as `5.7.1`. `isTooCostly`: reading it was given up, which counts for
   * more than an ordinary refusal against the network that it came from.
   */
  | { readonly kind: 'refused'; readonly enhanced: string; readonly sentence: string; readonly isTooCostly?: true }
  /**
   * The same mail may be brought again. `isOverLimit`: there were too many of its kind, which counts like a refusal. `isUndecided`: DNS
   * does not say who sent it, which does so while DNS answers for others.
   */
  | {
      readonly kind: 'not_now'
      readonly enhanced: string
      readonly sentence: string
      readonly isOverLimit?: true
      readonly isUndecided?: true
    }

export interface KeptLetter {
  readonly id: string
  readonly isRefused: boolean
}

export interface InboundPorts {
  readonly mailDomain: string
  /** Reads messages, here or in another thread. */
  readonly reader: MailReader
  /** Of an offer's own payment address, by the offer's id as text; null: there is none, or its merchant takes no payments by mail. */
  findOffer(offerId: string): Promise<Asked | null>
  /** Of a token as it stands in a mail, with both `@`; null: it can never pay. */
  openToken(text: string): Promise<AskedByToken | null>
  /** What an email says that asks for this at once. */
  expectedSentences(wanted: Wanted): Promise<readonly string[]>
  /** A mail of this key that was kept with this token, which may have been used up by it; null: there was none. */
  keptBefore(token: string, key: Buffer): Promise<(KeptLetter & { readonly verdict: Verdict }) | null>
  /** Whether one more is taken: of mails that prove nothing, and of senders who were never here before, there are only so many. */
  mayKeep(merchantId: MerchantId, verdict: Verdict, clientAddress: string | null): Promise<boolean>
  /** Whether one more mail of this network may leave its sender undecided, because DNS does not answer. */
  mayBeUndecided(merchantId: MerchantId, clientAddress: string | null): Promise<boolean>
  /** Commits it, unless one of its keys is known. */
  keep(letter: NewLetter): Promise<KeptLetter & { readonly known: boolean }>
  /** May throw what node:dns throws: a name that does not exist, or a server that does not answer. */
  readonly resolve: (name: string, type: string) => Promise<string[][] | string[]>
  /** The machine's own clock, by which the world signs, whatever the sandbox moved ours to. */
  readonly now: () => Date
}
