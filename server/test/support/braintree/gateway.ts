// The adapter, turned to the look-alike or to a peer that talks no Braintree at all.

import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { Gateway } from '../../../src/core/gateway.ts'
import { readAccount } from '../../../src/gateways/braintree/account.ts'
import { openBraintree } from '../../../src/gateways/braintree/adapter.ts'
import { credentialsAt, type FakeBraintree, openFakeBraintree } from './server.ts'

export function gatewayAt(port: number, more: { readonly [name: string]: unknown } = {}): Gateway {
  return openBraintree(readAccount({ ...credentialsAt(port), ...more }), Buffer.alloc(32, 7))
}

/** Closed with its test. */
export async function openTestGateway(
  context: TestContext,
  options?: { readonly pageSize: number },
): Promise<{ fake: FakeBraintree; gateway: Gateway }> {
  const fake = await openFakeBraintree(options)
  context.after(fake.close)
  return { fake, gateway: gatewayAt(fake.port) }
}

export async function openPeer(talk: (socket: Socket) => void): Promise<{ gateway: Gateway; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => talk(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    gateway: gatewayAt((server.address() as AddressInfo).port),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      if (server.listening) await once(server, 'close')
    },
  }
}
