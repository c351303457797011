// A local server that speaks Stripe's HTTP API, written from its public reference: stateful, in memory, with idempotency
// keys, webhooks, the pages of the cards' banks, and everything that can go wrong. It checks each request against the
// documented parameters and complains of what is not there. There is no search: it lags at Stripe, and proves nothing.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { serveCardFields } from './card-fields.ts'
import { challengedIn, serveChallenge, show } from './challenge-page.ts'
import { type Dashboard, openDashboard } from './dashboard.ts'
import { clash } from './endpoints.ts'
import { type Asked, breakdown, deliver, type Fault, Faults } from './faults.ts'
import { listIn, parseForm } from './form.ts'
import { IdempotencyKeys } from './idempotency.ts'
import { type Line, ledgerOf } from './ledger.ts'
import { expandIn } from './listing.ts'
import { problemWith } from './parameters.ts'
import { failure, type Reply } from './reply.ts'
import { type Matched, routeTo } from './routes.ts'
import { newState, randomText, type State } from './state.ts'
import { type Announcement, Webhooks } from './webhooks.ts'

export interface StripeServer {
  readonly url: string
  /** As a merchant gives them to us. */
  readonly credentials: {
    readonly secret_key: string
    readonly publishable_key: string
    readonly webhook_secret: string
    readonly api_base: string
  }
  readonly state: State
  /** Requests that Stripe's reference does not allow. A test ends by holding that there are none. */
  readonly complaints: string[]
  /** All that was asked, in order. */
  readonly asked: Asked[]
  /** Card numbers that were typed into its own fields in a browser. */
  readonly typed: readonly string[]
  readonly faults: Faults
  readonly webhooks: Webhooks
  readonly dashboard: Dashboard
  /** A day passes: keys are gone. */
  forgetKeys(): void
  /** By transaction, unless another name of the metadata is given. */
  ledger(name?: string): Map<string, Line>
  close(): Promise<void>
}

