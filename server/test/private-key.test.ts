// Rotating the Private Key: the next one waits, is made current, and the old one can come back until it is deleted.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { verifyHook } from '@tillbell/sdk'
import { answered } from './support/answers.ts'
import { refusedWith, serve, stopped, tillbell } from './support/command.ts'
import { signedIn } from './support/console.ts'
import { type MerchantEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
let receiver: MerchantEndpoint
before(async () => {
  service = await startTestService()
  receiver = await startEndpoint(response => void response.writeHead(200).end())
})
after(async () => {
  await receiver.close()
  await service.stop()
})

const environment = () => ({
  DATABASE_URL: service.database.url,
  TILLBELL_DATA: service.dataFolder,
  TILLBELL_LOG: 'error',
})

const run = (t: TestContext, words: string[]) => tillbell(t, ['private-key', ...words], environment())

async function json(t: TestContext, words: string[]) {
  const { code, stdout, stderr } = await run(t, [...words, '--json'])
  assert.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout)
}

test('hooks are signed with the key that is current: the next, the one before, and never one that is destroyed', async t => {
  const { demo, demoSheet, database } = service
  const of = ['--merchant', demoSheet.merchant]
  const form = { kind: 'transaction', url: receiver.url, standard_webhooks: 'true' }
  const endpoint = answered(await demo.ask('hook_endpoints', { form }), 200).json.hook_endpoint.id
  const signedBy = async (privateKey: string) => {
    const test = await demo.ask(`hook_endpoints/${endpoint}/test`, { method: 'POST' })
    const { id, details, signature } = answered(test, 200).json.hook_delivery
    const sent = new URLSearchParams(receiver.received.at(-1)?.body)
    assert.ok(verifyHook(sent.get('details') ?? '', sent.get('signature') ?? '', privateKey))
    assert.ok(verifyHook(details, signature, privateKey))
    return id
  }
  const old = demoSheet.private_key
  const oldId = (await json(t, ['list', ...of]))[0].key
  const first = await signedBy(old)

  const next = await json(t, ['create', ...of])
  assert.deepEqual(Object.keys(next), ['merchant', 'key', 'state', 'public_key', 'private_key'])
  assert.match(next.private_key, /^[A-Za-z0-9+/]{43}=$/)
  refusedWith(await run(t, ['create', ...of]), 1, /a next key already/)
  await signedBy(old)

  const made = { merchant: demoSheet.merchant, key: next.key, state: 'current' }
  assert.deepEqual(await json(t, ['make-current', next.key.toUpperCase(), ...of]), made)
  assert.deepEqual(await json(t, ['make-current', next.key, ...of]), made, 'twice is as good as once')
  await signedBy(next.private_key)
  const earlier = answered(await demo.ask(`hook_deliveries/${first}`), 200).json.hook_delivery
  assert.ok(verifyHook(earlier.details, earlier.signature, next.private_key), 'also what was sent before')

  const back = await run(t, ['make-current', oldId, ...of])
  assert.match(back.stdout, /is current: it signs every hook from now on/)
  await signedBy(old)
  await json(t, ['make-current', next.key, ...of])
  refusedWith(await run(t, ['delete', next.key, ...of]), 1, /is current: make another one current first/)

  const deleted = await json(t, ['delete', oldId, '--compromised', ...of])
  const compromised = { merchant: demoSheet.merchant, key: oldId, state: 'deleted', compromised: true }
  assert.deepEqual(deleted, { ...compromised, revoked_tokens: 1, deactivated_offers: 0 }, 'the token of the demo offer')
  const again = { ...compromised, revoked_tokens: 0, deactivated_offers: 0 }
  assert.deepEqual(await json(t, ['delete', oldId, ...of]), again, 'what was compromised once stays so')
  const marked = await run(t, ['delete', oldId, '--compromised', ...of])
  assert.match(marked.stdout, /tokens that were revoked: 0; offers that were deactivated: 0\.\n$/)
  assert.match((await run(t, ['delete', oldId, ...of])).stdout, /Its public half opens no tokens any more\.\n$/)
  refusedWith(await run(t, ['make-current', oldId, ...of]), 1, /was deleted/)
  await signedBy(next.private_key)
  const rows =
    await database.sql`select state, private_key_sealed is null as destroyed, public_key <> '' as public_half, compromised
    from merchant_key where merchant_id = ${demoSheet.merchant} order by created_at`
  assert.deepEqual(
    rows.map(row => ({ ...row })),
    [
      { state: 'deleted', destroyed: true, publicHalf: true, compromised: true },
      { state: 'current', destroyed: false, publicHalf: true, compromised: false },
    ],
  )
  const { stdout } = await run(t, ['list', ...of])
  assert.match(
    stdout,
    new RegExp(`^KEY +CREATED +STATE\\n${oldId} .* deleted +Its private half is destroyed\\. It was`),
  )
  assert.match(stdout, new RegExp(`\\n${next.key} .* current +It signs every hook\\.\\n$`))
  assert.ok(!stdout.includes(next.private_key))

  const another = serve(t, { ...environment(), TILLBELL_LOG: 'info' })
  await another.ready()
  const sheet = JSON.parse(await readFile(join(service.dataFolder, 'demo.json'), 'utf8'))
  await stopped(another)
  assert.deepEqual([sheet.private_key, sheet.public_key], [next.private_key, next.public_key], 'demo.json has it too')
  assert.equal(sheet.api_secret, demoSheet.api_secret)
})

