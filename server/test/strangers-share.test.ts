// What anybody may ask for costs the event loop that payments share: one network gets a part of it, and the rest is refused.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { refusals, refusedAfterMs, strangersPoints } from '../src/http/strangers.ts'
import { answered, answeredAbout } from './support/answers.ts'
import { signedIn } from './support/console.ts'
import { sendFrom } from './support/from-address.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

/** What one network is given of what it asks for at once. */
const pointsAtOnce = strangersPoints.burst + strangersPoints.waitingMax

/** From an address of this machine that no other test uses. */
const get = (path: string, localAddress: string, headers = {}) => send(path, localAddress, { headers })
const send = (path: string, localAddress: string, more: Parameters<typeof sendFrom>[2]) =>
  sendFrom(localAddress, new URL(path, service.baseUrl), more)

const inbox = () => new URL(String(service.demoSheet.inbox_url)).pathname

const paths = (): { readonly [name: string]: readonly [path: string, points: number, form?: string] } => ({
  'a search': ['/docs/search?q=e+t+a+o+i+n+s+r', 12],
  'a QR code': [`/offers/${service.demo.offer}.png`, 12],
  'a page': [`/offers/${service.demo.offer}`, 3],
  'the API document': ['/api/v5/openapi.json', 6],
  'what is not there': ['/nothing-here', 3],
  'a path that cannot be read': ['/%ZZ', 1],
  health: ['/healthz', 1],
  'the dashboard': ['/dashboard', 1],
  'REST without credentials': ['/api/v5/rest/transactions', 1],
  'a made-up session': ['/console/me', 1],
  'an inbox that nobody has': ['/inbox/x/hooks', 3],
  'what is no hook': [`${inbox()}/endpoint`, 3, 'details=%7B%7D'],
  'a hook of many fields': [`${inbox()}/endpoint`, 3, 'a&'.repeat(130_000)],
  'a hook that is too large': [`${inbox()}/endpoint`, 3, `details=${'x'.repeat(262_145)}`],
  'a kind of hook that is not there': [`${inbox()}/x`, 3, 'details=%7B%7D&signature=x'],
})

test('one network gets its points and no more, whatever it asks for, and another gets its own', async () => {
  for (const [index, [name, [path, points, form]]] of Object.entries(paths()).entries()) {
    const [one, other] = [`127.1.${index}.1`, `127.1.${index}.2`]
    const beganMs = performance.now()
    const asked = Math.ceil((1.25 * pointsAtOnce) / points)
    const answers = await Promise.all(Array.from({ length: asked }, () => send(path, one, { form })))
    const most = (strangersPoints.burst + (strangersPoints.perS * (performance.now() - beganMs)) / 1_000) / points
    // A route may have a limit of its own as well.
    const refused = answers.filter(({ text }) => text.includes('Too many requests came from your network'))
    const [given, least] = [answers.length - refused.length, Math.floor(pointsAtOnce / points)]
    assert.ok(given <= most && given >= least, `${name}: ${given} were answered, ${least} to ${most} may be`)
    for (const { status, headers } of refused) {
      assert.equal(status, 429, name)
      assert.match(String(headers['retry-after']), /^[1-9]$/)
    }
    assert.notEqual((await send(path, other, { form })).status, 429, `${name}: another network was refused`)
  }
})

test('refusals of one network are answered one after the other, also to those on many connections', async () => {
  const beganMs = performance.now()
  const asked = 1.5 * pointsAtOnce
  // What costs the most, so that most are refused however slowly they come from here.
  const [path] = paths()['a search'] ?? assert.fail()
  const answers = await Promise.all(
    Array.from({ length: asked }, async () => {
      const { status } = await get(path, '127.1.50.1')
      return { status, afterMs: performance.now() - beganMs }
    }),
  )
  const refused = answers.filter(({ status }) => status === 429).map(({ afterMs }) => afterMs)
  refused.sort((a, b) => a - b)
  assert.ok(refused.length >= 100, `${refused.length} of ${asked} were refused`)
  for (const [index, afterMs] of refused.entries()) {
    const most = refusals.burst + (refusals.perS * (afterMs - refusedAfterMs)) / 1_000 + 1
    assert.ok(index < most, `${index + 1} refusals were answered after ${afterMs} ms`)
  }
})

test('a merchant and a person who are known are not counted, whatever their network asks', async () => {
  const { demo, demoSheet, baseUrl } = service
  const person = await signedIn(baseUrl, demoSheet.dashboard)
  answered(await demo.ask('offers'), 200)
  assert.equal((await person.ask('me')).status, 200)
  let isOver = false
  let refused = 0
  const flood = Array.from({ length: 2 * pointsAtOnce }, async () => {
    while (!isOver) if ((await get('/healthz', '127.0.0.1')).status === 429) refused += 1
  })
  try {
    await until('the flood is refused', async () => refused >= 64)
    for (let asked = 0; asked < 20; asked++) {
      answered(await demo.ask('offers'), 200)
      assert.equal((await person.ask('me')).status, 200)
    }
  } finally {
    isOver = true
    await Promise.all(flood)
  }
})

