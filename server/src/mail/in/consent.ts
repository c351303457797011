// Whether an email says that its sender wants to pay: it answers and forwards nothing, its Subject is signed, and its own
// words are exactly those that a payment link fills in. Who sent it is judged elsewhere. Anything less is confirmed by a link.

import { decodeWords } from 'postal-mime'
import { type ConsentRule, type ConsentVerdict, consentRules } from '../../core/letter.ts'
import { readMailboxes } from './addresses.ts'
import { withoutDeviceSignature } from './device-signatures.ts'
import { type Field, valuesOf } from './header.ts'
import { htmlWords } from './html-words.ts'
import { isReplySubject } from './reply-subject.ts'
import { readTextParts, type Texts } from './text-parts.ts'

/** What a message says, as far as consent depends on it. Small and plain, because it is read in another thread. */
export interface ConsentFacts {
  readonly isReply: boolean
  /** Its Sender is not its From: its provider says that somebody else sent it. */
  readonly isSentByAnother: boolean
  readonly subjects: number
  /** Each text part above its signature, as its sender saw it. Null: they cannot be read for sure. */
  readonly texts: readonly string[] | null
  /** The same as they stand in the body, for who decodes nothing. Null: there they are encoded, or there is more than they. */
  readonly written: readonly string[] | null
}

export interface ConsentEvidence extends ConsentFacts {
  /** What says what is paid; null: the address does. */
  readonly token: string | null
  /** By a signature that proves the sender. */
  readonly isSubjectSigned: boolean
  /** Such a signature covers how the words are to be read: whoever passes the email on cannot change that. */
  readonly isReadingSigned: boolean
  /** Such a signature, or another that holds, is for another user of the sender's domain. */
  readonly isSignedForAnother: boolean
  /** What such an email may say. */
  readonly expected: readonly string[]
}

/** A payment link fills in a few hundred characters. */
const bodyCharsMax = 64 * 1024

/** `body` is text of bytes, with lines that end with CRLF. */
export function readConsentFacts(fields: readonly Field[], body: string): ConsentFacts {
  const subjects = valuesOf(fields, 'subject')
  const isAnswer = ['in-reply-to', 'references'].some(name => valuesOf(fields, name).length > 0)
  const isTitledSo = subjects.some(subject => isReplySubject(decodeWords(subject)))
  return {
    isReply: isAnswer || isTitledSo,
    isSentByAnother: valuesOf(fields, 'sender').some(
      sender => !isSameMailbox(sender, valuesOf(fields, 'from')[0] ?? ''),
    ),
    subjects: subjects.length,
    ...wordsIn(fields, body),
  }
}

function isSameMailbox(...[one, other]: [string, string]): boolean {
  const [address, from] = [one, other].map(text =>
    readMailboxes(text)
      ?.map(mailbox => mailbox.address)
      .join(','),
  )
  return address !== undefined && address === from
}

function wordsIn(fields: readonly Field[], body: string): Pick<ConsentFacts, 'texts' | 'written'> {
  const parts = body.length > bodyCharsMax ? null : readTextParts(fields, body)
  return { texts: textsOf(parts), written: textsOf(parts?.written ?? null) }
}

function textsOf(parts: Texts | null): string[] | null {
  if (parts === null) return null
  const texts = parts.html === null ? [parts.text] : [parts.text, htmlWords(parts.html).all]
  const above = texts.map(aboveSignature)
  return above.some(text => turnsAround.test(text) || hasTooManyMarks(text)) ? null : above
}

type Finding = string | null

export function judgeConsent(evidence: ConsentEvidence): ConsentVerdict {
  const { token, isReadingSigned } = evidence
  const texts = ownTexts(evidence.texts, token)
  const words = texts === null ? null : wordsOf(texts)
  // Whoever passes the email on may have changed how it is read: then what its sender saw is what stands there.
  const written = isReadingSigned ? texts : ownTexts(evidence.written, token)
  const isSaid = (sentence: string) => says(texts, sentence) && says(written ?? texts, sentence)
  const findings: { readonly [rule in ConsentRule]: Finding } = {
    new_mail: evidence.isReply ? 'It answers or forwards another mail.' : null,
    own_sender: senderFinding(evidence),
    signed_subject: subjectFinding(evidence),
    one_text: textFinding(evidence, { texts, words, written }),
    expected_words:
      words !== '' && evidence.expected.some(isSaid) ? null : 'Its words are not those of a payment link.',
  }
  const rules = consentRules.map(rule => ({ rule, holds: findings[rule] === null, says: findings[rule] }))
  return { isGiven: rules.every(({ holds }) => holds), rules }
}

function senderFinding({ isSentByAnother, isSignedForAnother }: ConsentEvidence): Finding {
  if (isSentByAnother) return 'Its Sender is not its From.'
  return isSignedForAnother ? 'Its signature is for another user than its From.' : null
}

