// A server that speaks Braintree's HTTP API as its public library and documentation describe it: requests in JSON,
// answers in XML. It keeps books, checks what it is sent, and fails on demand.

import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { createBooks, type Entry } from './books.ts'
import { answerBadly, type Fault } from './faults.ts'
import { type Answer, createRoutes, type MerchantAccount } from './routes.ts'
import { createVault } from './vault.ts'

export const merchantAccounts: readonly MerchantAccount[] = [
  { id: 'shop_usd', currency: 'USD', isDefault: true },
  { id: 'shop_eur', currency: 'EUR', isDefault: false },
  { id: 'shop_jpy', currency: 'JPY', isDefault: false },
]

/** One row for each thing that it holds, took or gave back, or refused. */
export interface LedgerRow {
  readonly gatewayRef: string
  readonly kind: 'charge' | 'refund'
  readonly transactionId: string
  readonly operationId: string
  readonly status: string
  readonly amountMinor: bigint
  readonly currency: string
}

export interface FakeBraintree {
  readonly port: number
  readonly credentials: { readonly [name: string]: unknown }
  /** Once. */
  failNext(fault: Fault): void
  /** Each request that came, as `POST /transactions`. */
  readonly asked: readonly string[]
  ledger(): readonly LedgerRow[]
  /** Less what was given back: what it holds or has taken of one of our transactions. */
  balanceOf(transactionId: string): bigint
  entry(gatewayRef: string): Entry
  /** The night passes. */
  settleAll(): void
  turn(gatewayRef: string, status: string): void
  /** The next sale is approved for half of its amount. */
  approvePartly(): void
  close(): Promise<void>
}

const keys = { merchantId: 'tillbelltest', publicKey: 'public4tests', privateKey: 'private4tests' }
const authorization = `Basic ${Buffer.from(`${keys.publicKey}:${keys.privateKey}`).toString('base64')}`

export async function openFakeBraintree({ pageSize = 50 } = {}): Promise<FakeBraintree> {
  const books = createBooks()
  const route = createRoutes(books, createVault(), { merchantAccounts, pageSize })
  const faults: Fault[] = []
  const asked: string[] = []

  const server = createServer(async (request, response) => {
    const body = await bodyOf(request).catch(() => undefined)
    if (body === undefined) return // it broke off, and nobody waits for an answer
    const path = (request.url ?? '').replace(`/merchants/${keys.merchantId}`, '')
    const line = `${request.method} ${path}`
    asked.push(line)
    const index = faults.findIndex(({ at }) => at.test(line))
    const [fault] = index === -1 ? [] : faults.splice(index, 1)
    const answer = (): Answer => (isAllowed(request) ? route(line, body) : { status: 401, xml: null })
    const { status, xml } = fault?.executes === false ? { status: 200, xml: null } : answer()
    if (fault !== undefined) return answerBadly(response, fault, xml ?? '')
    const isPacked = request.headers['accept-encoding'] === 'gzip'
    response.writeHead(status, {
      'content-type': xml === null ? 'text/plain' : 'application/xml; charset=utf-8',
      ...(isPacked && { 'content-encoding': 'gzip' }),
    })
    response.end(isPacked ? gzipSync(xml ?? '') : (xml ?? ''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const entry = (gatewayRef: string): Entry => {
    const found = books.find(gatewayRef)
    if (found === undefined) throw new Error(`no transaction ${gatewayRef}`)
    return found
  }
  return {
    port,
    credentials: credentialsAt(port),
    failNext: fault => void faults.push(fault),
    asked,
    ledger: () => books.all().map(rowOf),
    balanceOf: transactionId => balanceOf(books.all().filter(each => rowOf(each).transactionId === transactionId)),
    entry,
    settleAll: () => void books.all().map(books.settle),
    turn: (gatewayRef, status) => void books.turn(entry(gatewayRef), status),
    approvePartly: books.approvePartly,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** The same account, also through another port of this machine. */
export function credentialsAt(port: number): { readonly [name: string]: unknown } {
  return {
    merchant_id: keys.merchantId,
    public_key: keys.publicKey,
    private_key: keys.privateKey,
    environment: 'sandbox',
    merchant_accounts: { USD: 'shop_usd', EUR: 'shop_eur', JPY: 'shop_jpy' },
    api_base: `http://127.0.0.1:${port}`,
  }
}

function isAllowed({ headers }: IncomingMessage): boolean {
  return headers.authorization === authorization && headers['x-apiversion'] === '6'
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? null : JSON.parse(text)
}

function rowOf({ id, type, status, orderId, amountMinor, currency }: Entry): LedgerRow {
  const [transactionId = '', operationId = ''] = orderId.split('/')
  const kind = type === 'sale' ? 'charge' : 'refund'
  return { gatewayRef: id, kind, transactionId, operationId, status, amountMinor, currency }
}

const held = ['authorized', 'submitted_for_settlement', 'settling', 'settled']

function balanceOf(entries: readonly Entry[]): bigint {
  const counted = entries.filter(({ status }) => held.includes(status))
  if (counted.filter(({ type }) => type === 'sale').length > 1) throw new Error('charged twice')
  return counted.reduce((sum, { type, amountMinor }) => (type === 'sale' ? sum + amountMinor : sum - amountMinor), 0n)
}
