// For the tests of mail coming in: senders with real keys in a real DNS, and what becomes of their mails.

import assert from 'node:assert/strict'
import type { Rule } from '../../src/core/letter.ts'
import type { Envelope, Taken } from '../../src/mail/in/ports.ts'
import { createMailResolver } from '../../src/mail/in/resolver.ts'
import { takeIn } from '../../src/mail/in/take-in.ts'
import { startDns } from './dns-server.ts'
import { answersOf, domain, type MailParts, type Signing, sign, write } from './mailbox.ts'
import { payment, testIntake } from './test-intake.ts'

export const ada = 'ada@shop.test'
export const shop = domain('shop.test', { algorithm: 'rsa-sha256', dmarc: 'v=DMARC1; p=none; adkim=s' })
export const loose = domain('loose.test')
export const looseMail = domain('mail.loose.test', { dmarc: null })
export const noDmarc = domain('plain.test', { dmarc: null })
export const noDmarcMail = domain('mail.plain.test', { dmarc: null })
export const evil = domain('evil.test')
export const weak = domain('weak.test', { algorithm: 'rsa-sha256', rsaBits: 512 })
export const oldHash = domain('old.test', { algorithm: 'rsa-sha1' })
export const trial = domain('trial.test', { keyTags: 't=y' })
export const broken = domain('broken.test')
/** Names whose owners could be taken for that of plain.test, once Unicode's rules for browsers are applied to them. */
export const lookAlikes = [
  { shown: 'pl\u00adain.test', owned: domain('xn--plain-1ha.test') },
  { shown: 'pl\uff41in.test', owned: domain('xn--plin-1g0y.test') },
]
const domains = [
  ...lookAlikes.map(({ owned }) => owned),
  shop,
  loose,
  looseMail,
  noDmarc,
  noDmarcMail,
  evil,
  weak,
  oldHash,
  trial,
]

const answers = answersOf(...domains)
const dns = await startDns((type, name) => (name.endsWith('broken.test') ? 'fails' : answers(type, name)))
// The files that one process runs share this module, and so its server.
dns.unref()
export const { resolve } = createMailResolver({ dns: dns.address })

export const connection: Envelope = { mailFrom: ada, rcptTo: payment, clientAddress: '127.0.0.1', helo: 'client.test' }

export interface Sent extends MailParts, Signing {
  readonly as?: string
  readonly envelope?: Partial<Envelope>
  /** Of the whole mail, after it was signed. */
  readonly spoil?: (mail: string) => string
}

export async function mailOf({ as = ada, by = shop, spoil = mail => mail, ...parts }: Sent): Promise<Buffer> {
  const unsigned = write(as, { to: payment, ...parts })
  const mail = by === false ? unsigned : await sign(unsigned, { ...parts, by })
  return Buffer.from(spoil(mail.toString('latin1')), 'latin1')
}

export async function outcome(sent: Sent, intake = testIntake(resolve)): Promise<Taken> {
  const mail = await mailOf(sent)
  return takeIn(intake, { ...connection, mailFrom: sent.as ?? ada, ...sent.envelope }, mail)
}

export async function verdictOf(sent: Sent) {
  const taken = await outcome(sent)
  assert.ok(taken.kind === 'taken', JSON.stringify(taken))
  return taken.verdict
}

export const brokenRules = (sent: Sent) =>
  verdictOf(sent).then(({ rules }) => rules.filter(({ holds }) => !holds).map(({ rule }) => rule))

export async function notProven(sent: Sent, ...because: Rule[]) {
  const verdict = await verdictOf(sent)
  assert.equal(verdict.isProven, false)
  assert.deepEqual(
    verdict.rules.filter(({ holds }) => !holds).map(({ rule }) => rule),
    because,
  )
  for (const { holds, says } of verdict.rules) assert.equal(says === null, holds)
}
