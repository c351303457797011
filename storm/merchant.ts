// The merchant's application: it keeps its own list of what it was told, and lies, fails and hangs. One of its endpoints never works.

import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyHook } from '@tillbell/sdk'
import type { Chance } from './chance.ts'

export interface Merchant {
  readonly port: number
  /** Keys that are or were current. */
  readonly privateKeys: string[]
  /** How often each notification arrived that was answered with 2xx, by endpoint, transaction and type. */
  readonly accepted: ReadonlyMap<string, number>
  /** How often Pre-Sale was asked about each transaction. */
  readonly asked: ReadonlyMap<string, number>
  readonly badSignatures: number
  readonly requests: number
  /** Answers everything well from now on, but for the endpoint that never works. */
  recover(): void
  close(): Promise<void>
}

/** What an endpoint does now and then instead of its work. */
const moods = [
  'fails',
  'breaks',
  'breaks after half an answer',
  'answers late',
  'says a lot',
  'redirects',
  'hangs',
] as const

export async function openMerchant(chance: Chance, firstKey: string): Promise<Merchant> {
  const accepted = new Map<string, number>()
  const asked = new Map<string, number>()
  const privateKeys = [firstKey]
  let badSignatures = 0
  let requests = 0
  let isWell = false

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request)
    requests += 1
    const form = new URLSearchParams(body)
    const details = form.get('details') ?? ''
    const signature = form.get('signature') ?? ''
    if (!privateKeys.some(key => verifyHook(details, signature, key))) {
      badSignatures += 1
      return void response.writeHead(403).end()
    }
    const { transaction, type } = JSON.parse(details)
    if (request.url === '/pre-sale') count(asked, transaction)
    if (request.url === '/dead') return void response.writeHead(500).end()
    const mood = isWell || !chance.happens(0.15) ? 'is well' : chance.pick(moods)
    if (mood === 'is well' || mood === 'answers late' || mood === 'says a lot')
      count(accepted, `${request.url} ${transaction} ${type}`)
    behave(mood, request, response, chance)
  }

  const server = http.createServer((request, response) => void take(request, response).catch(() => response.destroy()))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    privateKeys,
    accepted,
    asked,
    get badSignatures() {
      return badSignatures
    },
    get requests() {
      return requests
    },
    recover() {
      isWell = true
    },
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function behave(
  mood: (typeof moods)[number] | 'is well',
  request: IncomingMessage,
  response: ServerResponse,
  chance: Chance,
): void {
  switch (mood) {
    case 'is well':
      return void response.writeHead(200).end()
    case 'fails':
      return void response.writeHead(chance.pick([400, 404, 429, 500, 503])).end('not now')
    case 'breaks':
      return void request.socket.resetAndDestroy()
    case 'breaks after half an answer':
      response.writeHead(200, { 'content-length': 100 }).write('half of')
      return void setTimeout(() => request.socket.resetAndDestroy(), 5)
    case 'answers late':
      return void setTimeout(() => response.writeHead(200).end(), chance.between(50, 1_500))
    case 'says a lot':
      return void response.writeHead(200).end('x'.repeat(200_000))
    case 'redirects':
      return void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    case 'hangs':
      return
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function count(times: Map<string, number>, name: string): void {
  times.set(name, (times.get(name) ?? 0) + 1)
}
