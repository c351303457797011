// Mail by SMTP: small limits, no login, nothing said to anybody but what they need to know.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import type { SMTPServerSession } from 'smtp-server'
import { lowerCaseEmail } from '../../core/email.ts'
import { quickGroups } from '../../tls/quick-groups.ts'
import { hasBareLineFeed, hasStrayBytes } from './lines.ts'
import type { NetworkLimiter } from './network-limiter.ts'
import { type Envelope, mailBytesMax, type Taken } from './ports.ts'
import { noSuchAddress } from './recipient.ts'
import { readMail } from './smtp-data.ts'
import { ProtocolServer } from './smtp-protocol.ts'
import { createSessions, type SmtpLimits } from './smtp-sessions.ts'
import type { Take } from './turns.ts'

export interface SmtpOptions {
  /** How it greets. */
  readonly hostname: string
  /** PEM. Null: no STARTTLS. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly take: Take
  /** Counts what is refused by network. */
  readonly limiter: Pick<NetworkLimiter, 'turnsAway' | 'count' | 'isCounted'>
  readonly isRecipient: (address: string) => Promise<boolean>
  /** Whoever is refused before there is a mail that could be taken. */
  readonly turnedAway: (why: TurnedAway) => void
  /** A bug of ours: the sender is told to come again, and no more. */
  readonly failed: (error: unknown) => void
  readonly limits?: Partial<SmtpLimits>
}

export type TurnedAway = 'unknown_recipient' | 'too_big' | 'unreadable' | 'turned_away'

export interface SmtpServer {
  /** Port 0 picks a free one; answers what was picked. */
  listen(host: string, port: number): Promise<number>
  /** Lets mails under way finish. */
  close(): Promise<void>
}

const reply = (code: number, enhanced: string, sentence: string) =>
  Object.assign(new Error(`${enhanced} ${sentence}`), { responseCode: code })

const unknownRecipient = reply(550, '5.1.1', noSuchAddress)
const oneRecipient = reply(452, '4.5.3', 'One recipient for each mail. Send the others by themselves.')
const tooBig = reply(
  552,
  '5.3.4',
  'Nothing was charged: the mail is too big. Leave out what is attached, or ask whoever you want to pay.',
)
const strayLines = reply(
  550,
  '5.6.0',
  'Nothing was charged: lines end with CRLF and with nothing else. Ask whoever runs your mail.',
)
const ourFault = reply(451, '4.3.0', 'Something went wrong here. Try again later.')

export function createSmtpServer(options: SmtpOptions): SmtpServer {
  const sessions = createSessions({
    limits: options.limits ?? {},
    isCounted: options.limiter.isCounted,
    ended: () => options.turnedAway('turned_away'),
  })
  const server = new ProtocolServer(() => options.turnedAway('turned_away'), {
    name: options.hostname,
    ...(options.tls === null ? { hideSTARTTLS: true } : { ...options.tls, ecdhCurve: quickGroups }),
    disabledCommands: ['AUTH', 'EXPN', 'WIZ', 'SHELL', 'KILL', ...(options.tls === null ? ['STARTTLS'] : [])],
    disableReverseLookup: true,
    logger: false,
    size: mailBytesMax,
    hideENHANCEDSTATUSCODES: false,
    heloResponse: '%s',
    socketTimeout: sessions.limits.idleMs,
    // Longer than taking in one mail can take.
    closeTimeout: 30_000,
    onConnect: (session, done) => done(away('turned_away', limited(session) ?? sessions.enter(session))),
    onMailFrom: ({ args }, session, done) => done(senderReply(args, session)),
    onClose: session => sessions.leave(session),
    onRcptTo: ({ address }, session, done) => void recipientReply(address, session).then(done),
    onData: (stream, session, done) => void answerMail(stream, session, done),
  })
  server.on('error', () => {}) // of a connection: whoever made it has gone
  sessions.of(server)

  /** The same error, counted. */
  function away(why: TurnedAway, error: Error | null): Error | null {
    if (error !== null) options.turnedAway(why)
    return error
  }

  /** Null: the network may send. 421 ends the session: whoever sends good mail comes again. */
  function limited({ remoteAddress }: SMTPServerSession): Error | null {
    const turned = options.limiter.turnsAway(remoteAddress)
    return turned === null ? null : reply(421, turned.enhanced, turned.sentence)
  }

  /** Also in a session that began before the network had used up its points. */
  function senderReply(args: unknown, session: SMTPServerSession): Error | null {
    return away('turned_away', limited(session)) ?? (isAnnouncedTooBig(args) ? away('too_big', tooBig) : null)
  }

  /** Refused before the mail was read: whoever reads it does not count it. */
  function refusedUnread(why: TurnedAway, session: SMTPServerSession, error: Error): Error {
    options.limiter.count(session.remoteAddress, { kind: 'refused' })
    options.turnedAway(why)
    return error
  }

  async function recipientReply(address: string, session: SMTPServerSession): Promise<Error | null> {
    if (session.envelope.rcptTo.length > 0) return oneRecipient
    try {
      if (await options.isRecipient(address)) return null
    } catch (error) {
      options.failed(error)
      return ourFault
    }
    return refusedUnread('unknown_recipient', session, sessions.missed(session) ?? unknownRecipient)
  }

  async function answerMail(stream: Readable, session: SMTPServerSession, done: (error: Error | null) => void) {
    sessions.mailBegins(session)
    const mail = await readMail(stream, mailBytesMax)
    if (mail === 'gone') return sessions.mailEnds(session, false)
    sessions.mailArrived(session)
    const refusal = await dataReply(mail, session)
    done(refusal)
    sessions.mailEnds(session, refusal === null)
  }

  async function dataReply(mail: Buffer | 'too big', session: SMTPServerSession): Promise<Error | null> {
    if (mail === 'too big') return refusedUnread('too_big', session, tooBig)
    if (hasStrayBytes(mail) || hasBareLineFeed(mail)) return refusedUnread('unreadable', session, strayLines)
    try {
      return replyTo(await options.take(envelopeOf(session), mail))
    } catch (error) {
      options.failed(error)
      return ourFault
    }
  }

  return {
    async listen(host, port) {
      server.listen(port, host)
      await once(server.server, 'listening')
      return (server.server.address() as AddressInfo).port
    },
    close: () => sessions.finish(),
  }
}

/** RFC 1870. */
function isAnnouncedTooBig(args: unknown): boolean {
  const { SIZE: size } = (args || {}) as { readonly SIZE?: unknown }
  return Number(size) > mailBytesMax
}

/** Null: it is taken, or dropped: whoever sends automatic mail hears no more. */
function replyTo(taken: Taken): Error | null {
  if (taken.kind === 'refused') return reply(550, taken.enhanced, taken.sentence)
  return taken.kind === 'not_now' ? reply(451, taken.enhanced, taken.sentence) : null
}

function envelopeOf({ envelope, remoteAddress, hostNameAppearsAs }: SMTPServerSession): Envelope {
  const { mailFrom, rcptTo } = envelope
  return {
    mailFrom: mailFrom === false ? '' : lowerCaseEmail(mailFrom.address),
    rcptTo: rcptTo[0] === undefined ? null : lowerCaseEmail(rcptTo[0].address),
    clientAddress: remoteAddress || null,
    helo: hostNameAppearsAs || null,
  }
}
