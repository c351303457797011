// Describes an inbound email: everything that later decisions need to know about its bytes. This is the one place where the
// content of a message is parsed. It is a pure function of bytes, and its result is plain data that can be copied between threads,
// because parsing a hostile megabyte takes time that payments must not wait for (mail-threads.ts).
//
// To add a fact about a message, compute it here, from the header fields or from the body that was read, and keep it small.

import { createHash } from 'node:crypto'
import { decodeWords } from 'postal-mime'
import { readMailboxes } from './addresses.ts'
import { whyAutomatic } from './automatic.ts'
import { ourMailIn } from './came-back.ts'
import { type ConsentFacts, readConsentFacts } from './consent.ts'
import { type Field, type Header, readHeader, valuesOf } from './header.ts'
import { readLanguage } from './language.ts'
import { hasStrayBytes, hasTooManyLines, withCrlf } from './lines.ts'
import { hasTooManyParts, unknownCharset } from './mime-parts.ts'
import type { Envelope } from './ports.ts'
import { type BodyRead, readBody, tokensIn } from './read-body.ts'
import { type Recipient, readRecipient } from './recipient.ts'
import { relaxed } from './relaxed.ts'

/** A message that can be read. */
export type MailDescription =
  | { readonly kind: 'automatic'; readonly why: string }
  /** For an address that nobody reads. `cameBack`: the Message-ID of an email of ours that it returns. */
  | { readonly kind: 'office'; readonly cameBack: string | null }
  | { readonly kind: 'unknown recipient' }
  | DescribedMail

/** A message that may ask for a payment. */
export interface DescribedMail {
  readonly kind: 'payment'
  readonly recipient: PaymentRecipient
  /** Header fields in order; at most 64 KiB together. */
  readonly fields: readonly Field[]
  /** Null: the parts of the body cannot be read. */
  readonly body: BodyRead | null
  readonly tokensInSubject: readonly string[]
  readonly consent: ConsentFacts
  /** A charset of the message that nobody knows; null: all are known. */
  readonly unknownCharset: string | null
  readonly language: string
  readonly messageId: string | null
  /** SHA-256 values that recognise the same message when it arrives again: one if its sender is proven, another if not. */
  readonly keys: { readonly proven: Uint8Array; readonly notProven: Uint8Array }
}

export type PaymentRecipient = Exclude<Recipient, { kind: 'office' }>

/** Null: it cannot be read, or has more lines, parts or header fields than anybody who pays would send. */
export async function describeMail(
  given: Buffer,
  envelope: Pick<Envelope, 'mailFrom' | 'rcptTo'>,
  mailDomain: string,
): Promise<MailDescription | null> {
  if (hasTooManyLines(given) || hasStrayBytes(given)) return null
  const raw = withCrlf(given)
  const header = hasTooManyParts(raw) ? null : readHeader(raw)
  if (header === null) return null
  const recipient = recipientOf(envelope, header, mailDomain)
  if (recipient?.kind === 'office')
    return { kind: 'office', cameBack: ourMailIn(raw.toString('latin1', header.end), mailDomain) }
  const why = whyAutomatic(envelope, header.fields, mailDomain)
  if (why !== null) return { kind: 'automatic', why }
  return recipient === null ? { kind: 'unknown recipient' } : describePayment(raw, header, recipient)
}

async function describePayment(raw: Buffer, header: Header, recipient: PaymentRecipient): Promise<DescribedMail> {
  const { fields } = header
  const read = relaxed(raw, header)
  const messageId = valuesOf(fields, 'message-id')[0] || null
  return {
    kind: 'payment',
    recipient,
    fields,
    body: await readBody(read),
    tokensInSubject: valuesOf(fields, 'subject').flatMap(subject => [...tokensIn(decodeWords(subject))]),
    consent: readConsentFacts(fields, read.mail.toString('latin1', read.bodyStart)),
    unknownCharset: unknownCharset(read.mail),
    language: readLanguage(fields),
    messageId,
    keys: keysOf(fields, messageId, raw),
  }
}

/** By the header where the envelope names nobody: then it must name one address of ours. */
function recipientOf({ rcptTo }: Pick<Envelope, 'rcptTo'>, { fields }: Header, mailDomain: string): Recipient | null {
  if (rcptTo !== null) return readRecipient(rcptTo, mailDomain)
  const named = [...valuesOf(fields, 'to'), ...valuesOf(fields, 'cc')].flatMap(value => readMailboxes(value) ?? [])
  const ours = named.map(({ address }) => readRecipient(address, mailDomain)).filter(recipient => recipient !== null)
  return ours.length === 1 ? (ours[0] ?? null) : null
}

/**
 * By what it is called and by whom it says to be; without a name of its own, a message is known by its bytes. What proves nothing
 * takes no name from what does: anybody may bring a broken copy first.
 */
function keysOf(fields: readonly Field[], messageId: string | null, raw: Buffer): DescribedMail['keys'] {
  const [sender] = readMailboxes(valuesOf(fields, 'from')[0] ?? '') ?? []
  const name = messageId === null ? raw : `${messageId}\0${sender?.address ?? ''}`
  const keyOf = (proof: string) => createHash('sha256').update(proof).update(name).digest()
  return { proven: keyOf('proven'), notProven: keyOf('not proven') }
}