test('credentials that were right are no way around it elsewhere, nor once they are revoked', async () => {
  const client = await service.newMerchant()
  const headers = { authorization: client.authorization }
  const isHeldToItsShare = async (path: string, points: number, localAddress: string) => {
    const beganMs = performance.now()
    const asked = Array.from({ length: 1.25 * pointsAtOnce }, () => get(path, localAddress, headers))
    const isRefused = ({ text }: { text: string }) => text.includes('Too many requests came from your network')
    const given = (await Promise.all(asked)).filter(answer => !isRefused(answer)).length
    const most = (strangersPoints.burst + (strangersPoints.perS * (performance.now() - beganMs)) / 1_000) / points
    assert.ok(given <= most, `${path}: ${given} were answered, ${most} may be`)
  }
  answered(await client.ask('offers'), 200)
  await isHeldToItsShare('/docs/search?q=a', 12, '127.2.0.1')
  await service.database.sql`delete from api_key where merchant_id = ${client.merchant}`
  answered(await client.ask('offers'), 401)
  await isHeldToItsShare('/api/v5/rest/offers', 1, '127.2.0.2')
})

/** Of so many requests at once: those that were refused for being too many, and how soon the first of them. */
async function refusedOf(count: number, ask: () => Promise<{ status: number | undefined }>) {
  const beganMs = performance.now()
  const answers = await Promise.all(
    Array.from({ length: count }, async () => {
      const { status } = await ask()
      return { status, afterMs: performance.now() - beganMs }
    }),
  )
  const refused = answers.filter(({ status }) => status === 429).map(({ afterMs }) => afterMs)
  return { given: count - refused.length, firstMs: Math.min(...refused), tookMs: performance.now() - beganMs }
}

test('a merchant who is known has a limit for what is refused at once, too', async t => {
  const perS = 40
  const own = await startTestService({ TILLBELL_REQUESTS_PER_S: String(perS) })
  t.after(() => own.stop())
  const { authorization } = own.demo
  answered(await own.demo.ask('offers'), 200)
  const url = `${own.baseUrl}/api/v5/rest/offers`
  const asked = await refusedOf(300, () => fetch(url, { headers: { authorization, 'sec-fetch-site': 'cross-site' } }))
  const most = perS + (perS * asked.tookMs) / 1_000
  assert.ok(asked.given <= most, `${asked.given} were answered, ${most} may be`)
  assert.ok(asked.firstMs >= refusedAfterMs, `the first was refused after ${asked.firstMs} ms`)
})

test('a person who asks too much waits for each refusal, and one who has signed out is a stranger', async () => {
  const { newMerchant, baseUrl } = service
  const person = await signedIn(baseUrl, (await newMerchant()).login)
  assert.equal((await person.ask('me')).status, 200)
  const asked = await refusedOf(500, () => person.ask('me'))
  assert.ok(asked.given <= 200 + (50 * asked.tookMs) / 1_000, `${asked.given} were answered`)
  assert.ok(asked.firstMs >= refusedAfterMs, `the first was refused after ${asked.firstMs} ms`)
  await until('there is a turn again', async () => (await person.ask('me')).status === 200)
  const cookie = person.cookie
  assert.equal((await person.ask('session', { method: 'DELETE' })).status, 204)
  assert.equal((await get('/console/me', '127.3.0.1', { cookie })).status, 401)
  const beganMs = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 1.25 * pointsAtOnce }, () => get('/console/me', '127.3.0.1', { cookie })),
  )
  const given = answers.filter(({ text }) => !text.includes('Too many requests came from your network')).length
  const most = strangersPoints.burst + (strangersPoints.perS * (performance.now() - beganMs)) / 1_000
  assert.ok(given <= most, `${given} were answered, ${most} may be`)
})

test('what nobody signed is counted at the inbox, and of large hooks as many are listed as go into 256 KiB', async () => {
  const { demoSheet } = service
  const inbox = String(demoSheet.inbox_url)
  const post = (details: string) =>
    fetch(`${inbox}/transaction`, { method: 'POST', body: new URLSearchParams({ details, signature: 'none' }) })
  const tooLarge = await post('a'.repeat(65_537))
  assert.deepEqual(
    [tooLarge.status, await tooLarge.json()],
    [413, { errors: { details: 'details is larger than 64 KiB.' } }],
  )
  const largest = JSON.stringify('b'.repeat(65_534))
  for (let posted = 0; posted < 6; posted++) assert.equal((await post(largest)).status, 403)
  const { hooks } = (await (await fetch(`${inbox}/hooks`)).json()) as { hooks: { details_text: string }[] }
  assert.deepEqual(
    hooks.map(({ details_text }) => details_text),
    Array(4).fill(largest),
  )
  const asked = await refusedOf(pointsAtOnce, () => post('{}'))
  const most = (strangersPoints.burst + (strangersPoints.perS * asked.tookMs) / 1_000) / 3
  assert.ok(asked.given <= most, `${asked.given} were kept, ${most} may be`)
})

test('hooks that the sandbox sends to its own inbox do not count', async () => {
  const { demo, database } = service
  const charges = Math.ceil(pointsAtOnce / 3) + 50
  for (let made = 0; made < charges; made += 25)
    await Promise.all(
      Array.from({ length: 25 }, async () => answeredAbout(await demo.charge(demo.offer, demo.card), 200)),
    )
  await until('all arrived', async () => {
    const owed = await database.sql`select from whole_delivery where state <> 'delivered'`
    return owed.length === 0
  })
  const failed = await database.sql`select from attempt where status is distinct from 200`
  assert.equal(failed.length, 0)
})
