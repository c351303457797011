// A large answer is given to its connection piece by piece, each when the one before it was taken. TLS encrypts at once all that it is
// given, and keeps that memory for as long as the connection is open: two thousand idle connections that each had an answer of a megabyte
// would hold three gigabytes. What waits here is bounded for all connections together.

import type { ServerResponse } from 'node:http'
import { networkOf } from '../core/tries.ts'

export const pieceBytes = 65_536

export interface WaitingAnswers {
  /** `end` closes its connection, if it must make room. Call what is returned when it waits no more. */
  add(network: string, bytes: number, end: () => void): () => void
}

interface Waiting {
  readonly bytes: number
  readonly end: () => void
}

interface Network {
  bytes: number
  /** Those that have waited longest come first. */
  readonly answers: Set<Waiting>
}

/** Where there are more than so many bytes, the network that has most loses the answer that has waited longest. */
export function createWaitingAnswers(bytesMax: number): WaitingAnswers {
  const networks = new Map<string, Network>()
  let all = 0

  function remove(name: string, network: Network, waiting: Waiting): void {
    if (!network.answers.delete(waiting)) return
    network.bytes -= waiting.bytes
    all -= waiting.bytes
    if (network.answers.size === 0) networks.delete(name)
  }

  function endOne(): void {
    const [largest] = [...networks].toSorted(([, one], [, other]) => other.bytes - one.bytes)
    if (largest === undefined) return
    const [name, network] = largest
    const [oldest] = network.answers
    if (oldest === undefined) return
    remove(name, network, oldest)
    oldest.end()
  }

  return {
    add(name, bytes, end) {
      const network = networks.get(name) ?? { bytes: 0, answers: new Set() }
      const waiting = { bytes, end }
      networks.set(name, network)
      network.answers.add(waiting)
      network.bytes += bytes
      all += bytes
      while (all > bytesMax) endOne()
      return () => remove(name, network, waiting)
    },
  }
}

export interface InPieces {
  readonly waiting: WaitingAnswers
  /** Its place among those that wait is needed. */
  readonly disconnect: () => void
  /** The response's own. */
  readonly end: (lastPiece: Uint8Array) => void
}

export function endInPieces(response: ServerResponse, body: Uint8Array, { waiting, disconnect, end }: InPieces): void {
  const { req } = response
  // Its client has gone, and nothing would say that it waits no more.
  if (response.destroyed) {
    end(body)
    return
  }
  // Else Node would not know it when the first piece is sent.
  if (!response.headersSent && !response.hasHeader('content-length') && !response.hasHeader('transfer-encoding'))
    response.setHeader('Content-Length', body.length)
  const network = networkOf(req.socket.remoteAddress ?? '')
  const leave = waiting.add(network, body.length, disconnect)
  response.once('close', leave)
  let at = 0
  const goOn = () => {
    while (body.length - at > pieceBytes) {
      const piece = body.subarray(at, at + pieceBytes)
      at += pieceBytes
      if (!response.write(piece)) return void response.once('drain', goOn)
    }
    end(body.subarray(at))
  }
  goOn()
}
