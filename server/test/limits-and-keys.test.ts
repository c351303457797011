// Who may ask, and how often: wrong credentials are slowed down and right ones are not, a revoked key is refused at
// once, and a merchant has so many requests a second. And the document that says what can be asked.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import type { MerchantId } from '../src/core/ids.ts'
import { newApiKeyPair, secretHash } from '../src/keys/new-ids.ts'
import { insertApiKey, revokeApiKey } from '../src/store/merchants.ts'
import { answered, answeredAbout, refused, writingNothing } from './support/answers.ts'
import { type Answer, Client, send } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

function tooMany(answer: Answer): void {
  refused(answer, 429, ['general'])
  const retryAfter = String(answer.headers['retry-after'])
  assert.match(retryAfter, /^[1-9][0-9]?$/)
}

test('a revoked key is refused at once', async () => {
  const merchant = await service.newMerchant()
  const [offer, card] = [await merchant.makeOffer(), await merchant.storeCard()]
  const [key = ''] = Buffer.from(merchant.authorization.slice('Basic '.length), 'base64').toString().split(':')
  assert.notEqual(await revokeApiKey(service.database.sql, key, new Date()), null)
  refused(answeredAbout(await merchant.charge(offer, card), 401), 401, ['general'])
  refused(await merchant.ask(`offers/${offer}`), 401, ['general'])
  answered(await service.demo.ask('transactions'), 200)
})

test('a key that is revoked while a body arrives does nothing any more', async () => {
  const { database, baseUrl } = service
  const merchant = await service.newMerchant()
  const form = `service_offer=${await merchant.makeOffer()}&token=${await merchant.storeCard()}`
  // A key of its own: the first use of it is written down.
  const { key, secret } = newApiKeyPair()
  await database.sql.begin(scope =>
    insertApiKey(scope, merchant.merchant as MerchantId, { key, secretSha256: secretHash(secret) }, new Date()),
  )
  const lastUse = async () => (await database.sql`select last_used_at from api_key where id = ${key}`)[0]?.lastUsedAt
  const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded', 'content-length': form.length }
  const slow = request(`${baseUrl}/api/v5/rest/transactions`, { method: 'POST', headers })
  slow.write(form.slice(0, 10))
  await until('its credentials were taken', async () => (await lastUse()) !== null)
  await revokeApiKey(database.sql, key, new Date())
  const status = once(slow, 'response').then(([response]) => response.resume().statusCode)
  await writingNothing(database.sql, async () => {
    slow.end(form.slice(10))
    assert.equal(await status, 401)
  })
})

test('wrong credentials are 429 after a while, and right ones from the same address pass all the time', async () => {
  const { demo, demoSheet, baseUrl } = service
  const wrong = new Client(baseUrl, String(demoSheet.api_key), 'sk_wrong')
  const refusals: Answer[] = []
  for (let index = 0; index < 40; index++) {
    refusals.push(await wrong.charge(demo.offer, demo.card))
    answered(await demo.ask(`offers/${demo.offer}`), 200)
  }
  const slowed = refusals.filter(({ status }) => status === 429)
  assert.ok(slowed.length >= 10, `${slowed.length} of 40 were slowed down`)
  assert.equal(refusals[0]?.status, 401)
  for (const answer of refusals) {
    answeredAbout(answer, answer.status)
    if (answer.status === 429) tooMany(answer)
    else refused(answer, 401, ['general'])
  }
  const nobody = new Client(baseUrl, 'pk_nobody', 'sk_wrong')
  const strangers = await Promise.all(Array.from({ length: 5 }, () => nobody.ask('transactions')))
  tooMany(strangers.find(({ status }) => status === 429) ?? assert.fail('another wrong key from there was not slowed'))
  answeredAbout(await demo.charge(demo.offer, demo.card), 200)
})

