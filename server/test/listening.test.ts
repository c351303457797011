// tillbell listen: the hooks of a merchant reach an app on a machine that nobody can call, and its answers count.

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type HookKind, parseHook } from '@tillbell/sdk'
import { readConfig } from '../src/config.ts'
import type { MerchantId } from '../src/core/ids.ts'
import { openFoundation } from '../src/foundation.ts'
import { startService } from '../src/main.ts'
import { openLog } from '../src/observe/log.ts'
import { relayRequests } from '../src/store/hook-listeners.ts'
import { forgetWhatIsOver } from '../src/store/retention.ts'
import { audited } from './support/audited.ts'
import { Client } from './support/client.ts'
import { tillbell } from './support/command.ts'
import { type App, type Listening, startApp, startListening } from './support/listening.ts'
import { startLosingProxy } from './support/losing-proxy.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
let app: App
let listening: Listening[] = []

before(async () => {
  service = await startTestService()
  await service.database.sql`update hook_endpoint set deleted_at = now()` // the demo's inbox
})
after(() => service.stop())
afterEach(async () => {
  await Promise.all(listening.map(each => each.kill('SIGINT')))
  listening = []
  await app?.close()
  await audited(service.database.sql)
})

async function listen(...words: string[]): Promise<Listening> {
  const target = words.includes('--forward-to') ? [] : ['--forward-to', `http://127.0.0.1:${app.port}/{kind}`]
  const one = await startListening([...target, ...words], { TILLBELL_DATA: service.dataFolder })
  listening.push(one)
  return one
}

/** So that it listens for another than the demo merchant, or elsewhere. */
function optionsOf({ authorization }: Pick<Client, 'authorization'>, url = service.baseUrl): string[] {
  const [key, secret] = Buffer.from(authorization.slice(6), 'base64').toString().split(':') as [string, string]
  return ['--url', url, '--key', key, '--secret', secret]
}

const charge = () => service.demo.charge(service.demo.offer, service.demo.card)
const chargeOf = async (amount: string) =>
  service.demo.charge(await service.demo.makeOffer({ amount }), service.demo.card)

async function deliveries(kind: HookKind) {
  const { json } = await service.demo.ask(`hook_deliveries?kind=${kind}&limit=10`)
  return json as { id: string; url: string; state: string; attempts: number }[]
}

const ofKind = (kind: string) => app.taken.filter(({ path }) => path === `/${kind}`)

test('every kind reaches the app, verified, in the bytes of a hook on the wire; and nothing else shows a listener', async () => {
  app = await startApp()
  const machine = await listen()
  const { json } = await charge()
  await chargeOf('4000.01')
  await chargeOf('4300.01')
  await service.demo.ask('transactions/refunds', { form: { transaction: json.transaction.id, amount: '1.00' } })
  for (const kind of ['pre_sale', 'transaction', 'error', 'far', 'update'] as const) {
    await until(`${kind} arrives`, async () => ofKind(kind).length > 0)
    for (const { body, rawHeaders } of ofKind(kind)) {
      const hook = parseHook(body, service.demoSheet.private_key, { kind })
      assert.equal(hook.kind, kind)
      const length = `${Buffer.byteLength(body)}`
      assert.deepEqual(rawHeaders, [
        ...['Accept', '*/*', 'Content-Type', 'application/x-www-form-urlencoded', 'Connection', 'close'],
        ...['Host', `127.0.0.1:${app.port}`, 'Content-Length', length],
      ])
    }
  }
  await machine.has('hook', app.taken.length)
  const line = machine.said().find(({ kind }) => kind === 'transaction')
  assert.deepEqual(
    [line.status, line.transaction, line.amount, line.late, line.hint],
    [200, json.transaction.id, '100.00', false, null],
  )
  await until('it is delivered', async () => (await deliveries('transaction'))[0]?.state === 'delivered')
  const [delivery] = await deliveries('transaction')
  const name = machine.said()[0].name
  assert.equal(delivery?.url, `listen://${name}`)
  const whole = await service.demo.ask(`hook_deliveries/${delivery?.id}`)
  assert.equal(whole.json.hook_delivery.attempts[0].response, 'GIF\uFFFD 200')
  assert.deepEqual((await service.demo.ask('hook_endpoints')).json, [])
  await until(
    'nothing is kept on the way',
    async () => (await service.database.sql`select from hook_relay`).count === 0,
  )
})

