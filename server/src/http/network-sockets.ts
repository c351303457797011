// The sockets of HTTP connections by network. One that has no request under way may be ended to make room: an idle one, or one with a
// part of a header.

import type { Socket } from 'node:net'
import { NetworkConnections } from '../core/network-connections.ts'
import { hasRequestUnderWay } from './pipelining.ts'

interface Connection {
  /** As it was taken in. */
  readonly socket: Socket
  /** What HTTP is spoken on: with TLS another one, once that is agreed on. */
  spoken: Socket
}

export class NetworkSockets {
  readonly #networks = new NetworkConnections<Connection>()
  readonly #byKey = new Map<string, Connection>()

  add(socket: Socket): void {
    const [address, key] = [addressOf(socket), keyOf(socket)]
    const connection = { socket, spoken: socket }
    this.#networks.add(address, connection)
    this.#byKey.set(key, connection)
    socket.once('close', () => {
      this.#networks.delete(address, connection)
      if (this.#byKey.get(key) === connection) this.#byKey.delete(key)
    })
  }

  /** TLS is agreed on. */
  speaks(spoken: Socket): void {
    const known = this.#byKey.get(keyOf(spoken))
    if (known !== undefined) known.spoken = spoken
  }

  countOf(address: string): number {
    return this.#networks.countOf(address)
  }

  endOldest(address: string): boolean {
    return end(this.#networks.oldestOf(address, canEnd))
  }

  /** Of the network that has most connections; not the newcomer that room is made for. */
  endOldestOfLargest(newcomer: Socket): boolean {
    return end(this.#networks.oldestOfLargest(each => each.socket !== newcomer && canEnd(each)))
  }
}

const canEnd = ({ socket, spoken }: Connection) => !socket.destroyed && !hasRequestUnderWay(spoken)

function end(connection: Connection | null): boolean {
  connection?.socket.destroy()
  return connection !== null
}

/** One that was reset has none any more. */
export function addressOf({ remoteAddress }: Socket): string {
  return remoteAddress ?? ''
}

function keyOf(socket: Socket): string {
  return `${addressOf(socket)} ${socket.remotePort}`
}
