// For tests: a peer at the other end of the adapter that says whatever a test wants it to say.

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { ChargeRequest, FollowUpRequest, Gateway, GatewayOutcome } from '../../../src/core/gateway.ts'
import type { GatewayId, OperationId, TransactionId } from '../../../src/core/ids.ts'
import type { Currency } from '../../../src/core/money.ts'
import { openStripe } from '../../../src/gateways/stripe/adapter.ts'

/** `head` begins with the request's head. */
export type Talk = (socket: Socket, head: string) => void

export interface Peer {
  readonly url: string
  readonly gateway: Gateway
  /** The first line of each request, in order. */
  readonly heard: readonly string[]
  close(): void
}

export const secrets = { secretKey: 'sk_test_51scripted', webhookSecret: 'whsec_scripted' }
const publishableKey = 'pk_test_51scripted'

export function openAt(url: string, keys = secrets, id = 'gw_scripted' as GatewayId): Gateway {
  return openStripe({ id, ...keys, publishableKey, apiBase: new URL(url), fingerprintKey: Buffer.alloc(32, 7) })
}

export async function openPeer(talk: Talk): Promise<Peer> {
  const sockets = new Set<Socket>()
  const heard: string[] = []
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', chunk => {
      const head = chunk.toString()
      heard.push(head.split(' HTTP/')[0] ?? '')
      talk(socket, head)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const gateway = openAt(url)
  const close = (): void => {
    gateway.close()
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url, gateway, heard, close }
}

export function response(status: number, body: string, headers = ''): string {
  return `HTTP/1.1 ${status} X\r\nrequest-id: req_1\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

export function saying(status: number, body: string, headers = ''): Talk {
  return socket => void socket.write(response(status, body, headers))
}

export function refusing(status: number, error: object, headers = ''): Talk {
  return saying(status, JSON.stringify({ error: { type: 'invalid_request_error', ...error } }), headers)
}

export const charge: ChargeRequest = {
  kind: 'charge',
  id: randomUUID() as OperationId,
  transactionId: randomUUID() as TransactionId,
  amountMinor: 1_000n,
  currency: 'USD' as Currency,
  cardRef: 'cus_1/pm_1',
  capture: true,
}
export const refund: FollowUpRequest = {
  kind: 'refund',
  id: randomUUID() as OperationId,
  transactionId: charge.transactionId,
  amountMinor: 1_000n,
  currency: charge.currency,
  chargeId: charge.id,
  chargeRef: 'pi_1',
}
export const goodIntent = {
  id: 'pi_1',
  object: 'payment_intent',
  status: 'succeeded',
  created: 1_790_000_000,
  amount: 1_000,
  amount_received: 1_000,
  amount_capturable: 0,
  currency: 'usd',
  capture_method: 'automatic',
  latest_charge: null,
  metadata: { tillbell_operation: charge.id, tillbell_transaction: charge.transactionId },
}
export const intent = (change: object = {}): string => JSON.stringify({ ...goodIntent, ...change })

export async function sentTo(talk: Talk, request: ChargeRequest | FollowUpRequest = charge): Promise<GatewayOutcome> {
  const { gateway, close } = await openPeer(talk)
  try {
    return await gateway.send(request, AbortSignal.timeout(2_000))
  } finally {
    close()
  }
}