test('the app decides by its answer to Pre-Sale: 409 stops a sale, 500 fails it, 200 lets it through', async () => {
  app = await startApp()
  const machine = await listen('--kinds', 'pre_sale')
  for (const [answer, status, hint] of [
    [409, 'Failed', 'The sale is stopped.'],
    [500, 'Failed', 'The sale fails with an error.'],
    [403, 'Failed', 'Does your app have the Private Key of this merchant? The sale is stopped.'],
    [200, 'Successful', null],
  ] as const) {
    app.answers['/pre_sale'] = answer
    assert.equal((await charge()).json.transaction.status, status)
    await until('it is said', async () => machine.said().at(-1).status === answer)
    assert.equal(machine.said().at(-1).hint, hint)
  }
})

/** More than the command forwards at once. */
const slowSales = 12

test('Pre-Sale does not wait behind notifications, however slow the app is with them, and however many there are', async () => {
  app = await startApp()
  const shop = await service.newMerchant()
  const card = await shop.storeCard()
  const offer = await shop.makeOffer()
  const sell = async () => (await shop.charge(offer, card)).json.transaction.status
  await Promise.all(Array.from({ length: slowSales }, sell))
  const slow = ['/transaction', '/generic'].map(path => app.hold(path))
  const machine = await listen('--kinds', 'pre_sale,transaction,generic', '--backfill', '1h', ...optionsOf(shop))
  assert.equal(machine.said()[0].backfilled, 2 * slowSales)
  const { sql } = service.database
  await until('the app is busy, and the command has more for it', async () => {
    return app.taken.length >= 8 && (await sql`select from hook_relay where taken_at is not null`).count > 8
  })
  assert.equal(await sell(), 'Successful')
  assert.equal(ofKind('pre_sale').length, 1)
  assert.ok(!machine.said().some(({ kind }) => kind !== 'pre_sale' && kind !== undefined), 'all others still wait')
  for (const each of slow) each.letGo()
  await audited(service.database.sql, shop.merchant as MerchantId)
})

test('a poll takes Pre-Sale first, whatever else waits, and the rest beside it', async () => {
  const shop = await service.newMerchant()
  const { json } = await shop.ask('hook_listeners', { json: { kinds: ['pre_sale', 'transaction'] } })
  const { id } = json.hook_listener
  const { sql } = service.database
  for (const [kind, count] of [
    ['transaction', 20],
    ['pre_sale', 10],
  ] as const) {
    await sql`insert into hook_relay (merchant_id, id, listener_id, kind, headers, body, deadline)
      select ${shop.merchant}, uuidv7(), ${id}, ${kind}, '[]', 'details=', now() + interval '1 minute'
      from generate_series(1, ${count})`
  }
  const kindsOfPoll = async () => {
    const { json: rows } = await shop.ask(`hook_listeners/${id}/requests`)
    return rows.map(({ kind }: { kind: string }) => kind)
  }
  const [ofPreSale, others] = [Array(8).fill('pre_sale'), Array(8).fill('transaction')]
  assert.deepEqual(await kindsOfPoll(), [...ofPreSale, ...others])
  assert.deepEqual(await kindsOfPoll(), ['pre_sale', 'pre_sale', ...others])
  await shop.ask(`hook_listeners/${id}`, { method: 'DELETE' })
})

test('an answer that counts is not said to be late where the service’s reply to it was lost', async t => {
  app = await startApp()
  const answered = (path: string, body: string) => (path.endsWith('/answers') ? JSON.parse(body).request : null)
  const proxy = await startLosingProxy(service.baseUrl, answered)
  t.after(() => proxy.close())
  const machine = await listen('--kinds', 'pre_sale,transaction', ...optionsOf(service.demo, proxy.baseUrl))
  assert.equal((await charge()).json.transaction.status, 'Successful')
  await machine.has('hook', 2)
  assert.equal(proxy.lost.length, 2)
  for (const { status, late, hint } of machine.said().slice(1))
    assert.deepEqual([status, late, hint], [200, false, null])
  await machine.kill('SIGINT')
})

