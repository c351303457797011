// A line between an adapter and a gateway that fails at a byte of one's choice: cut, reset, or held up and delivered
// late, when the sender has long gone.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Way = 'request' | 'answer'
/** `hold`: what comes from that byte on stays on the line until it is delivered. */
export type Fault = 'cut' | 'reset' | 'hold'

export interface Counted {
  readonly bytes: number
  /** Where a head ended and its body began. */
  readonly headEnds: readonly number[]
}

export interface CuttingProxy {
  readonly port: number
  /** Counts bytes from now on, on whichever connection they come; at this one the line fails. */
  arm(way: Way, atByte: number, fault: Fault): void
  /** Counts from now on, and fails at nothing. */
  disarm(): void
  /** What came each way since it was armed or disarmed. */
  readonly counted: { readonly [way in Way]: Counted }
  /** Lets go of what was held, and waits until the gateway has answered it or turned it away. */
  deliver(): Promise<void>
  close(): Promise<void>
}

export async function openCuttingProxy(targetPort: number): Promise<CuttingProxy> {
  let plan: { way: Way; atByte: number; fault: Fault } | null = null
  let counted = nothingYet()
  const sockets = new Set<Socket>()
  const held: (() => Promise<void>)[] = []

  const server = createServer(client => {
    const gateway = connect(targetPort, '127.0.0.1')
    const line: Line = { client, gateway, holding: null }
    for (const socket of [client, gateway]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('data', bytes => pass(line, 'request', bytes))
    gateway.on('data', bytes => pass(line, 'answer', bytes))
    // What is held is delivered also when its sender has gone.
    client.on('close', () => line.holding === null && gateway.destroy())
    gateway.on('close', () => client.destroy())
  })

  function pass(line: Line, way: Way, bytes: Buffer): void {
    const to = way === 'request' ? line.gateway : line.client
    if (line.holding !== null) return void (line.holding.way === way ? line.holding.bytes.push(bytes) : to.write(bytes))
    const before = counted[way].bytes
    counted[way] = countedOn(counted[way], bytes)
    if (plan === null || plan.way !== way || counted[way].bytes <= plan.atByte) return void to.write(bytes)
    const { fault, atByte } = plan
    plan = null
    const passed = bytes.subarray(0, Math.max(0, atByte - before))
    if (passed.length > 0) to.write(passed)
    if (fault === 'hold') hold(line, way, bytes.subarray(passed.length))
    else end(line, fault)
  }

  function hold(line: Line, way: Way, bytes: Buffer): void {
    const holding = { way, bytes: [bytes] }
    line.holding = holding
    held.push(async () => {
      const { gateway } = line
      if (way === 'answer' || gateway.destroyed) return void gateway.destroy()
      const answered = Promise.race([once(gateway, 'data'), once(gateway, 'close')])
      gateway.write(Buffer.concat(holding.bytes))
      await answered
      gateway.destroy()
    })
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const count = () => {
    counted = nothingYet()
  }
  return {
    port: (server.address() as AddressInfo).port,
    get counted() {
      return counted
    },
    arm(way, atByte, fault) {
      count()
      plan = { way, atByte, fault }
    },
    disarm() {
      count()
      plan = null
    },
    async deliver() {
      await Promise.all(held.splice(0).map(letGo => letGo()))
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
      assert.equal(held.length, 0, 'something is still held')
    },
  }
}

function nothingYet(): { [way in Way]: Counted } {
  return { request: { bytes: 0, headEnds: [] }, answer: { bytes: 0, headEnds: [] } }
}

/** A head is written at once, so it ends in one piece. */
function countedOn({ bytes, headEnds }: Counted, came: Buffer): Counted {
  const end = came.indexOf('\r\n\r\n')
  return { bytes: bytes + came.length, headEnds: end < 0 ? headEnds : [...headEnds, bytes + end + 4] }
}

interface Line {
  readonly client: Socket
  readonly gateway: Socket
  holding: { readonly way: Way; readonly bytes: Buffer[] } | null
}

/** What has passed arrives before the end does. */
function end({ client, gateway }: Line, fault: 'cut' | 'reset'): void {
  if (fault === 'cut') {
    client.end()
    gateway.end()
  } else {
    client.resetAndDestroy()
    gateway.resetAndDestroy()
  }
}
