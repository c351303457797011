// The demo merchant's hook inbox: who may read and write it, what it believes, and that a charge is seen to arrive in it.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { hookBody, signDetails } from '@tillbell/sdk'
import { newKeyPair } from '../src/keys/key-pair.ts'
import { answered } from './support/answers.ts'
import { InboxVisitor } from './support/inbox.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
let inbox: InboxVisitor
before(async () => {
  service = await startTestService()
  inbox = new InboxVisitor(service)
})
after(() => service.stop())

/** How many hooks it holds. */
const count = async () => (await inbox.hooks()).length
const paths = ['endpoint', 'presale', 'transaction', 'far', 'error', 'update']

test('a charge arrives, signed, as the same details that the delivery shows', async () => {
  const { demo } = service
  const { id } = answered(await demo.charge(demo.offer, demo.card), 200).json.transaction
  const arrived = async () => (await inbox.hooks()).find(({ details }) => details.transaction === id)
  await until('the hook arrives', async () => (await arrived()) !== undefined)
  const hook = await arrived()
  assert.deepEqual([hook?.verified, hook?.path, hook?.details.type], [true, 'endpoint', 'success'])
  assert.equal(hook?.details.amount, '100.00')
  const [delivery] = answered(await demo.ask(`hook_deliveries?transaction=${id}`), 200).json
  await until('it is settled', async () => {
    const { state } = (await demo.ask(`hook_deliveries/${delivery.id}`)).json.hook_delivery
    return state === 'delivered'
  })
  const shown = (await demo.ask(`hook_deliveries/${delivery.id}`)).json.hook_delivery
  assert.deepEqual(JSON.parse(shown.details), hook?.details)
  assert.equal(hook?.details_text, shown.details, 'the exact text, so that anybody can verify it')
  assert.equal(signDetails(hook?.details_text ?? '', inbox.privateKey), hook?.signature)
})

test('it takes a hook of every kind, and lists them newest first', async () => {
  for (const path of paths) await inbox.receive({ type: 'x', path }, path)
  const hooks = (await inbox.hooks()).slice(0, paths.length)
  assert.deepEqual(
    hooks.map(({ path, details, verified }) => [path, details.path, verified]),
    paths.toReversed().map(path => [path, path, true]),
  )
  assert.match(String(hooks[0]?.at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
  const [newest, second] = hooks
  assert.deepEqual(await inbox.hooks(`?after=${second?.id}`), [newest])
  assert.deepEqual(await inbox.hooks(`?after=${newest?.id.toUpperCase()}`), [])
})

test('whoever has another key finds nothing, neither to read nor to write', async () => {
  const before = await count()
  const nothing = await fetch(`${service.baseUrl}/nothing`)
  const expected = { status: 404, text: await nothing.text(), type: nothing.headers.get('content-type') }
  const body = hookBody('{}', inbox.privateKey)
  const key = inbox.url.split('/').at(-1) ?? ''
  for (const other of ['', 'x', key.slice(1), `${key}x`, key.toLowerCase(), 'A'.repeat(43), '%00']) {
    const at = `${service.baseUrl}/inbox/${other}`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const answer of [
      ...[await fetch(at), await fetch(`${at}/hooks`), await fetch(`${at}/hooks?wait=1`), await fetch(`${at}/items`)],
      await fetch(`${at}/endpoint`, { method: 'POST', headers, body }),
    ]) {
      const { status } = answer
      assert.deepEqual({ status, text: await answer.text(), type: answer.headers.get('content-type') }, expected, other)
    }
  }
  assert.equal((await inbox.post('other', body)).status, 404)
  assert.equal(await count(), before)
})

test('what is not signed by the merchant is refused, and kept as not verified', async () => {
  const details = JSON.stringify({ type: 'success', note: 'paid with 4111 1111 1111 1111', nul: 'a' })
  const wrong = [
    hookBody(details, 'another key'),
    `details=${encodeURIComponent(`${details}%00\0`)}&signature=${signDetails(details, inbox.privateKey)}`,
    `details=${encodeURIComponent(details)}&signature=4111111111111111${'x'.repeat(5_000)}`,
    'details=&signature=',
  ]
  for (const body of wrong) {
    const answer = await inbox.post('transaction', body)
    assert.equal(answer.status, 403)
    assert.match(JSON.stringify(await answer.json()), /does not match/)
  }
  const [empty, , , first] = await inbox.hooks()
  assert.deepEqual([empty?.verified, empty?.details, empty?.details_text, empty?.signature], [false, null, '', ''])
  assert.deepEqual([first?.verified, first?.details], [false, null])
  assert.match(first?.details_text ?? '', /paid with \*{4} \*{4} \*{4} 1111/)
  const kept = await service.database.sql`select details || signature as text from inbox_hook where not verified`
  assert.equal(kept.length, wrong.length)
  for (const row of kept) assert.doesNotMatch(String(row.text), /4111.?1111.?1111.?1111|x{300}/)
})

test('what is no hook is refused in a sentence, and not kept', async () => {
  const before = await count()
  const form = 'application/x-www-form-urlencoded'
  const twice = `${hookBody('{}', inbox.privateKey)}&details=%7B%7D`
  for (const [body, type, status, errors] of [
    ['', form, 400, { details: 'details is required.', signature: 'signature is required.' }],
    ['details=%7B%7D', form, 400, { signature: 'signature is required.' }],
    ['signature=x', form, 400, { details: 'details is required.' }],
    [twice, form, 400, { details: 'details is required once.' }],
    [
      `${hookBody('{}', inbox.privateKey)}${'&a'.repeat(199)}`,
      form,
      400,
      { general: 'A hook has two fields: details and signature.' },
    ],
    ['{}', 'application/json', 415, { general: `A hook is a form: its Content-Type is ${form}.` }],
    [`details=${'x'.repeat(262_145)}`, form, 413, { general: 'The body is larger than 256 KiB.' }],
  ] as const) {
    const answer = await inbox.post('endpoint', body, type)
    assert.deepEqual([answer.status, await answer.json()], [status, { errors }])
    assert.equal(answer.headers.get('content-type'), 'application/json')
  }
  assert.equal(await count(), before)
  for (const query of ['?after=', '?after=x', '?after=a&after=b'])
    for (const path of ['items', 'hooks']) {
      const answer = await fetch(`${inbox.url}/${path}${query}`)
      assert.deepEqual(
        [answer.status, await answer.json()],
        [400, { errors: { after: 'after must be the id of a hook.' } }],
      )
    }
})

test('of a query 100 names are read, and the rest costs nothing', async () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `a${at}`).join('&')
  const status = async (count: number) => (await fetch(`${inbox.url}/hooks?${names(count)}&after=wrong`)).status
  assert.deepEqual([await status(99), await status(100)], [400, 200])
})