test('an app that is down has failed, and gets it again by the schedule', async () => {
  app = await startApp()
  const { port } = app
  const machine = await listen('--kinds', 'transaction')
  await app.close()
  await charge()
  await machine.has('hook')
  assert.equal(machine.said().at(-1).reason, `Nothing listens on port ${port} of 127.0.0.1.`)
  const failed = async () => (await deliveries('transaction'))[0]
  await until('the attempt is written', async () => (await failed())?.attempts === 1)
  assert.equal((await failed())?.state, 'pending')
  const { sql } = service.database
  const [endpoint] = await sql`select failing_since from hook_endpoint where deleted_at is null`
  assert.equal(endpoint?.failingSince, null, 'nobody is to be warned of it')
  app = await startApp(port)
  await service.demo.ask('sandbox/clock', { form: { advance_s: 300 } })
  assert.deepEqual([(await failed())?.state, (await failed())?.attempts], ['delivered', 2])
  assert.equal(app.taken.length, 1)
})

test('a service that is started anew finds its listener again, and nothing is lost', async () => {
  app = await startApp()
  const machine = await listen('--kinds', 'transaction')
  await service.restart()
  const { json } = await charge()
  await machine.has('hook')
  assert.equal(machine.said().at(-1).transaction, json.transaction.id)
  assert.deepEqual(
    machine.said().map(({ event }) => event),
    ['listening', 'lost', 'back', 'hook'],
  )
})

test('a service that stops lets no customer wait for a listener whose answer it would not take', async () => {
  const begun = await service.demo.ask('hook_listeners', { json: { kinds: ['pre_sale'] } })
  const path = `hook_listeners/${begun.json.hook_listener.id}`
  const polling = service.demo.ask(`${path}/requests`)
  const { sql } = service.database
  await until(
    'it asks',
    async () => (await sql`select from hook_listener where ended_at is null and polls > 0`).count > 0,
  )
  const selling = charge()
  assert.equal((await polling).json.length, 1)
  await service.restart()
  assert.equal((await selling).json.transaction.status, 'Failed')
  const [asked] = await sql`select reason from pre_sale_request order by id desc limit 1`
  assert.equal(asked?.reason, 'The service was stopped before the answer.')
  await service.demo.ask(path, { method: 'DELETE' })
})

test('of a listener’s polls the newest takes, none whose key was revoked, and the others do not go on', async () => {
  const shop = await service.newMerchant()
  const { sql } = service.database
  const { json } = await shop.ask('hook_listeners', { json: { kinds: ['transaction'] } })
  const { id } = json.hook_listener
  const poll = async (number: number) => {
    const asking = shop.ask(`hook_listeners/${id}/requests`)
    await until(
      'it asks',
      async () => (await sql`select from hook_listener where id = ${id} and polls = ${number}`).count > 0,
    )
    return { asking }
  }
  const send = async () => {
    await sql`insert into hook_relay (merchant_id, id, listener_id, kind, headers, body, deadline)
      values (${shop.merchant}, gen_random_uuid(), ${id}, 'transaction', '[]', 'details=', now() + interval '1 minute')`
    await sql`select pg_notify(${relayRequests}, ${id}::text)`
  }
  const older = await poll(1)
  const newer = await poll(2)
  assert.equal((await older.asking).status, 409)
  await send()
  assert.equal((await newer.asking).json.length, 1)
  const last = await poll(3)
  await sql`update api_key set revoked_at = now() where merchant_id = ${shop.merchant}`
  await send()
  assert.equal((await last.asking).status, 401)
  const [left] = await sql`select from hook_relay where listener_id = ${id} and taken_at is null`
  assert.notEqual(left, undefined, 'nobody has taken it')
  await sql`delete from hook_relay`
  await sql`update hook_endpoint set deleted_at = now() where listener_id = ${id}`
  await sql`update hook_listener set ended_at = now() where id = ${id}`
})

test('a machine that vanishes holds no sale up, and is forgotten when its time is over', async () => {
  app = await startApp()
  const machine = await listen()
  const { sql } = service.database
  await until(
    'it asks',
    async () => (await sql`select from hook_listener where ended_at is null and polls > 0`).count === 1,
  )
  await machine.kill('SIGKILL')
  await until('it is known to be gone', async () => {
    return (await sql`select from hook_listener where ended_at is null and present_until <= now()`).count === 1
  })
  const { json } = await charge()
  assert.equal(json.transaction.status, 'Failed')
  const [asked] = await sql`select reason, status from pre_sale_request order by id desc limit 1`
  assert.deepEqual(asked, {
    reason: 'Nobody listens: tillbell listen has ended there, or lost its connection.',
    status: null,
  })
  await sql`update hook_listener set seen_at = now() - interval '61 seconds' where ended_at is null`
  await until('its endpoints are gone', async () => {
    return (await sql`select from hook_endpoint where deleted_at is null`).count === 0
  })
  assert.equal((await charge()).json.transaction.status, 'Successful')
  await until('what it was owed is canceled', async () => (await deliveries('error'))[0]?.state === 'canceled')
})