test('a next key that is not wanted is deleted, and another can be made', async t => {
  const { merchant } = await service.newMerchant()
  const of = ['--merchant', merchant]
  const text = await run(t, ['create', ...of])
  const [, key = ''] = /^key: (\S+)$/m.exec(text.stdout) ?? []
  assert.match(text.stdout, /^private_key: [A-Za-z0-9+/]{43}=\nLet your application accept/m)
  const gone = await run(t, ['delete', key, ...of])
  assert.match(gone.stdout, /is deleted: its private half is destroyed\. Its public half still opens tokens\.\n$/)
  assert.equal((await json(t, ['create', ...of])).state, 'next')
  const stranger = ['--merchant', (await service.newMerchant()).merchant]
  for (const words of [
    ['make-current', key, ...stranger],
    ['delete', key, ...stranger],
    ['delete', 'nonsense', ...of],
  ]) {
    refusedWith(await run(t, words), 4, /no such key/)
  }
  refusedWith(await run(t, ['list', '--merchant', 'm_nobody']), 4, /no merchant m_nobody/)
})

test('no next key is made while 16 former ones still open tokens, until one is marked as compromised', async t => {
  const seller = await service.newMerchant()
  const { sql } = service.database
  const of = ['--merchant', seller.merchant]
  const owner = await signedIn(service.baseUrl, seller.login)
  // Rotations and next keys that were deleted again, as a merchant with many of either has them.
  await sql`insert into merchant_key (merchant_id, id, state, public_key, private_key_sealed, currency, created_at)
    select ${seller.merchant}, gen_random_uuid(), case n % 2 when 0 then 'former' else 'deleted' end, 'key ' || n,
      case n % 2 when 0 then '\\x00'::bytea end, 'USD', now() - n * interval '1 day' from generate_series(1, 16) n`
  const refusal = /^There are already 16 former keys that open tokens\. Mark one as compromised/
  const create = () => owner.ask('private_keys', { method: 'POST', json: {} })
  const refusedHere = await create()
  assert.equal(refusedHere.status, 409)
  assert.match(refusedHere.json.errors.general, refusal)
  refusedWith(await run(t, ['create', ...of]), 1, /16 former keys that open tokens/)

  const keys = await json(t, ['list', ...of])
  const { key } = keys.find(({ state }: { state: string }) => state === 'deleted')
  await json(t, ['delete', key, ...of])
  assert.equal((await create()).status, 409, 'its public half opened tokens before, and still does')
  await json(t, ['delete', key, '--compromised', ...of])
  const both = await Promise.all([create(), create()])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409], 'and there is one next key')
  const next = both.find(({ status }) => status === 200)?.json.private_key.id
  await json(t, ['make-current', next, ...of])
  assert.equal((await create()).status, 409, 'the key that was replaced is the sixteenth')
})
