// A gateway at the end of a bad line: the sandbox as a server, to which charges can get lost on the way, or be held up.

import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { memoryBooks } from '../../src/gateways/sandbox/books.ts'
import { createSandboxServer } from '../../src/gateways/sandbox/server.ts'
import { type Client, send } from './client.ts'

export interface BadLine {
  /** How many operations were sent. */
  sendings: number
  /** Operations never arrive, and the connection breaks. */
  loses: boolean
  /** The last operation that was lost arrives after all; what the gateway answers, which nobody waits for any more. */
  arrive(): Promise<string>
  /** Nothing arrives, whatever is asked. */
  isDead: boolean
  /** Operations wait for this. */
  holds: Promise<void> | null
  /** The gateway, and a card that is stored there. */
  readonly gateway: string
  readonly card: string
  close(): Promise<void>
}

interface Lost {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const lateHeader = 'x-late'

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** For a merchant whose other cards stay where they are. */
export async function connectBadLine(client: Client): Promise<BadLine> {
  const sandbox = createSandboxServer({ books: memoryBooks(), fingerprintKey: Buffer.alloc(32, 7) })
  const line = { sendings: 0, loses: false, isDead: false, holds: null as Promise<void> | null }
  let lost: Lost | null = null
  const server = createServer(async (request, response) => {
    const isLate = request.headers[lateHeader] !== undefined
    if (line.isDead && !isLate) return void request.socket.resetAndDestroy()
    if (!isLate && request.method === 'POST' && request.url === '/operations') {
      line.sendings += 1
      if (line.loses) {
        lost = { headers: request.headers, body: await bodyOf(request) }
        return void request.socket.resetAndDestroy()
      }
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
    async arrive() {
      if (lost === null) throw new Error('nothing was lost')
      const { authorization = '', 'content-type': type = '' } = lost.headers
      const headers = { authorization, 'content-type': type, [lateHeader]: 'yes' }
      return (await send(`${url}/operations`, { method: 'POST', headers, body: lost.body })).text
    },
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  })
}
