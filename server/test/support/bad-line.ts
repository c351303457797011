// A gateway at the end of a bad line: the sandbox as a server, to which charges can get lost on the way, or be held up.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { memoryBooks } from '../../src/gateways/sandbox/books.ts'
import { createSandboxServer } from '../../src/gateways/sandbox/server.ts'
import type { Client } from './client.ts'

export interface BadLine {
  /** How many operations were sent. */
  sendings: number
  /** Operations never arrive, and the connection breaks. */
  loses: boolean
  /** Nothing arrives, whatever is asked. */
  isDead: boolean
  /** Operations wait for this. */
  holds: Promise<void> | null
  /** The gateway, and a card that is stored there. */
  readonly gateway: string
  readonly card: string
  close(): Promise<void>
}

/** For a merchant whose other cards stay where they are. */
export async function connectBadLine(client: Client): Promise<BadLine> {
  const sandbox = createSandboxServer({ books: memoryBooks(), fingerprintKey: Buffer.alloc(32, 7) })
  const line = { sendings: 0, loses: false, isDead: false, holds: null as Promise<void> | null }
  const server = createServer(async (request, response) => {
    if (line.isDead) return void request.socket.resetAndDestroy()
    if (request.method === 'POST' && request.url === '/operations') {
      line.sendings += 1
      if (line.loses) return void request.socket.resetAndDestroy()
      await line.holds
    }
    sandbox.emit('request', request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const before = (await client.ask('gateways')).json.find((gateway: { default: boolean }) => gateway.default)
  const { json } = await client.ask('gateways', { json: { type: 'test', credentials: { url }, default: true } })
  const card = await client.storeCard()
  await client.ask(`gateways/${before.id}`, { method: 'PATCH', json: { default: true } })
  return Object.assign(line, {
    gateway: String(json.gateway.id),
    card,
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  })
}
