// A gateway that is really somewhere else, and can go away: the sandbox as a server, connected to a merchant.

import type { AddressInfo } from 'node:net'
import { memoryBooks } from '../../src/gateways/sandbox/books.ts'
import { createSandboxServer } from '../../src/gateways/sandbox/server.ts'
import type { Client } from './client.ts'

export interface FarGateway {
  readonly id: string
  readonly url: string
  /** From now on nothing listens there. */
  goAway(): Promise<void>
}

/** New cards of the merchant are stored there. */
export async function connectFarGateway(client: Client): Promise<FarGateway> {
  const server = createSandboxServer({ books: memoryBooks(), fingerprintKey: Buffer.alloc(32, 7) })
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
    async goAway() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
