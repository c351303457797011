// How many connections there are, and how long one may leave its answer lying in our memory. Requests that do not arrive in time
// are Node's to end (api/server.ts).

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { crowdedFrom, isOverShare } from '../core/network-connections.ts'
import { addressOf, NetworkSockets } from './network-sockets.ts'

/**
 * crowded: had no request under way, where room was needed. too_many: not taken. share: its network has too many.
 * slow: did not take its answer. pipelined: sent too many requests ahead. chunks: sent a body in too many pieces.
 * records: sent too many small TLS records.
 */
export type Ending = 'crowded' | 'too_many' | 'share' | 'slow' | 'pipelined' | 'chunks' | 'records'

export interface ConnectionOptions {
  readonly connectionsMax: number
  /** Whether everybody may come by this address: it has no share of its own. */
  readonly isTrustedProxy: (address: string) => boolean
  readonly ended: (ending: Ending, count: number) => void
}

const lookEveryMs = 1_000
/** Of an answer that waits here, so much must be taken in this time. */
const takenWithinMs = 15_000
const takenBytesMin = 16_384

export function boundConnections(server: Server, options: ConnectionOptions): void {
  const { connectionsMax, isTrustedProxy, ended } = options
  let connected = 0
  /** With TLS, once it is agreed on. */
  const speaking = new Set<Socket>()
  const isSlow = slowReaders()
  const networks = new NetworkSockets()
  server.maxConnections = connectionsMax
  server.on('drop', () => ended('too_many', 1))
  server.on('connection', (socket: Socket) => {
    connected += 1
    socket.once('close', () => {
      connected -= 1
    })
    if (isTrustedProxy(addressOf(socket))) return
    networks.add(socket)
    keepShare(networks, socket, connectionsMax - connected + 1, ended)
    if (connected >= connectionsMax * crowdedFrom && networks.endOldestOfLargest(socket)) ended('crowded', 1)
  })
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    networks.speaks(socket)
    speaking.add(socket)
    socket.once('close', () => speaking.delete(socket))
  })
  const look = () => {
    if (connected >= connectionsMax * crowdedFrom) ended('crowded', closeIdle(server, speaking))
    const slow = [...speaking].filter(isSlow)
    for (const socket of slow) socket.destroy()
    if (slow.length > 0) ended('slow', slow.length)
  }
  const looking = setInterval(look, lookEveryMs).unref()
  server.once('close', () => clearInterval(looking))
}

/** A network that has its share gets another for the oldest of its own that does nothing, or none. */
function keepShare(networks: NetworkSockets, socket: Socket, free: number, ended: ConnectionOptions['ended']): void {
  const address = addressOf(socket)
  if (!isOverShare(networks.countOf(address), free)) return
  networks.endOldest(address)
  ended('share', 1)
}

/** Asked again and again. Not the time that a whole answer takes: a file of a megabyte may go by a slow line. */
export function slowReaders(now: () => number = () => performance.now()): (socket: Socket) => boolean {
  const marks = new WeakMap<Socket, { readonly atMs: number; readonly takenBytes: number }>()
  return socket => {
    if (socket.writableLength === 0) {
      marks.delete(socket)
      return false
    }
    const nowMs = now()
    const takenBytes = socket.bytesWritten - waitingBytes(socket)
    const mark = marks.get(socket)
    // Less than before: the next piece waits now, so the one before it was taken.
    const isTaking = mark === undefined || takenBytes < mark.takenBytes || takenBytes >= mark.takenBytes + takenBytesMin
    if (!isTaking) return nowMs >= mark.atMs + takenWithinMs
    marks.set(socket, { atMs: nowMs, takenBytes })
    return false
  }
}

/** The stream itself counts a piece as waiting until all of it was taken, and a piece may be a whole answer; what is under it knows how far it is. */
function waitingBytes(socket: Socket): number {
  const { _handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null }
  return _handle?.writeQueueSize || socket.writableLength
}

function closeIdle(server: Server, speaking: ReadonlySet<Socket>): number {
  const openNow = () => [...speaking].filter(socket => !socket.destroyed).length
  const before = openNow()
  server.closeIdleConnections()
  return before - openNow()
}