export async function startStripe(): Promise<StripeServer> {
  const state = newState()
  const world: World = {
    state,
    secretKey: `sk_test_${randomText(32)}`,
    publishableKey: `pk_test_${randomText(32)}`,
    typed: [],
    keys: new IdempotencyKeys(),
    faults: new Faults(),
    webhooks: new Webhooks(),
    complaints: [],
    asked: [],
  }
  const server = createServer((request, response) => {
    serve(world, request, response).catch(error => world.complaints.push(`It broke: ${error.stack}`))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  state.pagesUrl = url
  const { complaints, asked, faults, webhooks, typed } = world
  return {
    url,
    credentials: {
      secret_key: world.secretKey,
      publishable_key: world.publishableKey,
      webhook_secret: `whsec_${randomText(32)}`,
      api_base: url,
    },
    state,
    complaints,
    asked,
    typed,
    faults,
    webhooks,
    dashboard: openDashboard(state, async () => {
      const announcement = announce(world, { id: null, idempotency_key: null })
      announcement.with()
      announcement.after()
      await announcement.before()
      await webhooks.settled()
    }),
    forgetKeys: () => world.keys.forget(),
    ledger: (name = 'tillbell_transaction') => ledgerOf(state, name),
    async close() {
      webhooks.close()
      server.close()
      server.closeAllConnections()
    },
  }
}

interface World {
  readonly state: State
  readonly secretKey: string
  readonly publishableKey: string
  readonly typed: string[]
  readonly keys: IdempotencyKeys
  readonly faults: Faults
  readonly webhooks: Webhooks
  readonly complaints: string[]
  readonly asked: Asked[]
}

function announce({ state, webhooks }: World, request: Parameters<Webhooks['announce']>[1]): Announcement {
  return webhooks.announce(state.takeNews(), request, () => state.newId('evt'))
}

async function serve(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request)
  if (body === null) return
  const { pathname: path, search } = new URL(request.url ?? '/', 'http://stripe.test')
  const challenged = challengedIn(path)
  if (challenged !== null) {
    const shown = serveChallenge(world.state, challenged, request, body)
    return answer(world, response, { id: null, idempotency_key: null }, () => show(response, shown))
  }
  const field = serveCardFields(world, path, request, body)
  if (field !== null) return void response.writeHead(field.status, { 'content-type': field.type }).end(field.text)
  const form = parseForm(request.method === 'POST' ? body : search.slice(1))
  const key = headerOf(request, 'idempotency-key')
  const asked: Asked = { method: request.method ?? '', path, form, key, version: headerOf(request, 'stripe-version') }
  world.asked.push(asked)
  const fault = world.faults.take(asked)
  const requestId = `req_${randomText(14)}`
  const { status, text, headers, isLost } = await carryOut(world, request, asked, fault)
  const all = { 'request-id': requestId, ...(key !== null && { 'idempotency-key': key }), ...headers }
  if (isLost) return deliver(response, { status, text, headers: all }, fault)
  await answer(world, response, { id: requestId, idempotency_key: key }, () =>
    deliver(response, { status, text, headers: all }, fault),
  )
}

/** The answer, and what is told about the request's doings before it, with it and after it. */
async function answer(
  world: World,
  response: ServerResponse,
  request: Parameters<Webhooks['announce']>[1],
  send: () => void | Promise<void>,
): Promise<void> {
  const announcement = announce(world, request)
  world.state.doWhatWasLeft()
  await announcement.before()
  response.on('close', () => announcement.after())
  announcement.with()
  await send()
}

interface Outcome {
  readonly status: number
  readonly text: string
  readonly headers: { readonly [name: string]: string }
  /** It never got here. */
  readonly isLost: boolean
}

const outcome = ({ status, body, headers = {} }: Reply, isLost = false): Outcome => ({
  status,
  text: JSON.stringify(body, null, 2),
  headers,
  isLost,
})

/** In Stripe's order: credentials, limits, the key, the parameters, and only then the thing itself. */
async function carryOut(world: World, request: IncomingMessage, asked: Asked, fault: Fault | null): Promise<Outcome> {
  if (fault !== null && 'at' in fault && fault.at === 'before') return outcome(breakdown, true)
  if (!isAuthorized(request, world.secretKey)) return outcome(unauthorized)
  if (fault?.kind === 'refuse') return outcome(fault.reply)
  const route = routeTo(asked.method, asked.path)
  if (route === null) return outcome(complain(world, asked, unknownPath(asked)))
  if (asked.key !== null && asked.method !== 'POST') world.complaints.push(`${asked.method} with an idempotency key`)
  const begun = world.keys.begin({
    key: asked.method === 'POST' ? asked.key : null,
    endpoint: `${asked.method} ${asked.path}`,
    parameters: JSON.stringify(asked.form),
  })
  if (begun.kind === 'refused') return outcome(begun.reply)
  if (begun.kind === 'replay') {
    return { status: begun.status, text: begun.text, headers: { 'idempotent-replayed': 'true' }, isLost: false }
  }
  const problem = clash(route.name, asked.form) ?? problemWith(asked.form, route.parameters, route.required)
  if (problem !== null) {
    begun.leave()
    return outcome(complain(world, asked, problem))
  }
  // Others get in between, as they would: a twin finds the key in use.
  await (fault?.kind === 'hold' ? fault.until() : turn())
  const done = outcome(fault?.kind === 'breakdown' && fault.at === 'during' ? breakdown : run(world, route, asked))
  const kept = fault?.kind === 'breakdown' ? outcome(breakdown) : done
  begun.keep(kept.status, kept.text)
  return kept
}

function run({ state }: World, { name, id, run }: Matched, { form }: Asked): Reply {
  const reply = run({ state, id, form, endpoint: name })
  const refused = reply.status === 200 ? expandIn(state, reply.body, listIn(form, 'expand')) : null
  return refused ?? reply
}

function complain({ complaints }: World, { method, path }: Asked, reply: Reply): Reply {
  complaints.push(`${method} ${path}: ${JSON.stringify(reply.body)}`)
  return reply
}

const unauthorized = failure(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' })

function unknownPath({ method, path }: Asked): Reply {
  return failure(404, { type: 'invalid_request_error', message: `Unrecognized request URL (${method}: ${path}).` })
}

function isAuthorized(request: IncomingMessage, secretKey: string): boolean {
  const given = headerOf(request, 'authorization') ?? ''
  return given === `Bearer ${secretKey}` || given === `Basic ${Buffer.from(`${secretKey}:`).toString('base64')}`
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name]
  return typeof value === 'string' ? value : null
}

/** Null: whoever sent it went away half-way. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk)
  } catch {
    return null
  }
  return Buffer.concat(chunks).toString('utf8')
}
