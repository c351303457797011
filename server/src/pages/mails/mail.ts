// A mail as it is told: once, and then written as text and as HTML, so that both parts say the same.

import type { Look } from '../../core/look.ts'
import type { Html } from '../html.ts'
import type { Words } from '../words/words.ts'
import { htmlOf } from './as-html.ts'
import { textOf } from './as-text.ts'
import { named } from './named.ts'

/** On whose behalf it is sent, and how that one's mails look. */
export interface MailLetterhead {
  readonly merchant: string
  readonly colors: Pick<Look, 'buttonColor' | 'backgroundColor'>
  /** A whole https address; null: the name stands in its place. */
  readonly logoUrl: string | null
  readonly supportEmail: string | null
  readonly isSandbox: boolean
}

export interface MailWay {
  readonly says: string
  /** An address of ours, or a mailto link. */
  readonly url: string
}

/** `says` is a sentence before it. */
export interface OtherWay extends MailWay {
  /** What is pressed, where an address need not be seen. */
  readonly link: string
}

export interface ToldMail {
  readonly subject: string
  readonly heading: string
  readonly sentences: readonly (Html | string)[]
  /** Names and values, such as an amount. */
  readonly facts: readonly (readonly [string, string])[]
  /** The one thing to press; null: there is nothing to do. */
  readonly button: MailWay | null
  readonly notes: readonly (Html | string)[]
  /** Where the button does not suit. */
  readonly otherWay?: OtherWay
}

export interface WrittenMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export function writtenMail(words: Words, head: MailLetterhead, told: ToldMail): WrittenMail {
  const whose = { ...head, merchant: named(head.merchant) }
  return { subject: told.subject, text: textOf(words, whose, told), html: htmlOf(words, whose, told) }
}
