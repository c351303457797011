// Takes a mail in: who sent it, what it asks, and committed before anybody is told so. The one function behind SMTP, HTTP and
// the command line.

import type { ConsentVerdict } from '../../core/letter.ts'
import { authenticate } from './authenticate.ts'
import type { DescribedMail, MailDescription } from './describe-mail.ts'
import type { Evidence, Judgement } from './judge.ts'
import { TooCostlyMailError } from './mail-reader.ts'
import type { Asked, Envelope, InboundPorts, NewLetter, Taken } from './ports.ts'
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
const otherOffer = refused(
  '5.7.1',
  'Nothing was charged: the code in this mail belongs to another offer than the address. Send a new mail for what you want to pay.',
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
const dnsTrouble: Taken = {
  kind: 'not_now',
  enhanced: '4.4.3',
  sentence: 'DNS does not say who sent this. Try again.',
  isUndecided: true,
}

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
  const consent = await consentIn(ports, asked, judgement, mail)
  const { id, known, isRefused } = await ports.keep(letterOf(asked, judgement, consent, mail, kept))
  return isRefused ? badToken : { kind: 'taken', id, known, verdict: { ...verdict, consent } }
}

async function consentIn(
  ports: InboundPorts,
  { wanted, token }: AskedByMail,
  { isSubjectSigned, isReadingSigned, isSignedForAnother }: Judgement,
  { consent }: DescribedMail,
): Promise<ConsentVerdict> {
  const expected = await ports.expectedSentences(wanted)
  const signed = { isSubjectSigned, isReadingSigned, isSignedForAnother }
  return ports.reader.judgeConsent({ ...consent, token, ...signed, expected })
}

interface AskedByMail {
  readonly wanted: Asked
  readonly body: Evidence['body']
  /** Null: the address says what is paid. */
  readonly token: string | null
  /** The token can pay now. */
  readonly isGood: boolean
}

async function whatItAsks(
  ports: InboundPorts,
  { recipient, body, tokensInSubject, keys }: DescribedMail,
): Promise<AskedByMail | Refused | Extract<Taken, { kind: 'taken' }>> {
  const offered = recipient.kind === 'offer' ? await ports.findOffer(recipient.offerId) : null
  if (recipient.kind === 'offer' && offered === null) return unknownAddress
  if (body === null && offered === null) return unreadable
  const own = body?.tokens ?? []
  const [token, another] = new Set([...own, ...tokensInSubject])
  if (another !== undefined) return severalTokens
  const opened = token === undefined ? null : await ports.openToken(token)
  if (offered !== null) {
    const isOther = opened !== null && opened.offerId !== offered.offerId
    return isOther ? otherOffer : { wanted: offered, body: 'not read', token: null, isGood: true }
  }
  // In the Subject alone it is in nobody's own words.
  if (token === undefined || own.length === 0) return badToken
  // Whoever heard no 250 sends again, when the token may be used up by this very mail.
  const before = opened?.isGood === true ? null : await ports.keptBefore(token, Buffer.from(keys.proven))
  if (before !== null && !before.isRefused)
    return { kind: 'taken', id: before.id, known: true, verdict: before.verdict }
  if (opened === null || before !== null) return badToken
  const { isGood, ...wanted } = opened
  return { wanted, body: body?.quotesOthers === false ? 'plain words' : 'quotes others', token, isGood }
}

function letterOf(
  { wanted: { onlyEmail, ...wanted }, isGood }: AskedByMail,
  { verdict, provenBy }: Judgement,
  consent: ConsentVerdict,
  { language, messageId, keys }: DescribedMail,
  kept: string,
): NewLetter {
  return {
    wanted,
    verdict: { ...verdict, consent },
    isForAnother: onlyEmail !== null && onlyEmail !== verdict.sender,
    isAnswerable: verdict.isAligned && verdict.sender !== null,
    language,
    messageId,
    isRefused: !isGood,
    keys: [Buffer.from(verdict.isProven ? keys.proven : keys.notProven), ...provenBy.map(each => Buffer.from(each))],
    kept,
  }
}
