// A line between two processes, which can break: cut, held up, silent for a while, or without its answers. Whoever is behind it may move.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A port of this machine, or the path of a socket. */
export type Target = number | string

/**
 * `silent`: nothing comes through, and nobody is told. `closed`: all that are on it are cut, and whoever calls is turned away. `deaf`: what
 * is asked arrives, and its answers never: whoever waits for one is cut when this ends.
 */
export type LineState = 'open' | 'silent' | 'closed' | 'deaf' | { readonly lateMs: number }

export interface Line {
  readonly port: number
  /** Null: nobody is there. */
  leadTo(target: Target | null): void
  /** Ends all that are on it, in the middle of what they say. */
  cut(): void
  turn(state: LineState): void
  close(): Promise<void>
}

export async function openLine(first: Target | null = null): Promise<Line> {
  let target = first
  let state: LineState = 'open'
  const sockets = new Set<Socket>()
  const answering = new WeakSet<Socket>()
  const server = createServer(near => {
    if (state === 'closed' || target === null) return void near.resetAndDestroy()
    const far = typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target)
    answering.add(far)
    pass(near, far)
    pass(far, near)
  })

  function pass(from: Socket, to: Socket): void {
    // What is late holds up what comes behind it: bytes arrive in their order.
    let before = Promise.resolve()
    const next = (deliver: () => void) => {
      const dueMs = performance.now() + (typeof state === 'object' ? state.lateMs : 0)
      before = before.then(() => moment(dueMs)).then(deliver)
    }
    sockets.add(from)
    from.setNoDelay(true)
    if (isHeld(from)) from.pause()
    from.on('data', bytes => next(() => to.writable && to.write(bytes)))
    from.on('end', () => next(() => to.end()))
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      next(() => to.destroy())
    })
  }

  const isHeld = (socket: Socket): boolean => state === 'silent' || (state === 'deaf' && answering.has(socket))

  function cut(): void {
    for (const socket of sockets) breakOff(socket)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(next) {
      target = next
    },
    cut,
    turn(next) {
      if (next === 'closed' || state === 'deaf') cut()
      state = next
      for (const socket of sockets) {
        if (isHeld(socket)) socket.pause()
        else socket.resume()
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** In the middle of a sentence. A socket that is a file cannot be reset. */
function breakOff(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
}

async function moment(dueMs: number): Promise<void> {
  const leftMs = dueMs - performance.now()
  if (leftMs > 0) await new Promise(resolve => setTimeout(resolve, leftMs))
}