test('one that was given up on begins anew, and asks for what it has missed', async () => {
  app = await startApp()
  const machine = await listen('--kinds', 'transaction')
  const { sql } = service.database
  await sql`update hook_endpoint set deleted_at = now() where deleted_at is null`
  const { json } = await charge()
  await service.demo.ask(`hook_listeners/${machine.said()[0].id}`, { method: 'DELETE' })
  await until('it comes', async () => machine.said().some(({ transaction }) => transaction === json.transaction.id))
  assert.ok(machine.said().some(({ sentence }) => /given up on us/.test(sentence ?? '')))
  assert.equal((await sql`select from hook_listener where ended_at is null`).count, 1)
})

const advance = (advance_s: number) => service.demo.ask('sandbox/clock', { form: { advance_s } })

test('the sandbox’s clock does not wait for a machine that vanished', async () => {
  app = await startApp()
  const shop = await service.newMerchant()
  const machine = await listen('--kinds', 'transaction', ...optionsOf(shop))
  app.answers['/transaction'] = 500
  await shop.charge(await shop.makeOffer(), await shop.storeCard())
  await machine.has('hook')
  const { sql } = service.database
  const listeners = (state: ReturnType<typeof sql>) =>
    sql`select from hook_listener where merchant_id = ${shop.merchant} and ended_at is null and ${state}`
  await until('it asks', async () => (await listeners(sql`polls > 0`)).count === 1)
  await machine.kill('SIGKILL')
  await until('it is known to be gone', async () => (await listeners(sql`present_until <= now()`)).count === 1)
  assert.equal((await advance(300)).status, 200)
  const { json } = await shop.ask('hook_deliveries?kind=transaction')
  assert.deepEqual([json[0].state, json[0].attempts], ['canceled', 1], 'nobody was asked')
})

test('what a machine missed while it slept comes, however far the sandbox’s clock was moved, and nothing twice', async () => {
  app = await startApp()
  const machine = await listen('--kinds', 'transaction')
  const sell = async () => (await charge()).json.transaction.id
  const sold = [await sell()]
  await until('it is delivered', async () => (await deliveries('transaction'))[0]?.state === 'delivered')
  machine.sleep()
  await service.demo.ask(`hook_listeners/${machine.said()[0].id}`, { method: 'DELETE' })
  sold.push(await sell())
  await advance(7_200)
  sold.push(await sell())
  machine.wake()
  await machine.has('hook', 3)
  sold.push(await sell())
  await machine.has('hook', 4)
  const came = machine.said().flatMap(({ event, transaction }) => (event === 'hook' ? [transaction] : []))
  assert.deepEqual(came.toSorted(), sold.toSorted(), 'several go to the app at once, in no order of their answers')
})

test('what was owed to one that was given up on is owed to the one that takes its place, however old it is', async () => {
  app = await startApp()
  const shop = await service.newMerchant()
  const card = await shop.storeCard()
  const offer = await shop.makeOffer()
  const sold = await Promise.all(
    Array.from({ length: slowSales }, async () => (await shop.charge(offer, card)).json.transaction.id),
  )
  await advance(3_600)
  const slow = app.hold('/transaction')
  const machine = await listen('--kinds', 'transaction', '--backfill', '2h', ...optionsOf(shop))
  await until('the app is busy', async () => app.taken.length >= 8)
  await shop.ask(`hook_listeners/${machine.said()[0].id}`, { method: 'DELETE' })
  await machine.has('note')
  slow.letGo()
  const taken = () => machine.said().flatMap(({ late, transaction }) => (late === false ? [transaction] : []))
  await until('all have come, and count', async () => taken().length >= slowSales)
  assert.deepEqual(taken().toSorted(), sold.toSorted())
  await audited(service.database.sql, shop.merchant as MerchantId)
})

