// The rules by which a sender is believed, each by itself. What a signature must have, one and the same signature must have.

import { getDomain } from 'tldts'
import { lowerCaseEmail } from '../../core/email.ts'
import {
  type Rule,
  type RuleVerdict,
  rules,
  type SignatureVerdict,
  signedWithinMs,
  type Verdict,
} from '../../core/letter.ts'
import { type Mailbox, readMailboxes, showsAnother } from './addresses.ts'
import { type Field, valuesOf } from './header.ts'
import { asciiDomain } from './policy-limits.ts'
import { readDate } from './written-at.ts'

/** What was found about one signature. */
export interface CheckedSignature {
  readonly domain: string
  readonly selector: string
  /** On whose behalf it was made (`i=`): a mailbox, or a domain alone with `@` before it. */
  readonly identity: string
  /** In the words of RFC 8601. */
  readonly result: string
  readonly comment: string | null
  /** By a DMARC record; null: there is none, or it was not found out. */
  readonly isAlignedByDmarc: boolean | null
  /** Its key says that its owner is only trying (`t=y`). */
  readonly isTrial: boolean
  readonly signsWholeBody: boolean
  /** Of the fields that it covers, in lower case. */
  readonly covers: ReadonlySet<string>
  readonly signedAt: Date | null
  readonly expiresAt: Date | null
  /** SHA-256 of its value. */
  readonly sha256: Uint8Array
}

/** What is judged: the fields as the signatures were checked on, and what those came to. */
export interface Evidence {
  readonly fields: readonly Field[]
  /** As whoever aligned the domains read them. */
  readonly fromAddresses: readonly string[]
  readonly signatures: readonly CheckedSignature[]
  readonly spf: string
  /** The domain for which SPF passed; null: for none. */
  readonly spfDomain: string | null
  readonly isSpfAlignedByDmarc: boolean | null
  readonly dmarc: string
  /** To whom it was sent, in lower case. */
  readonly recipient: string
  readonly mailDomain: string
  /** Whether words in the body say what is paid, and how they can be read. */
  readonly body: 'not read' | 'plain words' | 'quotes others'
  /** A charset of the mail that nobody knows; null: all are known. */
  readonly unknownCharset: string | null
  readonly now: Date
}

export interface Judgement {
  readonly verdict: Verdict
  /** Of every signature that proves it. */
  readonly provenBy: readonly Uint8Array[]
  /** By one of them. */
  readonly isSubjectSigned: boolean
  /** One of them covers, where they are there or not, the fields that say how the body is to be read. */
  readonly isReadingSigned: boolean
  /** A signature of the sender's domain says that another of its users sent it. */
  readonly isSignedForAnother: boolean
}

type Finding = string | null

const once = ['from', 'to', 'cc', 'date', 'message-id'] as const
const howToRead = ['content-type', 'content-transfer-encoding', 'mime-version'] as const
const clockDifferenceMs = 5 * 60_000

