// Who is connected, and for how long they may be.

import type { SMTPServer, SMTPServerSession } from 'smtp-server'
import { crowdedFrom, isOverShare, NetworkConnections } from '../../core/network-connections.ts'
import { networkOf } from '../../core/tries.ts'

export interface SmtpLimits {
  readonly connectionsMax: number
  /** Of an IPv4 address, or an IPv6 /64. */
  readonly connectionsPerNetworkMax: number
  /** Between two words of the client. */
  readonly idleMs: number
  readonly sessionMs: number
  /** Of one session, before it is over. */
  readonly unknownRecipientsMax: number
}

const usual: SmtpLimits = {
  connectionsMax: 200,
  connectionsPerNetworkMax: 20,
  idleMs: 60_000,
  sessionMs: 600_000,
  unknownRecipientsMax: 10,
}

const over = (sentence: string) => Object.assign(new Error(sentence), { responseCode: 421 })

export interface SessionOptions {
  readonly limits: Partial<SmtpLimits>
  /** Not those who relay for everybody: they have no share, and make room for nobody. */
  readonly isCounted: (address: string) => boolean
  /** One was ended to make room. */
  readonly ended: () => void
}

interface Session {
  readonly id: string
  readonly address: string
  readonly network: string
  readonly timer: NodeJS.Timeout
}

export function createSessions({ limits: given, isCounted, ended }: SessionOptions) {
  const limits = { ...usual, ...given }
  const inside = new Map<string, Session>()
  const networks = new NetworkConnections<Session>()
  const missedBy = new Map<string, number>()
  const withMail = new Set<string>()
  /** Whose mail arrived whole, and was not refused. */
  const broughtMail = new Set<string>()
  let server: SMTPServer | null = null
  let isClosing = false

  const hangUp = (sentence: string, isMeant: (id: string) => boolean) => {
    for (const connection of server?.connections ?? []) {
      if (isMeant(connection.id)) connection.send(421, sentence, false)
    }
  }
  const restarting = '4.3.2 This service is being restarted.'

  const forget = (id: string) => {
    const session = inside.get(id)
    if (session === undefined) return
    clearTimeout(session.timer)
    inside.delete(id)
    networks.delete(session.address, session)
  }

  /** Also of one whose mail is still arriving: it may take ten minutes, and nothing is lost if it is sent again. */
  const makeRoom = () => {
    if (inside.size + 1 < limits.connectionsMax * crowdedFrom) return
    const oldest = networks.oldestOfLargest(({ id }) => !broughtMail.has(id))
    if (oldest === null) return
    hangUp('4.3.2 Too many connections. Try again later.', id => id === oldest.id)
    forget(oldest.id) // it may leave seconds later
    ended()
  }

  const hasTooMany = (address: string, network: string) => {
    const count = [...inside.values()].filter(each => each.network === network).length + 1
    const free = limits.connectionsMax - inside.size
    return count > limits.connectionsPerNetworkMax || (isCounted(address) && isOverShare(count, free))
  }

  return {
    limits,
    /** Whose sessions they are. */
    of(given: SMTPServer): void {
      server = given
    },
    /** Null: come in. */
    enter({ id, remoteAddress: address }: SMTPServerSession): Error | null {
      const network = networkOf(address)
      if (hasTooMany(address, network)) return over('4.7.0 Too many connections from your network. Try again later.')
      makeRoom()
      if (inside.size >= limits.connectionsMax) return over('4.3.2 Too many connections. Try again later.')
      // The library counts from one word to the next; a client that says one now and then would stay for ever.
      const timer = setTimeout(() => hangUp('4.4.2 That took too long.', each => each === id), limits.sessionMs)
      const session = { id, address, network, timer }
      inside.set(id, session)
      if (isCounted(address)) networks.add(address, session)
      return null
    },
    leave({ id }: SMTPServerSession): void {
      forget(id)
      missedBy.delete(id)
      withMail.delete(id)
      broughtMail.delete(id)
    },
    /** After an unknown recipient. Null: they may try another. */
    missed({ id }: SMTPServerSession): Error | null {
      const count = (missedBy.get(id) ?? 0) + 1
      missedBy.set(id, count)
      return count < limits.unknownRecipientsMax ? null : over('4.7.0 Too many unknown addresses.')
    },
    mailBegins: ({ id }: SMTPServerSession) => void withMail.add(id),
    /** All of it is here. */
    mailArrived({ id }: SMTPServerSession): void {
      if (inside.has(id)) broughtMail.add(id)
    },
    mailEnds({ id }: SMTPServerSession, isTaken: boolean): void {
      withMail.delete(id)
      if (!isTaken) broughtMail.delete(id)
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