test('what is asked at one process is answered through another', async () => {
  app = await startApp()
  const settings = { TILLBELL_PORT: '0', TILLBELL_METRICS_PORT: '0', TILLBELL_MAIL_PORT: '0' }
  const there = { TILLBELL_DATA: service.dataFolder, DATABASE_URL: service.database.url }
  const log = openLog('silent')
  const foundation = await openFoundation(readConfig({ ...settings, ...there }), 'owner', log)
  const second = await startService(foundation, log)
  try {
    await listen()
    const { api_key, api_secret } = service.demoSheet as unknown as { api_key: string; api_secret: string }
    const client = new Client(second.ownUrl, api_key, api_secret)
    app.answers['/pre_sale'] = 409
    assert.equal((await client.charge(service.demo.offer, service.demo.card)).json.transaction.status, 'Failed')
    app.answers['/pre_sale'] = 200
    assert.equal((await client.charge(service.demo.offer, service.demo.card)).json.transaction.status, 'Successful')
    await until('the notification arrives', async () => ofKind('transaction').length === 1)
  } finally {
    await second.stop()
    await foundation.close()
  }
})

test('what happened before is sent first, oldest first, and never Pre-Sale', async () => {
  app = await startApp()
  const shop = await service.newMerchant()
  const card = await shop.storeCard()
  const offer = await shop.makeOffer()
  const sold: string[] = []
  for (let each = 0; each < 3; each += 1) sold.push((await shop.charge(offer, card)).json.transaction.id)
  const { sql } = service.database
  const silent = await shop.ask('hook_listeners', { json: { backfill_s: 3_600 } })
  const due = await sql`select v.transaction_id as id from owed_delivery d
      join event v on v.merchant_id = d.merchant_id and v.id = d.event_id
    where d.merchant_id = ${shop.merchant} order by d.due_at`
  assert.deepEqual(
    due.map(({ id }) => id),
    sold,
  )
  await shop.ask(`hook_listeners/${silent.json.hook_listener.id}`, { method: 'DELETE' })
  const machine = await listen('--backfill', '1h', ...optionsOf(shop))
  assert.equal(machine.said()[0].backfilled, 3)
  await machine.has('hook', 3)
  assert.deepEqual(new Set(app.taken.map(({ path }) => path)), new Set(['/transaction']))
  await audited(service.database.sql, shop.merchant as MerchantId)
})

test('what is being sold while somebody begins to listen is sent as well', async () => {
  const shop = await service.newMerchant()
  const { json } = await shop.charge(await shop.makeOffer(), await shop.storeCard())
  const { sql } = service.database
  // As it is in the middle of the commit: the endpoints were read, and nobody sees the event yet.
  const [event] =
    await sql`delete from event where transaction_id = ${json.transaction.id} returning to_jsonb(event.*) as whole`
  const asked = await sql.begin(async scope => {
    await scope`insert into event select (jsonb_populate_record(null::event, ${JSON.stringify(event?.whole)}::jsonb)).*`
    const begun = shop.ask('hook_listeners', { json: { backfill_s: 3_600, kinds: ['transaction'] } })
    await until('it has its endpoint', async () => {
      return (await sql`select from hook_endpoint where merchant_id = ${shop.merchant}`).count === 1
    })
    return { begun }
  })
  const { json: answer } = await asked.begun
  assert.equal(answer.hook_listener.backfilled, 1)
  await shop.ask(`hook_listeners/${answer.hook_listener.id}`, { method: 'DELETE' })
})

test('a port alone is where the sdk expects hooks; Ctrl-C ends it at once, and nothing is sent again to nobody', async () => {
  app = await startApp()
  const machine = await listen('--kinds', 'transaction', '--forward-to', String(app.port))
  await charge()
  await machine.has('hook')
  assert.equal(app.taken[0]?.path, '/hooks/transaction')
  await until('it is delivered', async () => (await deliveries('transaction'))[0]?.state === 'delivered')
  await machine.kill('SIGINT')
  assert.equal(machine.exitCode(), 0)
  const { sql } = service.database
  assert.equal((await sql`select from hook_endpoint where deleted_at is null`).count, 0)
  const [delivery] = await deliveries('transaction')
  const { status, json } = await service.demo.ask(`hook_deliveries/${delivery?.id}/resend`, { form: {} })
  assert.equal(status, 409)
  assert.match(json.errors.general, /^Nobody listens there any more\./)
})

test('where its terminal is closed it ends as by Ctrl-C', async () => {
  app = await startApp()
  const machine = await listen('--kinds', 'transaction', ...optionsOf(await service.newMerchant()))
  await machine.kill('SIGHUP')
  assert.equal(machine.exitCode(), 0)
  assert.equal((await service.database.sql`select from hook_listener where ended_at is null`).count, 0)
})