test('the largest details there can be are taken, however they grow on the wire', async () => {
  const details = { type: 'success', name: '語'.repeat(21_830) }
  assert.ok(Buffer.byteLength(JSON.stringify(details)) > 65_500)
  await inbox.receive(details)
  assert.deepEqual((await inbox.hooks())[0]?.details, details)
})

test('while keys change, a hook signed with the next or the former key is believed, with a deleted one not', async () => {
  const { sql } = service.database
  const { merchant } = service.demoSheet
  const sealed = async (state: string) => {
    await sql`update merchant_key set state = ${state} where merchant_id = ${merchant}`
    return (await inbox.post('endpoint', hookBody('{}', inbox.privateKey))).status
  }
  assert.deepEqual([await sealed('next'), await sealed('former')], [200, 200])
  const [key] = await sql`select id, private_key_sealed from merchant_key where merchant_id = ${merchant}`
  await sql`update merchant_key set state = 'deleted', private_key_sealed = null where merchant_id = ${merchant}`
  const gone = await inbox.post('endpoint', hookBody('{}', inbox.privateKey))
  await sql`update merchant_key set state = 'current', private_key_sealed = ${key?.privateKeySealed} where merchant_id = ${merchant}`
  assert.equal(gone.status, 403)
  assert.equal((await inbox.post('endpoint', hookBody('{}', newKeyPair().privateKey))).status, 403)
  await inbox.receive({})
})

test('one who waits is answered when something arrives', async () => {
  await inbox.receive({ type: 'before' })
  const [last] = await inbox.hooks()
  let answeredEarly = false
  const waiting = inbox.hooks(`?after=${last?.id}&wait=1`).then(hooks => {
    answeredEarly = true
    return hooks
  })
  // Another reader's whole round trip: had the first not waited, it would have its answer.
  await inbox.hooks()
  assert.equal(answeredEarly, false)
  await inbox.receive({ type: 'awaited' })
  assert.deepEqual(
    (await waiting).map(({ details }) => details.type),
    ['awaited'],
  )
  assert.equal((await inbox.hooks(`?after=${last?.id}&wait=1`)).length, 1)
})