test('a merchant with more requests than allowed in a second gets 429 and charges nothing, and others go on', async t => {
  const limited = await startTestService({ TILLBELL_REQUESTS_PER_S: '5' })
  t.after(() => limited.stop())
  const { demo, database } = limited
  const other = await limited.newMerchant()
  const answers = await Promise.all(Array.from({ length: 30 }, () => demo.charge(demo.offer, demo.card)))
  const charged = answers.filter(({ status }) => status === 200)
  const slowed = answers.filter(({ status }) => status === 429)
  assert.ok(charged.length >= 5 && slowed.length >= 10, `${charged.length} charged, ${slowed.length} slowed down`)
  assert.equal(charged.length + slowed.length, 30)
  for (const answer of slowed) tooMany(answeredAbout(answer, 429))
  const rows = await database.sql`select from transaction`
  assert.equal(rows.length, charged.length)
  answered(await other.ask('offers'), 200)
  await writingNothing(database.sql, async () => {
    const flood = await Promise.all(Array.from({ length: 20 }, () => demo.ask('offers')))
    assert.ok(flood.some(({ status }) => status === 429))
  })
})

const methods = ['get', 'post', 'patch', 'delete', 'put'] as const

/** The words of JSON Schema that our schemas use. Any other is a slip: a client's generator would stumble over it. */
const schemaWords = new Set([
  ...['type', 'properties', 'required', 'items', 'enum', 'anyOf', 'pattern', 'description', 'additionalProperties'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'maxItems', 'examples'],
])

interface Schema {
  readonly [word: string]: unknown
  readonly properties?: { readonly [name: string]: Schema }
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

function checkSchema(schema: Schema, at: string): void {
  for (const word of Object.keys(schema)) assert.ok(schemaWords.has(word), `${at}: ${word}`)
  for (const [name, inner] of Object.entries(schema.properties ?? {})) checkSchema(inner, `${at}.${name}`)
  if (schema.items !== undefined) checkSchema(schema.items, at)
  for (const inner of schema.anyOf ?? []) checkSchema(inner, at)
}

interface Operation {
  readonly summary: string
  readonly responses: object
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: Schema }[]
  readonly requestBody?: { content: { [type: string]: { schema: Schema } } }
}

test('the OpenAPI document is plain OpenAPI 3.1', async () => {
  const { baseUrl } = service
  const { json } = answered(
    await send(`${baseUrl}/api/v5/openapi.json`, { method: 'GET', headers: {}, body: null }),
    200,
  )
  assert.match(json.openapi, /^3\.1\.\d+$/)
  assert.deepEqual([typeof json.info.title, json.info.version], ['string', 'v5'])
  assert.match(json.info.description, /version 5.+version 3/)
  assert.deepEqual(json.servers, [{ url: baseUrl }])
  assert.deepEqual(json.security, [{ basic: [] }])
  assert.deepEqual([json.components.securitySchemes.basic.type], ['http'])
  let found = 0
  for (const [path, item] of Object.entries<{ [method: string]: Operation }>(json.paths)) {
    assert.ok(path.startsWith('/'))
    const named = [...path.matchAll(/\{(.+?)\}/g)].map(([, name]) => name)
    for (const method of methods) {
      const operation = item[method]
      if (operation === undefined) continue
      found += 1
      checkOperation(operation, named, `${method} ${path}`)
    }
  }
  assert.ok(found > 40, String(found))
})

function checkOperation(operation: Operation, named: readonly (string | undefined)[], at: string): void {
  assert.ok(operation.summary.length > 3 && Object.keys(operation.responses).length > 0, at)
  const parameters = operation.parameters ?? []
  const inPath = parameters.filter(parameter => parameter.in === 'path')
  assert.deepEqual(
    inPath.map(({ name }) => name),
    named,
  )
  assert.ok(inPath.every(({ required }) => required))
  for (const { name, schema } of parameters) checkSchema(schema, `${at} ${name}`)
  const content = operation.requestBody?.content
  if (content === undefined) return
  assert.deepEqual(Object.keys(content), ['application/json', 'application/x-www-form-urlencoded'])
  for (const { schema } of Object.values(content)) checkSchema(schema, at)
}
