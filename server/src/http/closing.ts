// How connections end once the server closes. Requests under way finish. A connection that is kept alive is idle once its last answer
// is out, and would otherwise hold the end for as long as its client likes. So would one whose request never arrives: Node looks for
// those until it closes, and no longer.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { hasRequestUnderWay, isRequestArriving } from './pipelining.ts'

export interface ClosingLimits {
  readonly lookEveryMs: number
  /** From then on, connections without a request are ended. */
  readonly headerWithinMs: number
  /** From then on, also those of which the request's body is not here. */
  readonly bodyWithinMs: number
  /** The longest that a request may rightly take: Pre-Sale, then the gateway, then the commit. */
  readonly answerWithinMs: number
}

export const usualClosing: ClosingLimits = {
  lookEveryMs: 100,
  headerWithinMs: 2_000,
  bodyWithinMs: 15_000,
  answerWithinMs: 70_000,
}

/** What it returns is called when the server begins to close. */
export function endsConnections(server: Server, limits = usualClosing): () => void {
  const speaking = new Set<Socket>()
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    speaking.add(socket)
    socket.once('close', () => speaking.delete(socket))
  })
  return () => {
    const beganMs = performance.now()
    const look = () => {
      server.closeIdleConnections()
      const sinceMs = performance.now() - beganMs
      const isLate = (socket: Socket) =>
        sinceMs >= limits.answerWithinMs ||
        (sinceMs >= limits.bodyWithinMs && isRequestArriving(socket)) ||
        (sinceMs >= limits.headerWithinMs && !hasRequestUnderWay(socket))
      for (const socket of speaking) if (isLate(socket)) socket.destroy()
    }
    const looking = setInterval(look, limits.lookEveryMs).unref()
    server.once('close', () => clearInterval(looking))
  }
}
