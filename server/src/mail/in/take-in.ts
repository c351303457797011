// Takes a mail in: who sent it, what it asks, and committed before anybody is told so. The one function behind SMTP, HTTP and
// the command line.

import type { Wanted } from '../../core/letter.ts'
import { authenticate } from './authenticate.ts'
import type { DescribedMail, MailDescription } from './describe-mail.ts'
import type { Evidence, Judgement } from './judge.ts'
import { TooCostlyMailError } from './mail-reader.ts'
import type { Envelope, InboundPorts, NewLetter, Taken } from './ports.ts'
import type { BodyRead } from './read-body.ts'
import { noSuchAddress } from './recipient.ts'
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
// The same words: it is unreadable to us, and whoever sent it has nothing else to do about it.
const tooCostly: Taken = { ...unreadable, isTooCostly: true }
const tooMany: Taken = {
  kind: 'not_now',
  enhanced: '4.7.1',
  sentence: 'Too many mails of this kind. Try again later.',
  isOverLimit: true,
}
const dnsTrouble: Taken = { kind: 'not_now', enhanced: '4.4.3', sentence: 'DNS does not say who sent this. Try again.' }

export async function takeIn(ports: InboundPorts, envelope: Envelope, raw: Buffer, turn: Turn = alone): Promise<Taken> {
  try {
    const mail = await ports.reader.describe(raw, envelope, ports.mailDomain)
    if (mail?.kind === 'payment') return await takePayment(ports, envelope, { mail, raw }, turn)
    return mail === null ? unreadable : notForPayment(mail)
  } catch (error) {
    if (error instanceof TooCostlyMailError) return tooCostly
    throw error
  }
}

function notForPayment(mail: Exclude<MailDescription, DescribedMail>): Taken {
  if (mail.kind === 'unknown recipient') return unknownAddress
  if (mail.kind === 'automatic') return { kind: 'dropped', why: mail.why }
  const { cameBack } = mail
  return { kind: 'dropped', why: 'Nobody reads what comes to this address.', ...(cameBack !== null && { cameBack }) }
}

interface Received {
  readonly mail: DescribedMail
  readonly raw: Buffer
}

async function takePayment(ports: InboundPorts, envelope: Envelope, received: Received, turn: Turn): Promise<Taken> {
  const { mail, raw } = received
  const asked = await whatItAsks(ports, mail)
  if ('kind' in asked) return asked
  const { clientAddress } = envelope
  const { recipient, unknownCharset } = mail
  const letter = { envelope, raw, recipient: recipient.address, body: asked.body, unknownCharset }
  const judged = await turn.outside(clientAddress, () => authenticate(ports, letter))
  if (judged === null) return tooManyAtOnce
  if (judged.value === null)
    return (await ports.mayBeUndecided(asked.wanted.merchantId, clientAddress)) ? dnsTrouble : tooMany
  const judgement = judged.value
  const { verdict } = judgement
  if (!(await ports.mayKeep(asked.wanted.merchantId, verdict, clientAddress))) return tooMany
  const kept = await ports.reader.redact(raw)
  const { id, known } = await ports.keep(letterOf(asked.wanted, judgement, mail, kept))
  return { kind: 'taken', id, known, verdict }
}

interface Asked {
  readonly wanted: Wanted
  readonly body: Evidence['body']
}

async function whatItAsks(
  ports: InboundPorts,
  { recipient, body, keys }: DescribedMail,
): Promise<Asked | Refused | Extract<Taken, { kind: 'taken' }>> {
  if (recipient.kind === 'offer') {
    const wanted = await ports.findOffer(recipient.offerId)
    return wanted === null ? unknownAddress : { wanted, body: 'not read' }
  }
  if (body === null) return unreadable
  const [token, another] = body.tokens
  if (another !== undefined) return severalTokens
  const wanted = token === undefined ? null : await ports.openToken(token)
  if (wanted !== null) return { wanted, body: howRead(body) }
  // Whoever heard no 250 sends again, when the token may be used up by this very mail.
  const before = token === undefined ? null : await ports.keptBefore(token, Buffer.from(keys.proven))
  return before === null ? badToken : { kind: 'taken', ...before, known: true }
}

function howRead({ isCut, quotesOthers }: BodyRead): Evidence['body'] {
  if (isCut) return 'longer than is read'
  return quotesOthers ? 'quotes others' : 'plain words'
}

function letterOf(wanted: Wanted, { verdict, provenBy }: Judgement, mail: DescribedMail, kept: string): NewLetter {
  const { language, messageId, keys } = mail
  return {
    wanted,
    verdict,
    isAnswerable: verdict.isAligned && verdict.sender !== null,
    language,
    messageId,
    keys: [Buffer.from(verdict.isProven ? keys.proven : keys.notProven), ...provenBy],
    kept,
  }
}
