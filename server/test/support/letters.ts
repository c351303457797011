// Mails that asked to pay, as they are kept when they were taken in; and what a customer who gets our answer finds in it.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { LetterId, MerchantId, OfferId } from '../../src/core/ids.ts'
import { uuidMaker } from '../../src/keys/new-ids.ts'
import { insertLetter } from '../../src/store/letters.ts'
import { type MailRelay, read } from './mail-relay.ts'
import type { TestService } from './service.ts'
import { until } from './until.ts'

const newUuid = uuidMaker(() => new Date())

export interface AskedByMail {
  readonly merchant: string
  readonly offer: string
  /** Null: it names none. */
  readonly sender: string | null
  readonly isProven: boolean
  /** In hex; left out: it was sent to the offer's own address. */
  readonly tokenSha256?: string
  /** Its words say that its sender wants to pay; false unless told. */
  readonly hasConsent?: boolean
}

/** The transaction that comes of it; throws where none does. */
export async function askByMail({ database: { sql } }: TestService, asked: AskedByMail): Promise<string> {
  const { merchant, offer, sender, isProven, tokenSha256 = null, hasConsent = false } = asked
  const id = newUuid() as LetterId
  const merchantId = merchant as MerchantId
  const isPersonal = tokenSha256 !== null
  const wanted = { merchantId, offerId: offer as OfferId, tokenSha256, verifies: null, onlyCard: null, isPersonal }
  const found = { isAligned: true, rules: [], spf: 'pass', dmarc: 'pass', signatures: [] }
  const facts = {
    sender,
    isProven,
    hasConsent,
    isForAnother: false,
    isAnswerable: true,
    language: 'en',
    messageId: null,
  }
  const verdict = { sender, isProven, ...found }
  const letter = {
    ...wanted,
    ...facts,
    id,
    receivedAt: new Date(),
    verdict,
    rawSealed: randomBytes(8),
    closedBecause: null,
  }
  assert.ok(await insertLetter(sql, letter, []))
  const letterNow = async () => {
    const [row] = await sql<{ state: string; transactionId: string | null; closedBecause: string | null }[]>`
      select state, transaction_id, closed_because from letter where id = ${id}`
    return row ?? assert.fail('no letter')
  }
  await until('the letter is read', async () => (await letterNow()).state === 'done')
  const { transactionId, closedBecause } = await letterNow()
  return transactionId ?? assert.fail(`It came to nothing: ${closedBecause}`)
}

/** Behind the button of the mail to this address. */
export async function linkMailedTo({ mails }: MailRelay, address: string): Promise<string> {
  const to = () => mails.find(mail => mail.to.includes(address))
  await until('the mail is there', async () => to() !== undefined)
  return /http\S+\?proof=[\w-]{43}/.exec(read(to() ?? assert.fail()).body)?.[0] ?? assert.fail('no link')
}