export function judge(evidence: Evidence): Judgement {
  const { signatures, spf, dmarc } = evidence
  const from = oneFrom(evidence)
  const sender = typeof from === 'string' ? null : from.address
  const ofMail: [Rule, Finding][] = [
    ['one_of_each_header', oneOfEach(evidence)],
    ['one_from', typeof from === 'string' ? from : null],
    ['to_payment_address', toPaymentAddress(evidence)],
    ['known_charset', charsetFinding(evidence)],
    ['date_within_48_hours', dateFinding(evidence)],
  ]
  const bySignature = signatures.map(signature => signatureFindings(evidence, sender, signature))
  const best = bySignature.toSorted((one, other) => held(other) - held(one))[0] ?? unsigned
  const judged = inOrder([...ofMail, ...best])
  const isProven = judged.every(({ holds }) => holds)
  const verdict: Verdict = {
    sender,
    isProven,
    isAligned: sender !== null && isAligned(evidence, sender),
    rules: judged,
    spf,
    dmarc,
    signatures: signatures.map(signature => shown(signature, sender)),
  }
  const proving = isProven
    ? signatures.filter((_, place) => bySignature[place]?.every(([, finding]) => finding === null))
    : []
  const isSubjectSigned = proving.some(({ covers }) => covers.has('subject'))
  // Of several parts each says how it is encoded, and its fields belong to the body.
  const hasParts = valuesOf(evidence.fields, 'content-type').some(type => /^multipart\//i.test(type))
  const isReadingSigned = proving.some(
    ({ covers }) => covers.has('content-type') && (hasParts || covers.has('content-transfer-encoding')),
  )
  const isSignedForAnother = signatures.some(signature => namesAnother(signature, sender))
  const provenBy = proving.map(({ sha256 }) => sha256)
  return { verdict, provenBy, isSubjectSigned, isReadingSigned, isSignedForAnother }
}

/** Of one that holds, DKIM itself sees to it that the domain is that of the signer, or stands under it. */
function namesAnother(signature: CheckedSignature, sender: string | null): boolean {
  const { result, identity } = signature
  if (sender === null || result !== 'pass' || !isSignedBy(signature, sender) || identity.startsWith('@')) return false
  const [user, own] = [lowerCaseEmail(identity), sender].map(address => address.slice(0, address.lastIndexOf('@')))
  return user !== own || !isSameDomain(domainOf(identity), domainOf(sender))
}

function inOrder(findings: readonly [Rule, Finding][]): RuleVerdict[] {
  const said = new Map(findings)
  return rules.map(rule => ({ rule, holds: said.get(rule) === null, says: said.get(rule) ?? null }))
}

const held = (findings: readonly [Rule, Finding][]) => {
  const isValid = findings.some(([rule, finding]) => rule === 'aligned_signature' && finding === null)
  return findings.filter(([, finding]) => finding === null).length + (isValid ? findings.length : 0)
}

const noSignature = 'No signature holds.'
const unsigned: [Rule, Finding][] = [
  ['aligned_signature', 'The mail is not signed.'],
  ['whole_body_signed', noSignature],
  ['headers_signed', noSignature],
  ['signed_within_48_hours', noSignature],
]

function oneOfEach({ fields, body }: Evidence): Finding {
  const names = body === 'not read' ? once : [...once, ...howToRead]
  const several = names.filter(name => valuesOf(fields, name).length > 1)
  if (several.length > 0) return `There is more than one of: ${several.join(', ')}.`
  const isThere = (name: string) => valuesOf(fields, name).some(value => value !== '')
  const missing = ['from', 'date', 'message-id'].filter(name => !isThere(name))
  if (!isThere('to') && !isThere('cc')) missing.push('to')
  return missing.length > 0 ? `It has no ${missing.join(', ')}.` : null
}

/** The mailbox, or why there is not exactly one. */
function oneFrom({ fields, fromAddresses }: Evidence): Mailbox | string {
  const [from, second] = valuesOf(fields, 'from')
  if (from === undefined || second !== undefined) return 'There is not exactly one From.'
  const mailboxes = readMailboxes(from)
  if (mailboxes === null) return 'From is not one plain address.'
  const [mailbox, another] = mailboxes
  if (mailbox === undefined || another !== undefined) return 'There is not exactly one address in From.'
  if (showsAnother(mailbox)) return 'The name in From shows another address.'
  const isReadTheSame = fromAddresses.length === 1 && lowerCaseEmail(fromAddresses[0] ?? '') === mailbox.address
  return isReadTheSame ? mailbox : 'From can be read in more than one way.'
}

function toPaymentAddress(evidence: Evidence): Finding {
  const { recipient, mailDomain } = evidence
  const [to, cc] = [mailboxesIn(evidence, 'to'), mailboxesIn(evidence, 'cc')]
  if (to === null || cc === null) return 'To or Cc is not a list of plain addresses.'
  if (!isAlone(to, recipient) && !isAlone(cc, recipient)) return 'It was not sent to the payment address alone.'
  const ours = [...to, ...cc].filter(({ address }) => address.endsWith(`@${mailDomain.toLowerCase()}`))
  return ours.length === 1 ? null : 'It names more than one address of this service.'
}

function mailboxesIn({ fields }: Evidence, name: 'to' | 'cc'): Mailbox[] | null {
  const [value = ''] = valuesOf(fields, name)
  return value === '' ? [] : readMailboxes(value)
}

const isAlone = (mailboxes: readonly Mailbox[] | null, recipient: string) =>
  mailboxes?.length === 1 && mailboxes[0]?.address === recipient

/** What was written cannot be shown to anybody who asks later what was agreed to. */
function charsetFinding({ unknownCharset }: Evidence): Finding {
  return unknownCharset === null ? null : 'A part of it is in a charset that nobody knows.'
}

function dateFinding({ fields, now }: Evidence): Finding {
  const date = readDate(valuesOf(fields, 'date')[0] ?? '')
  if (date === null) return 'Its date cannot be read.'
  return Math.abs(date.getTime() - now.getTime()) <= signedWithinMs ? null : 'Its date is not within 48 hours.'
}

function signatureFindings(evidence: Evidence, sender: string | null, signature: CheckedSignature): [Rule, Finding][] {
  return [
    ['aligned_signature', validFinding(evidence, sender, signature)],
    ['whole_body_signed', signature.signsWholeBody ? null : 'The signature leaves a part of the body open.'],
    ['headers_signed', coverFinding(evidence, signature)],
    ['signed_within_48_hours', timeFinding(evidence, signature)],
  ]
}

function validFinding({ now }: Evidence, sender: string | null, signature: CheckedSignature): Finding {
  const { result, comment, isTrial, expiresAt } = signature
  if (result !== 'pass') return `The signature does not hold: ${comment ?? result}.`
  if (expiresAt !== null && expiresAt < now) return 'The signature has expired.'
  if (isTrial) return 'The signature is only a trial, says its owner.'
  return isSignedBy(signature, sender) ? null : 'The signature is not of the sender’s domain.'
}

/** Without a word of DMARC, only the very same domain is aligned: in no mode is it not. */
function isSignedBy({ domain, isAlignedByDmarc }: CheckedSignature, sender: string | null): boolean {
  if (sender === null) return false
  const own = domainOf(sender)
  return isAlignedByDmarc === null ? isSameDomain(domain, own) : isAlignedByDmarc && isSameOwner(domain, own)
}

/**
 * Where a registry publishes a record of DMARC and does not say that it is one, DMARC takes all who are registered there for one.
 * The list of public suffixes knows better; also of most of those who let strangers have names under their own. It does not know
 * all of them: so of two names, one must stand under the other.
 */
function isSameOwner(one: string, other: string): boolean {
  const [name, another] = [asciiDomain(one), asciiDomain(other)]
  if (name === '' || another === '') return false
  if (name === another) return true
  const isInLine = name.endsWith(`.${another}`) || another.endsWith(`.${name}`)
  const [owner, others] = [name, another].map(each => getDomain(each, { allowPrivateDomains: true }))
  return isInLine && typeof owner === 'string' && owner === others
}

function coverFinding(evidence: Evidence, { covers }: CheckedSignature): Finding {
  const { fields, recipient, body } = evidence
  const needed = ['from', 'date', 'message-id', ...(valuesOf(fields, 'to').length > 0 ? ['to'] : [])]
  if (isAlone(mailboxesIn(evidence, 'cc'), recipient)) needed.push('cc')
  const open = needed.filter(name => !covers.has(name))
  if (open.length > 0) return `The signature does not cover ${open.join(', ')}.`
  // Many signers leave these open, and who changes them changes which words are the sender's own and which are quoted. Where
  // nothing is quoted, whether its sender saw the words is judged with the consent.
  const isReadingOpen = howToRead.some(name => valuesOf(fields, name).length > 0 && !covers.has(name))
  return body === 'quotes others' && isReadingOpen
    ? 'The mail quotes others, and the signature leaves open how it is to be read.'
    : null
}

function timeFinding({ now }: Evidence, { signedAt }: CheckedSignature): Finding {
  if (signedAt === null) return 'The signature does not say when it was made.'
  const ageMs = now.getTime() - signedAt.getTime()
  if (ageMs < -clockDifferenceMs) return 'The signature is from the future.'
  return ageMs <= signedWithinMs ? null : 'The signature is older than 48 hours.'
}

function isAligned({ signatures, spfDomain, isSpfAlignedByDmarc }: Evidence, sender: string): boolean {
  if (signatures.some(signature => signature.result === 'pass' && isSignedBy(signature, sender))) return true
  if (spfDomain === null) return false
  const own = domainOf(sender)
  return isSpfAlignedByDmarc === null
    ? isSameDomain(spfDomain, own)
    : isSpfAlignedByDmarc && isSameOwner(spfDomain, own)
}

function shown(signature: CheckedSignature, sender: string | null): SignatureVerdict {
  const { domain, selector, result, comment } = signature
  return { domain, selector, result, isAligned: isSignedBy(signature, sender), comment }
}

const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1)

function isSameDomain(one: string, other: string): boolean {
  const ascii = asciiDomain(one)
  return ascii !== '' && ascii === asciiDomain(other)
}
