// Takes a mail in: who sent it, what it asks, and committed before anybody is told so. The one function behind SMTP, HTTP and
// the command line.

import { createHash } from 'node:crypto'
import type { Wanted } from '../../core/letter.ts'
import { readMailboxes } from './addresses.ts'
import { authenticate } from './authenticate.ts'
import { whyAutomatic } from './automatic.ts'
import { ourMailIn } from './came-back.ts'
import { type Header, readHeader, valuesOf } from './header.ts'
import type { Evidence, Judgement } from './judge.ts'
import { readLanguage } from './language.ts'
import { hasMoreLines, hasStrayBytes, withCrlf } from './lines.ts'
import { hasTooManyParts, unknownCharset } from './mime-parts.ts'
import type { Envelope, InboundPorts, NewLetter, Taken } from './ports.ts'
import { readBody } from './read-body.ts'
import { noSuchAddress, type Recipient, readRecipient } from './recipient.ts'
import { type RelaxedMail, relaxed } from './relaxed.ts'
import { alone, type Turn, tooManyAtOnce } from './turns.ts'

type Refused = Extract<Taken, { kind: 'refused' }>

const refused = (enhanced: string, sentence: string): Refused => ({ kind: 'refused', enhanced, sentence })
const unknownAddress = refused('5.1.1', noSuchAddress)
// Customers read these in what their own mail server tells them.
const badToken = refused(
  '5.7.1',
  'Nothing was charged: the code in this mail is missing, does not work or was used. Ask whoever sent it to you for a new one.',
)
const severalTokens = refused(
  '5.7.1',
  'Nothing was charged: there is more than one code in this mail. Send one mail for each payment, or ask whoever sent you the codes.',
)
const unreadable = refused(
  '5.6.0',
  'Nothing was charged: this mail cannot be read. Send it as plain text, or ask whoever you want to pay.',
)
const tooMany: Taken = {
  kind: 'not_now',
  enhanced: '4.7.1',
  sentence: 'Too many mails of this kind. Try again later.',
}
const dnsTrouble: Taken = { kind: 'not_now', enhanced: '4.4.3', sentence: 'DNS does not say who sent this. Try again.' }

// Who reads a mail takes their time for each line, however short: a megabyte of line ends would keep them busy for half a minute.
const linesMax = 60_000

export async function takeIn(
  ports: InboundPorts,
  envelope: Envelope,
  given: Buffer,
  turn: Turn = alone,
): Promise<Taken> {
  if (hasStrayBytes(given)) return unreadable
  const raw = withCrlf(given)
  if (hasTooManyParts(raw) || hasMoreLines(raw, linesMax)) return unreadable
  const header = readHeader(raw)
  if (header === null) return unreadable
  const recipient = whoFor(envelope, header, ports.mailDomain)
  if (recipient?.kind === 'office') return droppedAtOffice(raw.toString('latin1', header.end), ports.mailDomain)
  const why = whyAutomatic(envelope, header.fields, ports.mailDomain)
  if (why !== null) return { kind: 'dropped', why }
  if (recipient === null) return unknownAddress
  const read = relaxed(raw, header)
  const asked = await whatItAsks(ports, recipient, { header, raw, read })
  if ('kind' in asked) return asked
  const { clientAddress } = envelope
  const letter = { envelope, raw, recipient: recipient.address, body: asked.body }
  const judged = await turn.outside(clientAddress, () =>
    authenticate(ports, { ...letter, unknownCharset: unknownCharset(read.mail) }),
  )
  if (judged === null) return tooManyAtOnce
  if (judged.value === null)
    return (await ports.mayBeUndecided(asked.wanted.merchantId, clientAddress)) ? dnsTrouble : tooMany
  const judgement = judged.value
  const { verdict } = judgement
  if (!(await ports.mayKeep(asked.wanted.merchantId, verdict, clientAddress))) return tooMany
  const { id, known } = await ports.keep(letterOf(asked.wanted, judgement, header, raw))
  return { kind: 'taken', id, known, verdict }
}

function droppedAtOffice(body: string, mailDomain: string): Taken {
  const cameBack = ourMailIn(body, mailDomain)
  return { kind: 'dropped', why: 'Nobody reads what comes to this address.', ...(cameBack !== null && { cameBack }) }
}

/** By the header where nobody said: then it must name one address of ours. */
function whoFor({ rcptTo }: Envelope, { fields }: Header, mailDomain: string): Recipient | null {
  if (rcptTo !== null) return readRecipient(rcptTo, mailDomain)
  const named = [...valuesOf(fields, 'to'), ...valuesOf(fields, 'cc')].flatMap(value => readMailboxes(value) ?? [])
  const ours = named.map(({ address }) => readRecipient(address, mailDomain)).filter(recipient => recipient !== null)
  return ours.length === 1 ? (ours[0] ?? null) : null
}

interface Asked {
  readonly wanted: Wanted
  readonly body: Evidence['body']
}

async function whatItAsks(
  ports: InboundPorts,
  recipient: Exclude<Recipient, { kind: 'office' }>,
  { header, raw, read }: { readonly header: Header; readonly raw: Buffer; readonly read: RelaxedMail },
): Promise<Asked | Refused | Extract<Taken, { kind: 'taken' }>> {
  if (recipient.kind === 'offer') {
    const wanted = await ports.findOffer(recipient.offerId)
    return wanted === null ? unknownAddress : { wanted, body: 'not read' }
  }
  const body = await readBody(read)
  if (body === null) return unreadable
  const [token, another] = body.tokens
  if (another !== undefined) return severalTokens
  const wanted = token === undefined ? null : await ports.openToken(token)
  if (wanted !== null) return { wanted, body: body.quotesOthers ? 'quotes others' : 'plain words' }
  // Whoever heard no 250 sends again, when the token may be used up by this very mail.
  const before = token === undefined ? null : await ports.keptBefore(token, nameOf(header, raw, true))
  return before === null ? badToken : { kind: 'taken', ...before, known: true }
}

/**
 * By what it is called and by whom it says to be; without a name of its own, a mail is known by its bytes. What proves nothing
 * takes no name from what does: anybody may bring a broken copy first.
 */
function nameOf({ fields }: Header, raw: Buffer, isProven: boolean): Buffer {
  const messageId = valuesOf(fields, 'message-id')[0] || null
  const [sender] = readMailboxes(valuesOf(fields, 'from')[0] ?? '') ?? []
  const name = messageId === null ? raw : `${messageId}\0${sender?.address ?? ''}`
  return createHash('sha256')
    .update(isProven ? 'proven' : 'not proven')
    .update(name)
    .digest()
}

function letterOf(wanted: Wanted, { verdict, provenBy }: Judgement, header: Header, raw: Buffer): NewLetter {
  const { fields } = header
  return {
    wanted,
    verdict,
    isAnswerable: verdict.isAligned && verdict.sender !== null,
    language: readLanguage(fields),
    messageId: valuesOf(fields, 'message-id')[0] || null,
    keys: [nameOf(header, raw, verdict.isProven), ...provenBy],
    raw,
  }
}
