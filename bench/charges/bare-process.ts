// What a charge costs at the least: the same requests, the same three commits and the same hook as in Tillbell, with the same driver and
// on the same settings of PostgreSQL, and nothing else. No framework, no validation, no credentials, no states, no other way than
// success: whoever would use this loses money. It is the measure that Tillbell is held against.
//
//   1. read the offer and the card; commit the transaction, its key, and that Pre-Sale is about to be asked
//   2. post Pre-Sale, signed
//   3. commit its answer and the operation; post it to the gateway
//   4. commit the outcome, the event, its delivery and the answer
//   5. answer; post the hook, signed; write that it was delivered, many at a time

import { randomBytes } from 'node:crypto'
import { Agent, createServer, request as startRequest } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { hookBody } from '@tillbell/sdk'
import pg from 'pg'

const [databaseUrl = '', receiverUrl = '', gatewayUrl = ''] = process.argv.slice(2)
const privateKey = 'b'.repeat(64)
const pool = new pg.Pool({ connectionString: databaseUrl, max: 16, pipeline: true } as pg.PoolConfig)
const agent = new Agent({ keepAlive: true })
const receiver = new URL(receiverUrl)
const gateway = new URL(gatewayUrl)

await pool.query(`
  create table merchant (id text primary key, name text, private_key text);
  create table offer (id uuid primary key, merchant_id text, title text, amount_minor bigint, currency text, details jsonb);
  create table card (token text primary key, customer_email text, card_ref text, mask text);
  create table transaction (id uuid primary key, merchant_id text, offer_id uuid, card_token text, status text, amount_minor bigint,
    currency text, version int, created_at timestamptz, settled_at timestamptz);
  create table idempotency_key (key text primary key, transaction_id uuid, status int, answer text);
  create index on idempotency_key (transaction_id);
  create table pre_sale_request (transaction_id uuid primary key, url text, details text, status int, answer text);
  create table operation (id uuid primary key, transaction_id uuid, kind text, amount_minor bigint, outcome text, gateway_ref text);
  create index on operation (transaction_id);
  create table event (id uuid primary key, transaction_id uuid, kind text, details text, at timestamptz);
  create index on event (transaction_id);
  create table delivery (id uuid primary key, event_id uuid, url text, state text, attempts int, due_at timestamptz, settled_at timestamptz);
  create index on delivery (due_at) where state = 'pending';
  create table attempt (delivery_id uuid primary key, at timestamptz, status int, duration_ms int)`)

const offerId = crypto.randomUUID()
const cardToken = randomBytes(18).toString('base64url')
const stored = await askGateway('/cards', {
  number: '4111111111111111',
  expiryMonth: 12,
  expiryYear: new Date().getUTCFullYear() + 3,
  cvc: '123',
})
await pool.query(`insert into merchant values ('m_1', 'Shop', $1)`, [privateKey])
await pool.query(`insert into offer values ($1, 'm_1', 'Brass bell', 10000, 'USD', '{}')`, [offerId])
await pool.query(`insert into card values ($1, 'ada@example.com', $2, '1111')`, [cardToken, stored.cardRef])

/** Everything in one flight, committed by its last statement. */
async function commit(statements: readonly (readonly [name: string, text: string, values: readonly unknown[]])[]) {
  const client = await pool.connect()
  try {
    const sent = [
      client.query({ name: 'begin', text: 'begin' }),
      ...statements.map(([name, text, values]) => client.query({ name, text, values: [...values] })),
      client.query({ name: 'commit', text: 'commit' }),
    ]
    await Promise.all(sent)
  } finally {
    client.release()
  }
}