function subjectFinding({ subjects, isSubjectSigned }: ConsentEvidence): Finding {
  if (subjects !== 1) return 'There is not exactly one Subject.'
  return isSubjectSigned ? null : 'The signature does not cover the Subject.'
}

interface OwnTexts {
  readonly texts: readonly string[] | null
  readonly words: string | null
  readonly written: readonly string[] | null
}

function textFinding(evidence: ConsentEvidence, { texts, words, written }: OwnTexts): Finding {
  if (texts === null && evidence.texts !== null) return 'Its token is not in each of its parts just once.'
  if (texts === null || words === null) return 'It is not plain text alone, or with an HTML part that says the same.'
  if (evidence.isReadingSigned) return null
  // Else its sender may have seen a row of letters and digits, which whoever passed the email on had decoded.
  const isSeen = written !== null && texts.every(isMostlyAscii)
  return isSeen
    ? null
    : 'The signature leaves open how it is to be read, and without that it does not say just its words.'
}

function says(texts: readonly string[] | null, sentence: string): boolean {
  if (texts === null || wordsOf(texts) !== withoutDeviceSignature(compact(sentence))) return false
  return texts.every(text => isSetLike(sentence, text))
}

/** Three letters of four. The others are those of a name, or the sign of a currency. */
function isMostlyAscii(text: string): boolean {
  const ascii = text.replace(/[\s\u0080-\u{10ffff}]+/gu, '').length
  return [...text.replace(/[\0-\x7f]+/g, '')].length * 3 <= ascii
}

/** Without the token. Null: they cannot be read for sure, or the token is not there just once. */
function ownTexts(texts: ConsentFacts['texts'], token: string | null): string[] | null {
  const own = texts?.map(text => (token === null ? text : withoutToken(text, token))) ?? [null]
  return own.every(text => text !== null) ? own : null
}

/** Without a device's signature. Null: parts that do not agree. */
function wordsOf(texts: readonly string[]): string | null {
  const [words = '', ...others] = texts.map(text => withoutDeviceSignature(compact(text)))
  return others.every(other => other === words) ? words : null
}

/** Mail programs break lines, and some put an empty one between two. */
const lineEndsMax = 12
const gapCharsMax = 200
const wrappedAfterChars = 20
/** Also of a device's signature. */
const gapsMore = 10

/**
 * White space does not count, but nobody reads words whose letters stand far apart, or an amount that begins on one line, or one screen,
 * and ends on another.
 */
function isSetLike(sentence: string, text: string): boolean {
  const gaps = (of: string) => visible(of).trim().match(/\s+/g) ?? []
  const found = gaps(text)
  const expected = gaps(sentence).length + compact(sentence).length / wrappedAfterChars + gapsMore
  const isWide = (gap: string) => gap.length > gapCharsMax || gap.split('\n').length - 1 > lineEndsMax
  const numbers = spaced(sentence)
    .split(' ')
    .filter(word => /\p{Nd}/u.test(word))
  return found.length <= expected && !found.some(isWide) && numbers.every(number => spaced(text).includes(number))
}

function aboveSignature(text: string): string {
  const lines = text.split(/\r?\n/)
  const end = lines.findIndex(line => /^-- ?$/.test(line))
  return (end < 0 ? lines : lines.slice(0, end)).join('\n')
}

/** What is shown in another order than it is written, such as an amount. */
const turnsAround = /[\u202a-\u202e\u2066-\u2069]/

/** Mail programs put marks between letters that nobody sees. Others of their kind are seen, such as the sign above Arabic numbers. */
const unseen = '\\u00ad\\u200b-\\u200f\\u2060-\\u2064\\ufeff'
const unseenMarks = new RegExp(`[${unseen}]+`, 'g')
const visible = (text: string) => text.replace(unseenMarks, '')

/** On one letter. No language needs as many, and putting them in order takes time with the square of their number. */
const hasTooManyMarks = (text: string) => /\p{M}{31}/u.test(text.replace(/\p{Cf}+/gu, ''))

function spaced(text: string): string {
  return visible(text).normalize('NFC').replace(/\s+/g, ' ')
}

/** And they break lines where they like. */
function compact(text: string): string {
  return spaced(text).replaceAll(' ', '')
}

const skipped = new RegExp(`[\\s${unseen}]`)

/** Null: it is not there, or several times. Mail programs break it over lines. */
function withoutToken(text: string, token: string): string | null {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const end = endOfToken(text, token, at)
    if (end === null) continue
    const after = text.slice(end)
    return compact(after).includes(token) ? null : `${text.slice(0, at)} ${after}`
  }
  return null
}

/** Where the token ends that begins there; null: another text does. It has an `@` at both ends and nowhere else, so that little is read twice. */
function endOfToken(text: string, token: string, from: number): number | null {
  let at = from
  for (const char of token) {
    while (at > from && at < text.length && skipped.test(text.charAt(at))) at += 1
    if (text.charAt(at) !== char) return null
    at += 1
  }
  return at
}