test('where nobody reads what it says any more it ends as by Ctrl-C, without a stack, and leaves no endpoint behind', async () => {
  app = await startApp()
  const machine = await listen('--kinds', 'pre_sale,transaction')
  machine.closeOutput()
  assert.equal((await charge()).json.transaction.status, 'Successful')
  await machine.ended
  assert.deepEqual([machine.exitCode(), machine.complained()], [0, ''])
  const { sql } = service.database
  assert.equal((await sql`select from hook_listener where ended_at is null`).count, 0)
  assert.equal((await charge()).json.transaction.status, 'Successful')
})

test('two on one machine are told apart by the ports of their apps', async () => {
  app = await startApp()
  const other = await startApp()
  try {
    const own = optionsOf(await service.newMerchant())
    const machines = [await listen(...own), await listen('--forward-to', String(other.port), ...own)]
    const names = machines.map(machine => String(machine.said()[0].name))
    assert.ok(names[0]?.endsWith(`-${app.port}`) && names[1]?.endsWith(`-${other.port}`), names.join())
  } finally {
    await other.close()
  }
})

test('a key that is not known ends it with one sentence', async t => {
  app = await startApp()
  const words = ['listen', '--forward-to', String(app.port), '--url', service.baseUrl, '--key', 'k', '--secret', 's']
  const { code, stdout, stderr } = await tillbell(t, words, {})
  assert.deepEqual([code, stdout, stderr], [1, '', `${service.baseUrl} does not accept this API key and secret.\n`])
})

test('nobody else can take, answer or end what a merchant listens for; and at most five listen', async () => {
  app = await startApp()
  const other = await service.newMerchant()
  const { json } = await service.demo.ask('hook_listeners', { json: { kinds: ['transaction'] } })
  const path = `hook_listeners/${json.hook_listener.id}`
  await charge()
  const taken = await service.demo.ask(`${path}/requests`)
  const answer = { form: { request: taken.json[0].id, status: 200 } }
  for (const refused of [
    await other.ask(`${path}/requests?wait=1`),
    await other.ask(`${path}/answers`, answer),
    await other.ask(path, { method: 'DELETE' }),
  ]) {
    assert.equal(refused.status, 404)
  }
  assert.equal((await service.demo.ask(`${path}/answers`, answer)).status, 200)
  assert.equal((await service.demo.ask(`${path}/answers`, answer)).status, 404, 'it is answered once')
  await service.demo.ask(path, { method: 'DELETE' })
  const ids: string[] = []
  for (let each = 0; each < 5; each += 1) {
    ids.push((await other.ask('hook_listeners', { form: {} })).json.hook_listener.id)
  }
  const sixth = await other.ask('hook_listeners', { form: {} })
  assert.deepEqual([sixth.status, Object.keys(sixth.json.errors)], [422, ['general']])
  for (const id of ids) await other.ask(`hook_listeners/${id}`, { method: 'DELETE' })
})

test('what is over goes: what nobody answered within minutes, and listeners that were never sent anything', async () => {
  const { sql } = service.database
  const begun = await service.demo.ask('hook_listeners', { json: { kinds: ['far'] } })
  const { id, merchant } = begun.json.hook_listener
  await sql`insert into hook_relay (merchant_id, id, listener_id, kind, headers, body, deadline)
    values (${merchant}, gen_random_uuid(), ${id}, 'far', '[]', 'details=', now() - interval '2 minutes')`
  await service.demo.ask(`hook_listeners/${id}`, { method: 'DELETE' })
  await sql`update hook_listener set ended_at = now() - interval '2 hours'`
  const named = sql`select count(distinct e.listener_id)::int as count from hook_endpoint e where e.listener_id is not null
    and (exists (select from delivery d where d.endpoint_id = e.id)
      or exists (select from pre_sale_request p where p.endpoint_id = e.id))`
  const [stay] = await named
  const { retention } = readConfig({})
  while ((await forgetWhatIsOver(sql, retention, new Date())) > 0);
  assert.equal((await sql`select from hook_relay`).count, 0)
  assert.equal((await sql`select from hook_listener where id = ${id}`).count, 0)
  assert.equal((await sql`select from hook_listener`).count, stay?.count)
})