async function charge(key: string, body: { service_offer: string; token: string }): Promise<string> {
  const { rows } = await pool.query({
    name: 'facts',
    text: `select o.*, c.card_ref, c.mask, c.customer_email, m.name from offer o, card c, merchant m
      where o.id = $1 and c.token = $2 and m.id = o.merchant_id`,
    values: [body.service_offer, body.token],
  })
  const facts = rows[0]
  const [id, operationId, eventId, deliveryId] = Array.from({ length: 4 }, uuidv7) as [string, string, string, string]
  const details = (type: string) => JSON.stringify(detailsOf(type, id, facts))
  await commit([
    [
      't',
      `insert into transaction values ($1, 'm_1', $2, $3, 'Processing', $4, $5, 1, now())`,
      [id, facts.id, body.token, facts.amount_minor, facts.currency],
    ],
    ['k', 'insert into idempotency_key values ($1, $2)', [key, id]],
    ['p', 'insert into pre_sale_request values ($1, $2, $3)', [id, receiverUrl, details('pre_sale')]],
  ])
  await post(details('pre_sale'))
  await commit([
    ['pa', `update pre_sale_request set status = 200, answer = '' where transaction_id = $1`, [id]],
    ['o', `insert into operation values ($1, $2, 'charge', $3, 'pending')`, [operationId, id, facts.amount_minor]],
  ])
  const outcome = await askGateway('/operations', {
    ...{ id: operationId, transactionId: id, kind: 'charge', cardRef: facts.card_ref, capture: true },
    ...{ amountMinor: String(facts.amount_minor), currency: facts.currency },
  })
  const answer = JSON.stringify({ transaction: detailsOf('success', id, facts), errors: null })
  const told = details('success')
  await commit([
    [
      'tu',
      `update transaction set status = 'Successful', version = 2, settled_at = now() where id = $1 and version = 1`,
      [id],
    ],
    [
      'ou',
      `update operation set outcome = 'succeeded', gateway_ref = $2 where id = $1`,
      [operationId, outcome.gatewayRef],
    ],
    ['e', `insert into event values ($1, $2, 'transaction', $3, now())`, [eventId, id, told]],
    ['d', `insert into delivery values ($1, $2, $3, 'pending', 0, now())`, [deliveryId, eventId, receiverUrl]],
    ['ka', 'update idempotency_key set status = 200, answer = $2 where key = $1', [key, answer]],
  ])
  void deliver(deliveryId, told)
  return answer
}

const delivered: { id: string; durationMs: number }[] = []
let writing: NodeJS.Timeout | null = null

async function deliver(id: string, details: string): Promise<void> {
  const beganMs = performance.now()
  await post(details)
  delivered.push({ id, durationMs: Math.round(performance.now() - beganMs) })
  if (writing === null) writing = setTimeout(writeDelivered, 5)
}

async function writeDelivered(): Promise<void> {
  writing = null
  const batch = delivered.splice(0)
  await pool.query({
    name: 'delivered',
    text: `with r as (select * from unnest($1::uuid[], $2::int[]) r(id, duration_ms)),
        d as (update delivery d set state = 'delivered', attempts = 1, due_at = null, settled_at = now() from r where d.id = r.id)
      insert into attempt select id, now(), 200, duration_ms from r`,
    values: [batch.map(({ id }) => id), batch.map(({ durationMs }) => durationMs)],
  })
}

/** As much as a hook says. */
function detailsOf(type: string, id: string, facts: { [column: string]: unknown }) {
  const { title, amount_minor, currency, customer_email, mask, name } = facts
  return {
    ...{
      type,
      transaction: id,
      amount: Number(amount_minor) / 100,
      currency,
      service_offer: offerId,
      token: cardToken,
    },
    ...{
      offer: { title, amount: String(amount_minor) },
      merchant: name,
      card: { mask, type: 'visa', expiry: '12/2029' },
    },
    ...{ customer: { email: customer_email, first_name: 'Ada', last_name: 'Lovelace' }, filler: 'x'.repeat(700) },
  }
}

function uuidv7(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  const chance = randomBytes(10).toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${chance.slice(0, 3)}-8${chance.slice(3, 6)}-${chance.slice(6, 18)}`
}

function post(details: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const body = hookBody(details, privateKey)
  const socket = connect({ host: receiver.hostname, port: Number(receiver.port), noDelay: true })
  socket.once('error', reject)
  socket.once('data', () => {
    socket.destroy()
    resolve()
  })
  socket.write(
    'POST / HTTP/1.1\r\nAccept: */*\r\nContent-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n' +
      `Host: ${receiver.host}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  return promise
}

// biome-ignore lint/suspicious/noExplicitAny: it believes whatever the gateway says
function askGateway(path: string, asked: object): Promise<any> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const body = JSON.stringify(asked)
  const headers = {
    authorization: `Basic ${Buffer.from('bare:').toString('base64')}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  const request = startRequest(
    { agent, hostname: gateway.hostname, port: gateway.port, method: 'POST', path, headers },
    response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => (text += chunk))
      response.once('end', () => resolve(JSON.parse(text)))
    },
  )
  request.once('error', reject)
  request.end(body)
  return promise
}

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8').on('data', chunk => (text += chunk))
  request.once('end', async () => {
    const answer = await charge(String(request.headers['idempotency-key']), JSON.parse(text))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
    response.end(answer)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port, body: { service_offer: offerId, token: cardToken } })
})
process.on('disconnect', () => process.exit())
