// Everything that a crash test needs around the service: a database, the sandbox gateway as a process of its own behind
// a gate, a Pre-Sale endpoint that can be held, and a second service process that rescues what the first leaves behind.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, send } from './client.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { type Gate, type Held, openGate } from './gate.ts'
import { end, type ServiceProcess, spawnService, spawnTillbell } from './process.ts'

export interface PreSale {
  readonly url: string
  /** Transactions asked about, in order. */
  readonly asked: string[]
  holdNext(): Held
}

export interface CrashWorld {
  readonly database: TestDatabase
  readonly gate: Gate
  readonly preSale: PreSale
  readonly rescuer: ServiceProcess
  readonly sheet: MerchantSheet
  spawnVictim(roles?: string): Promise<ServiceProcess>
  clientOf(service: ServiceProcess): Client
  ledger(): Promise<LedgerRow[]>
  /** The customer comes back from 3-D Secure. */
  challenge(operationId: string, result: 'pass' | 'fail'): Promise<number>
  readonly gateway: string
  close(): Promise<void>
}

export interface LedgerRow {
  readonly operationId: string
  readonly transactionId: string
  readonly kind: 'charge' | 'capture' | 'void' | 'refund'
  readonly amountMinor: string
  readonly state: string
}

export interface CrashWorldOptions {
  readonly environment?: { readonly [name: string]: string }
  readonly rescuerRoles?: string
  readonly victimRoles?: string
  /** Another than the demo, whose mails go nowhere. */
  readonly ownMerchant?: boolean
}

export async function openCrashWorld(options: CrashWorldOptions = {}): Promise<CrashWorld> {
  const { rescuerRoles = 'api,worker', victimRoles = 'api', ownMerchant = false } = options
  const database = await freshDatabase()
  const dataFolder = await mkdtemp(join(tmpdir(), 'tillbell-crash-'))
  const sandbox = spawnTillbell(['sandbox-gateway', '--port', '0', '--json'], {})
  const sandboxUrl = await firstLine(sandbox.stdout).then(line => String(JSON.parse(line).url))
  const gate = await openGate(Number(new URL(sandboxUrl).port))
  // The same base address for all, as behind one load balancer.
  const shared = { TILLBELL_BASE_URL: 'http://tillbell.test' }
  const environment = { DATABASE_URL: database.url, TILLBELL_DATA: dataFolder, ...shared, ...options.environment }
  const rescuer = await spawnService({ ...environment, TILLBELL_ROLES: rescuerRoles })
  const sheet = await (ownMerchant ? newMerchant(environment) : demoSheet(join(dataFolder, 'demo.json')))
  const clientOf = ({ baseUrl }: ServiceProcess) => new Client(baseUrl, sheet.api_key, sheet.api_secret)
  const gateway = await connectGateway(clientOf(rescuer), `http://127.0.0.1:${gate.port}`)
  const { server, preSale } = await openPreSale()
  const authorization = `Basic ${Buffer.from(`${gateway}:`).toString('base64')}`
  return {
    database,
    gate,
    preSale,
    rescuer,
    sheet,
    gateway,
    clientOf,
    spawnVictim: (roles = victimRoles) => spawnService({ ...environment, TILLBELL_ROLES: roles }),
    async ledger() {
      const { json } = await send(`${sandboxUrl}/ledger`, { method: 'GET', headers: { authorization }, body: null })
      return json.ledger
    },
    async challenge(operationId, result) {
      const headers = { authorization, 'content-type': 'application/json' }
      const body = JSON.stringify({ result })
      return (await send(`${sandboxUrl}/operations/${operationId}/challenge`, { method: 'POST', headers, body })).status
    },
    async close() {
      await rescuer.kill('SIGTERM')
      await end(sandbox)
      await gate.close()
      server.close()
      server.closeAllConnections()
      await database.drop()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line
  throw new Error('it ended without a word')
}

interface MerchantSheet {
  readonly merchant: string
  readonly api_key: string
  readonly api_secret: string
  readonly private_key: string
}

async function newMerchant(environment: { readonly [name: string]: string }): Promise<MerchantSheet> {
  const words = ['merchant', 'create', '--name', 'Bells', '--email', 'owner@example.com', '--json']
  return JSON.parse(await firstLine(spawnTillbell(words, environment).stdout))
}

async function demoSheet(file: string): Promise<MerchantSheet> {
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => null)
    if (text !== null) return JSON.parse(text)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

async function connectGateway(client: Client, url: string): Promise<string> {
  const { status, json, text } = await client.ask('gateways', {
    json: { type: 'test', credentials: { url }, default: true },
  })
  assert.equal(status, 200, text)
  return json.gateway.id
}

async function openPreSale(): Promise<{ server: http.Server; preSale: PreSale }> {
  const asked: string[] = []
  let waiting: { hold: (answer: () => void) => void } | null = null
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const details = JSON.parse(new URLSearchParams(Buffer.concat(chunks).toString()).get('details') ?? '{}')
    asked.push(details.transaction)
    const answer = () => response.writeHead(200).end()
    if (waiting === null) return void answer()
    waiting.hold(answer)
    waiting = null
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/presale`
  const holdNext = (): Held => {
    const reached = Promise.withResolvers<void>()
    let answer: (() => void) | null = null
    waiting = {
      hold(later) {
        answer = later
        reached.resolve()
      },
    }
    return { reached: reached.promise, release: () => answer?.() }
  }
  return { server, preSale: { url, asked, holdNext } }
}