test('one who follows sees every hook of a crowd, once', async () => {
  await inbox.receive({ number: 'none' })
  let after = (await inbox.hooks())[0]?.id
  const numbers = Array.from({ length: 150 }, (_, index) => index)
  const crowd = Promise.all(numbers.map(number => inbox.receive({ number })))
  const seen: number[] = []
  while (seen.length < numbers.length) {
    const hooks = await inbox.hooks(`?after=${after}&wait=1`)
    assert.notEqual(hooks.length, 0, `only ${seen.length} were seen`)
    seen.push(...hooks.map(({ details }) => details.number))
    after = hooks[0]?.id
  }
  await crowd
  assert.deepEqual(
    seen.sort((a, b) => a - b),
    numbers,
  )
})

test('the newest 200 are kept', async () => {
  const { sql } = service.database
  await Promise.all(Array.from({ length: 205 }, (_, number) => inbox.receive({ number })))
  assert.equal(await count(), 200)
  const [kept] = await sql`select count(*)::int as count from inbox_hook`
  assert.equal(kept?.count, 200)
  await inbox.receive({ number: 'the last' })
  const hooks = await inbox.hooks()
  assert.deepEqual([hooks.length, hooks[0]?.details.number], [200, 'the last'])
})

test('the page is whole without a script, and what a stranger wrote is text', async () => {
  const { demo } = service
  const card = await demo.storeCard(undefined, { first_name: 'Zoë', last_name: '<script>alert(1)</script>' })
  const { id } = answered(await demo.charge(demo.offer, card), 200).json.transaction
  await until('the hook arrives', async () => (await inbox.hooks()).some(({ details }) => details.transaction === id))
  const answer = await fetch(inbox.url)
  const page = await answer.text()
  assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  assert.match(String(answer.headers.get('x-request-id')), /^[0-9a-f-]{36}$/)
  const [, nonce = ''] =
    /script-src 'nonce-([\w-]{22})'/.exec(String(answer.headers.get('content-security-policy'))) ?? []
  assert.ok(page.includes(`<script nonce="${nonce}">`))
  assert.notEqual((await (await fetch(inbox.url)).text()).includes(nonce), true, 'a nonce is used once')
  const [, item = ''] = page.split(new RegExp(`<li id="${(await inbox.hooks())[0]?.id}"`))
  assert.match(item.split('</li>')[0] ?? '', new RegExp(`${id}[\\s\\S]*✓ signature verified`))
  assert.match(page, /Zoë &#60;script&#62;alert\(1\)/)
  const items = await fetch(`${inbox.url}/items`)
  assert.equal(items.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.ok(page.includes(await items.text()), 'the list alone is the same')
  assert.doesNotMatch(page, /<script>/)
})

test('an erased customer goes from the inbox too, also what arrives after', async () => {
  const { demo, database } = service
  const { sql } = database
  const email = 'grace.hopper@example.com'
  const card = await demo.storeCard(undefined, { email })
  const named = async () => (await inbox.hooks()).filter(({ details }) => details?.email === email)
  const { id } = answered(await demo.charge(demo.offer, card), 200).json.transaction
  await until('the hook arrives', async () => (await named()).length === 1)
  const [hook] = await named()
  const others = (await count()) - 1
  answered(await demo.ask('customers/erasures', { form: { email } }), 200)
  assert.deepEqual([await named(), await count()], [[], others])
  await inbox.receive(hook?.details)
  assert.equal((await named())[0]?.details.transaction, id)
  answered(await demo.ask('sandbox/clock', { form: { advance_s: '3600' } }), 200)
  assert.deepEqual(await named(), [])
  assert.ok((await count()) > 0)
  answered(await demo.ask('sandbox/clock', { form: { advance_s: String(91 * 86_400) } }), 200)
  assert.equal((await sql`select from inbox_hook`).length, 0)
})

test('the key is in no line of the log', () => {
  const key = inbox.url.split('/').at(-1) ?? ''
  assert.match(service.logged(), /"route":"\/inbox\/:key\/:path"/)
  assert.ok(!service.logged().includes(key))
})

test('one who waits does not hold the end up', { timeout: 60_000 }, async () => {
  const own = await startTestService()
  const waiting = http.get(`${new InboxVisitor(own).url}/hooks?wait=1`, { headers: { expect: '100-continue' } })
  const answer = once(waiting, 'response')
  await once(waiting, 'continue') // the service has it
  // Far less than anybody may wait.
  const late = new Promise<never>((_, reject) => setTimeout(reject, 10_000, new Error('it did not stop')).unref())
  const [[response]] = await Promise.race([Promise.all([answer, own.stop()]), late])
  assert.deepEqual([response.statusCode, JSON.parse(await text(response))], [200, { hooks: [] }])
})
