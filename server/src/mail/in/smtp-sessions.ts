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
  const inside = new Map<string, { address: string; timer: NodeJS.Timeout }>()
  const missedBy = new Map<string, number>()
  const withMail = new Set<string>()
  let server: SMTPServer | null = null
  let isClosing = false

  const hangUp = (sentence: string, isMeant: (id: string) => boolean) => {
    for (const connection of server?.connections ?? []) {
      if (isMeant(connection.id)) connection.send(421, sentence, false)
    }
  }
  const restarting = '4.3.2 This service is being restarted.'

  return {
    limits,
    /** Whose sessions they are. */
    of(given: SMTPServer): void {
      server = given
    },
    /** Null: come in. */
    enter({ id, remoteAddress: address }: SMTPServerSession): Error | null {
      if (inside.size >= limits.connectionsMax) return over('4.3.2 Too many connections. Try again later.')
      const count = [...inside.values()].filter(each => each.address === address).length
      if (count >= limits.connectionsPerAddressMax) return over('4.7.0 Too many connections from your address.')
      // The library counts from one word to the next; a client that says one now and then would stay for ever.
      const timer = setTimeout(() => hangUp('4.4.2 That took too long.', each => each === id), limits.sessionMs)
      inside.set(id, { address, timer })
      return null
    },
    leave({ id }: SMTPServerSession): void {
      clearTimeout(inside.get(id)?.timer)
      inside.delete(id)
      missedBy.delete(id)
      withMail.delete(id)
    },
    /** After an unknown recipient. Null: they may try another. */
    missed({ id }: SMTPServerSession): Error | null {
      const count = (missedBy.get(id) ?? 0) + 1
      missedBy.set(id, count)
      return count < limits.unknownRecipientsMax ? null : over('4.7.0 Too many unknown addresses.')
    },
    mailBegins: ({ id }: SMTPServerSession) => void withMail.add(id),
    mailEnds({ id }: SMTPServerSession): void {
      withMail.delete(id)
      if (isClosing) hangUp(restarting, each => each === id)
    },
    /** Whoever is sending a mail may finish it. */
    finish(): Promise<void> {
      isClosing = true
      const closed = new Promise<void>(resolve => (server === null ? resolve() : server.close(() => resolve())))
      hangUp(restarting, id => !withMail.has(id))
      return closed
    },
  }
}
