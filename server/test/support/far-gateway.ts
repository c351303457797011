// A gateway that is really somewhere else, and can go away: the sandbox as a server, connected to a merchant.

import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { memoryBooks } from '../../src/gateways/sandbox/books.ts'
import { createSandboxServer } from '../../src/gateways/sandbox/server.ts'
import { type Client, send } from './client.ts'

export interface FarGateway {
  readonly id: string
  readonly url: string
  /** What it has done, by its own books. */
  ledger(): Promise<{ readonly transactionId: string; readonly kind: string; readonly state: string }[]>
  /** Ends connections that are kept for the next request. */
  hangUp(): void
  /** From now on nothing listens there. */
  goAway(): Promise<void>
}

/** New cards of the merchant are stored there. It takes so long for everything that it is asked. */
export async function connectFarGateway(client: Client, latencyMs = 0): Promise<FarGateway> {
  const server = createSandboxServer({ books: memoryBooks(), fingerprintKey: Buffer.alloc(32, 7) })
  if (latencyMs > 0) answerLater(server, latencyMs)
  // A test that fails before it goes away must end all the same.
  server.on('connection', socket => socket.unref())
  server.unref()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { status, json, text } = await client.ask('gateways', {
    json: { type: 'test', credentials: { url }, default: true },
  })
  if (status !== 200) throw new Error(text)
  return {
    id: json.gateway.id,
    url,
    async ledger() {
      const authorization = `Basic ${Buffer.from(`${json.gateway.id}:`).toString('base64')}`
      const answer = await send(`${url}/ledger`, { method: 'GET', headers: { authorization }, body: null })
      return answer.json.ledger
    },
    hangUp: () => server.closeAllConnections(),
    async goAway() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function answerLater(server: Server, latencyMs: number): void {
  const answer = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) =>
    setTimeout(() => {
      for (const each of answer) each.call(server, request, response)
    }, latencyMs),
  )
}
