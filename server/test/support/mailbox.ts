// A customer's mailbox: writes mails, signed with a key that stands in the test's DNS, well or badly in every way there is.

import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign as signBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import type { DnsReply, RecordType } from './dns-server.ts'

export interface Domain {
  readonly name: string
  readonly selector: string
  readonly privateKey: string
  readonly algorithm: 'ed25519-sha256' | 'rsa-sha256' | 'rsa-sha1'
  /** By name and type, as `TXT example.org`. */
  readonly records: ReadonlyMap<string, readonly string[]>
}

export interface DomainManners {
  readonly selector?: string
  readonly algorithm?: Domain['algorithm']
  readonly rsaBits?: number
  /** Null: none. */
  readonly dmarc?: string | null
  readonly spf?: string | null
  /** Added to the key's record, such as `t=y`. */
  readonly keyTags?: string
}

export function domain(name: string, manners: DomainManners = {}): Domain {
  const { selector = 'post', algorithm = 'ed25519-sha256', rsaBits = 2048, keyTags } = manners
  const { dmarc = 'v=DMARC1; p=reject', spf = 'v=spf1 ip4:127.0.0.1 -all' } = manners
  const pair =
    algorithm === 'ed25519-sha256'
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('rsa', { modulusLength: rsaBits })
  const key = `v=DKIM1; ${keyTags === undefined ? '' : `${keyTags}; `}${publicTags(pair.publicKey)}`
  const records = new Map([[`TXT ${selector}._domainkey.${name}`, [key]]])
  if (dmarc !== null) records.set(`TXT _dmarc.${name}`, [dmarc])
  if (spf !== null) records.set(`TXT ${name}`, [spf])
  const privateKey = String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return { name, selector, privateKey, algorithm, records }
}

function publicTags(key: KeyObject): string {
  if (key.asymmetricKeyType === 'ed25519')
    return `k=ed25519; p=${key.export({ format: 'jwk' }).x ?? ''}`.replace(/-/g, '+').replace(/_/g, '/')
  return `k=rsa; p=${key.export({ type: 'spki', format: 'der' }).toString('base64')}`
}

/** For startDns. */
export function answersOf(...domains: readonly Domain[]): (type: RecordType, name: string) => DnsReply {
  return (type, name) => {
    const found = domains.map(({ records }) => records.get(`${type} ${name}`)).find(reply => reply !== undefined)
    return found ?? 'no such name'
  }
}

export interface MailParts {
  readonly to?: string | null
  readonly from?: string
  readonly cc?: string
  readonly date?: string | null
  readonly messageId?: string | null
  readonly subject?: string
  /** The header fields that say how to read the body, and the body. */
  readonly content?: string
  readonly text?: string
  readonly html?: string
  /** More fields, each a line. */
  readonly more?: readonly string[]
}

export interface Signing {
  /** False: not signed at all. */
  readonly by?: Domain | false
  readonly fields?: string
  readonly at?: Date
  readonly expires?: Date
  readonly bodyBytesMax?: number
  readonly canonicalization?: string
  /** On whose behalf, it says. */
  readonly identity?: string
}

export const signedFields = 'From:To:Cc:Date:Message-ID:Subject:Content-Type:Content-Transfer-Encoding:MIME-Version'

/** The mail, unsigned. */
export function write(address: string, parts: MailParts): Buffer {
  const { to, cc, more = [], subject = 'Payment', messageId = `<${randomUUID()}@mail.test>` } = parts
  const { from = address, date = mailDate(new Date()), text = 'Please take it.', html } = parts
  const type = html === undefined ? 'text/plain' : 'text/html'
  const content = parts.content ?? `Content-Type: ${type}; charset=utf-8\nMIME-Version: 1.0\n\n${html ?? text}\n`
  const fields = [
    ...more,
    `From: ${from}`,
    ...(to === null || to === undefined ? [] : [`To: ${to}`]),
    ...(cc === undefined ? [] : [`Cc: ${cc}`]),
    ...(date === null ? [] : [`Date: ${date}`]),
    ...(messageId === null ? [] : [`Message-ID: ${messageId}`]),
    `Subject: ${subject}`,
  ]
  return Buffer.from(`${fields.join('\n')}\n${content}`.replace(/\r?\n/g, '\r\n'))
}

