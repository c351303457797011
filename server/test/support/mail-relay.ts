// A mail relay that keeps what it is given.

import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface KeptMail {
  readonly from: string
  readonly to: readonly string[]
  /** As it came: header, an empty line, body. */
  readonly raw: string
}

export interface MailRelay {
  readonly port: number
  readonly mails: KeptMail[]
  /** Who logged in, with which password. */
  readonly logins: [string, string][]
  close(): Promise<void>
}

export interface RelayManners {
  /** 0 picks a free one. */
  readonly port?: number
  /** What it says to every recipient. */
  readonly refuses?: { readonly code: number; readonly says: string }
  readonly wantsLogin?: boolean
  /** What it says to one; asked anew each time. It may take its time. */
  readonly answers?: (to: string) => RelayAnswer | Promise<RelayAnswer>
  /** What happens between its having a mail, and its saying so. */
  readonly hasTaken?: () => Promise<void>
}

export type RelayAnswer = 'takes it' | 'hangs up' | { readonly code: number; readonly says: string }

export async function startRelay(manners: RelayManners = {}): Promise<MailRelay> {
  const { port = 0, refuses, wantsLogin = false, answers = () => refuses ?? 'takes it', hasTaken } = manners
  const sockets = new Set<Socket>()
  const mails: KeptMail[] = []
  const logins: [string, string][] = []
  const server = new SMTPServer({
    authOptional: !wantsLogin,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS', ...(wantsLogin ? [] : ['AUTH'])],
    onAuth({ username, password }, _, done) {
      logins.push([username ?? '', password ?? ''])
      done(null, { user: username ?? '' })
    },
    async onRcptTo({ address }, _, done) {
      const answer = await answers(address)
      if (answer === 'hangs up') for (const socket of sockets) socket.destroy()
      else if (answer === 'takes it') done()
      else done(Object.assign(new Error(answer.says), { responseCode: answer.code }))
    },
    async onData(stream, { envelope }, done) {
      const raw = await text(stream).catch(() => null)
      if (raw === null) return done() // its sender went away
      const { mailFrom, rcptTo } = envelope
      mails.push({ from: mailFrom === false ? '' : mailFrom.address, to: rcptTo.map(({ address }) => address), raw })
      await hasTaken?.()
      done()
    },
  })
  server.on('error', () => {}) // a client that goes away
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    logins,
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}

export interface ReadMail {
  readonly fields: ReadonlyMap<string, readonly string[]>
  /** As text. */
  readonly body: string
  /** The same as HTML; null: it has no such part. */
  readonly html: string | null
}

/** Header fields by name, in lower case, with folded lines joined; and the body, decoded. */
export function read({ raw }: Pick<KeptMail, 'raw'>): ReadMail {
  const { fields, body } = readPart(raw)
  const boundary = /boundary="?([^";]+)"?/.exec(fields.get('content-type')?.[0] ?? '')?.[1]
  if (boundary === undefined) return { fields, body, html: null }
  const parts = raw
    .split(`--${boundary}`)
    .slice(1, -1)
    .map(part => readPart(part.replace(/^\r\n/, '').replace(/\r\n$/, '')))
  const ofType = (type: string) => parts.find(part => part.fields.get('content-type')?.[0]?.startsWith(type))?.body
  return { fields, body: ofType('text/plain') ?? '', html: ofType('text/html') ?? null }
}

function readPart(raw: string): Pick<ReadMail, 'fields' | 'body'> {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const pairs = lines.map(line => [line.split(':')[0]?.toLowerCase() ?? '', line.replace(/^[^:]*:\s*/, '')] as const)
  const fields = new Map(
    [...Map.groupBy(pairs, ([name]) => name)].map(([name, all]) => [name, all.map(([, value]) => value)]),
  )
  return { fields, body: decoded(fields.get('content-transfer-encoding')?.[0] ?? '7bit', raw.slice(end + 4)) }
}

function decoded(encoding: string, body: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
