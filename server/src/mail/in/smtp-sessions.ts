// Who is connected, and for how long they may be.

import type { SMTPServer, SMTPServerSession } from 'smtp-server'

export interface SmtpLimits {
  readonly connectionsMax: number
  readonly connectionsPerAddressMax: number
  /** Between two words of the client. */
  readonly idleMs: number
  readonly sessionMs: number
  /** Of one session, before it is over. */
  readonly unknownRecipientsMax: number
}

const usual: SmtpLimits = {
  connectionsMax: 200,
  connectionsPerAddressMax: 20,
  idleMs: 60_000,
  sessionMs: 600_000,
  unknownRecipientsMax: 10,
}

const over = (sentence: string) => Object.assign(new Error(sentence), { responseCode: 421 })

export function createSessions(given: Partial<SmtpLimits>) {
  const limits = { ...usual, ...given }
  const missedBy = new Map<string, number>()
  const addressOf = new Map<string, string>()

  const withMail = new Set<string>()
  let closing: SMTPServer | null = null

  const hangUp = (isMeant: (id: string) => boolean) => {
    for (const connection of closing?.connections ?? []) {
      if (isMeant(connection.id)) connection.send(421, '4.3.2 This service is being restarted.', false)
    }
  }
  const countOf = (address: string) => [...addressOf.values()].filter(each => each === address).length

  return {
    limits,
    /** Null: come in. */
    enter({ id, remoteAddress }: SMTPServerSession): Error | null {
      const isFull = countOf(remoteAddress) >= limits.connectionsPerAddressMax
      if (isFull) return over('4.7.0 Too many connections from your address. Try again later.')
      addressOf.set(id, remoteAddress)
      return null
    },
    leave({ id }: Pick<SMTPServerSession, 'id'>): void {
      addressOf.delete(id)
      missedBy.delete(id)
      withMail.delete(id)
    },
    /** After an unknown recipient. Null: they may try another. */
    missed({ id }: SMTPServerSession): Error | null {
      const count = (missedBy.get(id) ?? 0) + 1
      missedBy.set(id, count)
      return count < limits.unknownRecipientsMax ? null : over('4.7.0 Too many unknown addresses.')
    },
    /** The library counts from one word to the next; a client that says one now and then would stay for ever. */
    watch({ server }: SMTPServer): void {
      server.on('connection', socket => {
        const timer = setTimeout(() => socket.destroy(), limits.sessionMs)
        socket.once('close', () => clearTimeout(timer))
      })
    },
    mailBegins: ({ id }: SMTPServerSession) => void withMail.add(id),
    mailEnds({ id }: SMTPServerSession): void {
      withMail.delete(id)
      hangUp(each => each === id)
    },
    /** Whoever is sending a mail may finish it. */
    finish(server: SMTPServer): Promise<void> {
      closing = server
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      hangUp(id => !withMail.has(id))
      return closed
    },
  }
}
