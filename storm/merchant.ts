// The merchant's application: it keeps its own list of what it was told, and lies, fails and hangs. One of its endpoints never works.

import { createHash } from 'node:crypto'
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { standardWebhooksSignature, verifyHook } from '@tillbell/sdk'
import type { Chance } from './chance.ts'

export interface Merchant {
  readonly port: number
  /** How often each notification arrived that was answered with 2xx, by endpoint and what it says. */
  readonly accepted: ReadonlyMap<string, number>
  /** How often Pre-Sale was asked about each transaction. */
  readonly asked: ReadonlyMap<string, number>
  /** Why a request was not believed. */
  readonly disbelieved: readonly string[]
  learnKey(id: string, privateKey: string): void
  /** Of all keys that it has known, only this one is good from now on. */
  believeOnly(id: string): void
  /** Of the endpoint that has Standard Webhooks as well. */
  learnSecret(secret: string): void
  /** Answers everything well from now on, but for the endpoint that never works. */
  recover(): void
  close(): Promise<void>
}

/** What is told, so that two events of one transaction are two. */
export function nameOf(path: string, details: string): string {
  return `${path} ${createHash('sha256').update(details).digest('base64url')}`
}

/** What an endpoint does now and then instead of its work. */
const moods = [
  'fails',
  'breaks',
  'breaks after half an answer',
  'breaks after half a line',
  'answers late',
  'answers too late',
  'drips',
  'says a lot',
  'says that it failed, with 200',
  'redirects',
  'hangs',
] as const
type Mood = (typeof moods)[number] | 'is well'

/** Those after which a service may rightly take the notification for delivered. */
const accepting: readonly Mood[] = [
  ...(['is well', 'answers late', 'drips', 'says a lot', 'says that it failed, with 200'] as const),
  'answers too late', // but not for a process that stood still meanwhile
]

export async function openMerchant(chance: Chance, firstKeyId: string, firstKey: string): Promise<Merchant> {
  const accepted = new Map<string, number>()
  const asked = new Map<string, number>()
  const disbelieved: string[] = []
  const keys = new Map([[firstKeyId, firstKey]])
  let secret = ''
  let isWell = false

  function whyNot(body: string, headers: IncomingHttpHeaders, path: string): string | null {
    const form = new URLSearchParams(body)
    const [details, signature] = [form.get('details') ?? '', form.get('signature') ?? '']
    if (![...keys.values()].some(key => verifyHook(details, signature, key))) return `${path}: a wrong signature`
    return path === '/standard' ? whyNotStandard(body, headers, secret) : null
  }

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request)
    const path = request.url ?? ''
    const why = whyNot(body, request.headers, path)
    if (why !== null) {
      disbelieved.push(why)
      return void response.writeHead(403).end()
    }
    const details = new URLSearchParams(body).get('details') ?? ''
    if (path === '/pre-sale') count(asked, JSON.parse(details).transaction)
    // Late, so that workers have some of its answers in hand whatever happens to them; not any more when days pass in minutes.
    if (path === '/dead')
      return void setTimeout(() => response.writeHead(500).end(), isWell ? 0 : chance.between(0, 1_000))
    const mood = isWell || !chance.happens(0.15) ? 'is well' : chance.pick(moods)
    if (path !== '/pre-sale' && accepting.includes(mood)) count(accepted, nameOf(path, details))
    behave(mood, request, response, chance)
  }

  const server = http.createServer((request, response) => void take(request, response).catch(() => response.destroy()))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    ...{ accepted, asked, disbelieved },
    learnKey: (id, privateKey) => void keys.set(id, privateKey),
    believeOnly(id) {
      for (const known of keys.keys()) if (known !== id) keys.delete(known)
    },
    learnSecret(next) {
      secret = next
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

/** As the specification has it, and most libraries. */
const toleranceS = 300

function whyNotStandard(body: string, headers: IncomingHttpHeaders, secret: string): string | null {
  const [id, timestampS] = [String(headers['webhook-id']), Number(headers['webhook-timestamp'])]
  if (headers['webhook-signature'] !== standardWebhooksSignature({ id, timestampS, body }, secret))
    return `/standard: a wrong Standard Webhooks signature of ${id}`
  const offS = Math.round(Date.now() / 1_000 - timestampS)
  return Math.abs(offS) <= toleranceS ? null : `/standard: ${id} is dated ${offS} seconds ago`
}

function behave(mood: Mood, request: IncomingMessage, response: ServerResponse, chance: Chance): void {
  const breakOff = () => void setTimeout(() => request.socket.resetAndDestroy(), 5)
  switch (mood) {
    case 'is well':
      return void response.writeHead(200).end()
    case 'fails':
      return void response.writeHead(chance.pick([400, 404, 429, 500, 503])).end('not now')
    case 'breaks':
      return void request.socket.resetAndDestroy()
    case 'breaks after half an answer':
      response.writeHead(200, { 'content-length': 100 }).write('half of')
      return void breakOff()
    case 'breaks after half a line':
      request.socket.write('HTTP/1.1 20')
      return void breakOff()
    case 'answers late':
      return void setTimeout(() => response.writeHead(200).end(), chance.between(50, 1_500))
    case 'answers too late':
      return void setTimeout(() => response.writeHead(200).end(), chance.between(3_500, 5_000))
    case 'drips':
      return void drip(response, 'done slowly')
    case 'says a lot':
      return void response.writeHead(200).end('x'.repeat(200_000))
    case 'says that it failed, with 200':
      return void response.writeHead(200).end('{"error": "failed"}')
    case 'redirects':
      return void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    case 'hangs':
      return
  }
}

function drip(response: ServerResponse, text: string): void {
  if (text === '') return void response.end()
  response.write(text.slice(0, 1))
  setTimeout(() => drip(response, text.slice(1)), 100)
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function count(times: Map<string, number>, name: string): void {
  times.set(name, (times.get(name) ?? 0) + 1)
}
