// A mail as a customer's own mail program writes it, and as their provider signs it: for the sandbox, whose customers have
// neither.

import { type KeyObject, randomUUID } from 'node:crypto'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { sandboxMailDomain, sandboxSelector } from '../mail/in/sandbox-names.ts'

export interface Letter {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

export function writeLetter({ from, to, subject, text }: Letter, now: Date): Buffer {
  const lines = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${encodedWords(subject)}`,
    `Date: ${now.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${randomUUID()}@${sandboxMailDomain}>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(Buffer.from(`${text}\r\n`)
      .toString('base64')
      .match(/.{1,76}/g) ?? []),
    '',
  ]
  return Buffer.from(lines.join('\r\n'))
}

const wordBytesMax = 45

/** RFC 2047: words of at most 75 characters, cut between characters. */
function encodedWords(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  const words = ['']
  for (const character of text) {
    const last = words.at(-1) ?? ''
    if (Buffer.byteLength(last + character) > wordBytesMax) words.push(character)
    else words[words.length - 1] = last + character
  }
  return words.map(word => `=?utf-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ')
}

const signedFields = [
  ...['From', 'To', 'Subject', 'Date', 'Message-ID'],
  ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding'],
]

/** With the signature of example.com, as the sandbox's own DNS proves it. */
export async function signLetter(mail: Buffer, key: KeyObject): Promise<Buffer> {
  const options = {
    signingDomain: sandboxMailDomain,
    selector: sandboxSelector,
    privateKey: String(key.export({ type: 'pkcs8', format: 'pem' })),
    algorithm: 'ed25519-sha256',
    canonicalization: 'relaxed/relaxed',
    headerList: signedFields.join(':'),
  }
  const { signatures, errors } = await dkimSign(mail, { ...options, signTime: new Date(), signatureData: [options] })
  if (errors.length > 0 || signatures === '') throw new Error(`not signed: ${String(errors[0]?.err)}`)
  return Buffer.concat([Buffer.from(signatures), mail])
}
