// Which connections come from which network, so that none takes all of them. A network is an IPv4 address or an IPv6 /64.

import type { Socket } from 'node:net'
import { networkOf } from '../core/tries.ts'
import { hasRequestUnderWay } from './pipelining.ts'

interface Connection {
  /** As it was taken in. */
  readonly socket: Socket
  /** What HTTP is spoken on: with TLS another one, once that is agreed on. */
  spoken: Socket
}

export class NetworkConnections {
  /** Each in the order in which they came. */
  readonly #byNetwork = new Map<string, Map<string, Connection>>()

  add(socket: Socket): void {
    const network = networkOf(addressOf(socket))
    const key = keyOf(socket)
    const known = this.#byNetwork.get(network) ?? new Map<string, Connection>()
    this.#byNetwork.set(network, known)
    known.set(key, { socket, spoken: socket })
    socket.once('close', () => {
      if (known.get(key)?.socket === socket) known.delete(key)
      if (known.size === 0 && this.#byNetwork.get(network) === known) this.#byNetwork.delete(network)
    })
  }

  /** TLS is agreed on. */
  speaks(spoken: Socket): void {
    const known = this.#byNetwork.get(networkOf(addressOf(spoken)))?.get(keyOf(spoken))
    if (known !== undefined) known.spoken = spoken
  }

  countOf(address: string): number {
    return this.#byNetwork.get(networkOf(address))?.size ?? 0
  }

  /** Ends the oldest of a network that has no request under way: an idle one, or one with a part of a header. */
  endOldest(address: string): boolean {
    return endFirst(this.#byNetwork.get(networkOf(address)))
  }

  /** The same, of the network that has most connections; not the newcomer that room is made for. */
  endOldestOfLargest(newcomer: Socket): boolean {
    let largest: Map<string, Connection> | undefined
    for (const each of this.#byNetwork.values()) if (each.size > (largest?.size ?? 0)) largest = each
    return endFirst(largest, newcomer)
  }
}

function endFirst(connections: ReadonlyMap<string, Connection> | undefined, newcomer?: Socket): boolean {
  for (const { socket, spoken } of connections?.values() ?? []) {
    if (socket === newcomer || socket.destroyed || hasRequestUnderWay(spoken)) continue
    socket.destroy()
    return true
  }
  return false
}

/** One that was reset has none any more. */
export function addressOf({ remoteAddress }: Socket): string {
  return remoteAddress ?? ''
}

function keyOf(socket: Socket): string {
  return `${addressOf(socket)} ${socket.remotePort}`
}
