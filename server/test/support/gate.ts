// A proxy between the service and something outside, which can hold one message on its way and deliver it late, even
// after its sender has died: what networks do.

import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'

export interface Gate {
  readonly port: number
  /** Holds the next message in this direction. */
  holdNext(direction: 'request' | 'answer'): Held
  close(): Promise<void>
}
export interface Held {
  /** Resolves when a message is held. */
  readonly reached: Promise<void>
  release(): void
}

interface Waiting extends Held {
  readonly direction: 'request' | 'answer'
  readonly hold: (deliver: () => void) => void
}

export async function openGate(targetPort: number): Promise<Gate> {
  let waiting: Waiting | null = null
  const sockets = new Set<Socket>()

  function pass(direction: 'request' | 'answer', from: Socket, to: Socket): void {
    // One that is held keeps those behind it on the same connection waiting: bytes arrive in order.
    let before: Promise<void> = Promise.resolve()
    const next = (step: () => void | Promise<void>) => {
      before = before.then(step)
    }
    from.on('data', chunk => {
      const deliver = () => {
        if (to.writable) to.write(chunk)
      }
      const held = waiting?.direction === direction ? waiting : null
      if (held === null) return next(deliver)
      waiting = null
      next(() => new Promise<void>(resolve => held.hold(resolve)))
      next(deliver)
    })
    from.on('end', () => next(() => void to.end()))
    from.on('error', () => {})
  }

  const server = net.createServer({ allowHalfOpen: true }, client => {
    const target = net.connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true })
    for (const socket of [client, target]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    pass('request', client, target)
    pass('answer', target, client)
    target.on('error', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    holdNext(direction) {
      const reached = Promise.withResolvers<void>()
      let deliver: (() => void) | null = null
      const held: Waiting = {
        direction,
        reached: reached.promise,
        hold(later) {
          deliver = later
          reached.resolve()
        },
        release: () => deliver?.(),
      }
      waiting = held
      return held
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