export async function sign(mail: Buffer, signing: Signing & { readonly by: Domain }): Promise<Buffer> {
  const {
    by,
    fields = signedFields,
    at = new Date(),
    expires,
    bodyBytesMax,
    canonicalization = 'relaxed/relaxed',
  } = signing
  const options = {
    signingDomain: by.name,
    selector: by.selector,
    privateKey: by.privateKey,
    algorithm: by.algorithm,
    canonicalization,
    headerList: fields,
    ...(bodyBytesMax === undefined ? {} : { maxBodyLength: bodyBytesMax }),
    ...(signing.identity === undefined ? {} : { identity: signing.identity }),
  }
  const times = { signTime: at, ...(expires === undefined ? {} : { expires }) }
  const { signatures, errors } = await dkimSign(mail, { ...options, ...times, signatureData: [options] })
  if (errors.length > 0 || signatures === '') throw new Error(`not signed: ${String(errors[0]?.err)}`)
  return Buffer.concat([Buffer.from(signatures), mail])
}

/**
 * As somebody could who does not keep to the rules: `d` stands in the signature as it is given, in UTF-8. For a mail without folded fields, whose body is one
 * line.
 */
export function signAs(d: string, mail: Buffer, { selector, privateKey }: Domain): Buffer {
  const [head = '', body = ''] = mail.toString().split('\r\n\r\n')
  const fields = head.split('\r\n').map(line => /^([^:]+): (.*)$/.exec(line)?.slice(1) ?? [])
  const names = fields.map(([name]) => name).join(':')
  const hash = (text: string) => createHash('sha256').update(text).digest()
  const tags = [`v=1; a=ed25519-sha256; c=relaxed/relaxed; d=${d}; s=${selector}; t=${Math.floor(Date.now() / 1_000)}`]
  const unsigned = `${tags.join('; ')}; h=${names}; bh=${hash(body).toString('base64')}; b=`
  const signed = [...fields, ['DKIM-Signature', unsigned]].map(([name, value]) => `${name?.toLowerCase()}:${value}`)
  const signature = signBytes(null, hash(signed.join('\r\n')), privateKey).toString('base64')
  return Buffer.concat([Buffer.from(`DKIM-Signature: ${unsigned}${signature}\r\n`), mail])
}

/** RFC 5322. */
export function mailDate(at: Date): string {
  return at.toUTCString().replace('GMT', '+0000')
}

export interface Conversation {
  readonly socket: Socket
  /** The next reply, all its lines. */
  hear(): Promise<string>
  /** Says a line, and hears what is answered. */
  say(line: string): Promise<string>
}

/** SMTP by hand. */
export async function converse(port: number, host = '127.0.0.1', localAddress?: string): Promise<Conversation> {
  const socket = connect({ port, host, ...(localAddress !== undefined && { localAddress }) })
  await once(socket, 'connect')
  return conversation(socket)
}

export function conversation(socket: Socket): Conversation {
  let heard = ''
  const waiting: { resolve: (reply: string) => void; reject: (error: Error) => void }[] = []
  let isOver = false
  const offer = () => {
    while (waiting.length > 0) {
      const [reply] = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(heard) ?? []
      if (reply === undefined) break
      heard = heard.slice(reply.length)
      waiting.shift()?.resolve(reply.trimEnd())
    }
    if (isOver) for (const { reject } of waiting.splice(0)) reject(new Error('the server hung up'))
  }
  const end = () => {
    isOver = true
    offer()
  }
  socket.on('data', chunk => {
    heard += chunk.toString('latin1')
    offer()
  })
  socket.on('error', end).on('close', end).on('end', end)
  const hear = () =>
    new Promise<string>((resolve, reject) => {
      waiting.push({ resolve, reject })
      offer()
    })
  const say = (line: string) => {
    socket.write(`${line}\r\n`)
    return hear()
  }
  return { socket, hear, say }
}

export interface SmtpEnvelope {
  readonly from: string
  readonly to: string
}

/** Over a socket of its own; answers the last thing that the server said. */
export async function send(
  port: number,
  mail: Buffer,
  { from, to }: SmtpEnvelope,
  beforeEnd: () => void = () => {},
): Promise<string> {
  const { socket, hear, say } = await converse(port)
  try {
    await hear()
    for (const line of ['EHLO client.test', `MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, 'DATA']) {
      const reply = await say(line)
      if (!/^[23]/.test(reply)) return reply
    }
    socket.write(Buffer.from(mail.toString('latin1').replace(/^\./gm, '..'), 'latin1'))
    beforeEnd()
    return await say(mail.subarray(-2).toString() === '\r\n' ? '.' : '\r\n.')
  } finally {
    socket.end('QUIT\r\n')
  }
}
