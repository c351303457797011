// Which connections come from which network, so that none takes all of them: for HTTP and for SMTP. A network is an IPv4 address or an
// IPv6 /64.

import { networkOf } from './tries.ts'

/** Once so much of the room is taken, whoever does nothing makes room. */
export const crowdedFrom = 0.9

/**
 * A network may have as many connections as are free: alone half of all, two a third each. So a few networks together never take all.
 * `count`: its own, with the new one. `free`: of all, before that one came.
 */
export function isOverShare(count: number, free: number): boolean {
  return count > free
}

export class NetworkConnections<Connection> {
  /** Each in the order in which they came. */
  readonly #byNetwork = new Map<string, Set<Connection>>()

  add(address: string, connection: Connection): void {
    const network = networkOf(address)
    const known = this.#byNetwork.get(network) ?? new Set<Connection>()
    this.#byNetwork.set(network, known.add(connection))
  }

  delete(address: string, connection: Connection): void {
    const network = networkOf(address)
    const known = this.#byNetwork.get(network)
    known?.delete(connection)
    if (known?.size === 0) this.#byNetwork.delete(network)
  }

  countOf(address: string): number {
    return this.#byNetwork.get(networkOf(address))?.size ?? 0
  }

  /** The oldest of this network that can be ended; null: there is none. */
  oldestOf(address: string, canEnd: (connection: Connection) => boolean): Connection | null {
    return firstOf(this.#byNetwork.get(networkOf(address)), canEnd)
  }

  /** The same, of the network that has most connections. */
  oldestOfLargest(canEnd: (connection: Connection) => boolean): Connection | null {
    let largest: Set<Connection> | undefined
    for (const each of this.#byNetwork.values()) if (each.size > (largest?.size ?? 0)) largest = each
    return firstOf(largest, canEnd)
  }
}

function firstOf<Connection>(
  connections: ReadonlySet<Connection> | undefined,
  canEnd: (connection: Connection) => boolean,
): Connection | null {
  for (const connection of connections ?? []) if (canEnd(connection)) return connection
  return null
}
