// Letting go of connections that wait to be used again, and of no other: a charge may be on one of those.

import type { Agent } from 'node:http'

export function closeIdle(agent: Agent): void {
  // Not `destroy`, which ends those in use as well. They end by themselves when they have been idle for a while.
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}
