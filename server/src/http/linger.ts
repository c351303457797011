// The end of a connection whose client still sends. Closing it at once would reset it, and the client might lose the answer.

import type { Socket } from 'node:net'

/** Long enough for a client to read the answer and to stop sending. */
const lingerMs = 2_000

/** Ends our side with `lastBytes`, and drops what still comes, for a moment. */
export function endAndLinger(connection: Socket, lastBytes = ''): void {
  connection.end(lastBytes)
  connection.resume()
  const lingering = setTimeout(() => connection.destroy(), lingerMs).unref()
  connection.once('end', () => connection.destroy())
  connection.once('close', () => clearTimeout(lingering))
}

/** For the answer under way: Node calls `destroySoon` once it is sent, if it is the connection's last. */
export function lingerAfterAnswer(connection: Socket): void {
  connection.destroySoon = () => {
    if (connection.writable) endAndLinger(connection)
  }
}
