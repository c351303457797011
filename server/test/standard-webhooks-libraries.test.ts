// Hooks of a real service, verified by the libraries that merchants install for Standard Webhooks.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseStandardWebhook } from '@tillbell/sdk'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { answered, refused } from './support/answers.ts'
import { signedIn } from './support/console.ts'
import { type MerchantEndpoint, type Received, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
const receivers: MerchantEndpoint[] = []
before(async () => {
  service = await startTestService()
})
after(async () => {
  for (const receiver of receivers) await receiver.close()
  await service.stop()
})

const headersOf = ({ rawHeaders }: Received) =>
  Object.fromEntries(
    rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? '']] : [])),
  )

async function shop(kind: string, standardWebhooks: string, answers = [200]) {
  const seller = service.demo
  const receiver = await startEndpoint(response => void response.writeHead(answers.shift() ?? 200).end())
  receivers.push(receiver)
  const form = { kind, url: receiver.url, standard_webhooks: standardWebhooks }
  const { id, secret, standard_webhooks } = answered(await seller.ask('hook_endpoints', { form }), 200).json
    .hook_endpoint
  assert.equal(String(standard_webhooks), standardWebhooks)
  const sell = async () => {
    const offer = await seller.makeOffer({ title: 'Zoë’s bell ☃', ref_id: '"a\\b"' })
    const paid = answered(await seller.charge(offer, seller.card), 200).json.transaction
    await until('the hook is there', async () => receiver.received.length > 0)
    return { paid, hook: receiver.received.at(-1) ?? assert.fail() }
  }
  return {
    id,
    secret: String(secret),
    receiver,
    sell,
    end: () => seller.ask(`hook_endpoints/${id}`, { method: 'DELETE' }),
  }
}

async function storedDetails(transaction: string, kind: string): Promise<string> {
  const { sql } = service.database
  const [event] = await sql<{ details: string }[]>`select details from event
    where transaction_id = ${transaction} and kind = ${kind}`
  return event?.details ?? assert.fail('no event')
}

test('the form with the three headers verifies, where a library is not asked to parse it as JSON', async () => {
  const { secret, sell, end } = await shop('transaction', 'true')
  const { hook } = await sell()
  const headers = headersOf(hook)
  assert.equal(headers['content-type'], 'application/x-www-form-urlencoded')
  new StandardWebhook(secret).verify(hook.body, headers, { jsonParse: false })
  new SvixWebhook(secret).verify(hook.body, headers)
  assert.throws(
    () => new StandardWebhook(secret).verify(hook.body, headers),
    SyntaxError,
    'after the signature matched',
  )
  assert.throws(() => new StandardWebhook(secret).verify(`${hook.body}x`, headers, { jsonParse: false }), /No matching/)
  await end()
})

test('the JSON body verifies as it comes, and holds the stored text of details', async () => {
  const { id, secret, sell, end } = await shop('transaction', 'json')
  const { paid, hook } = await sell()
  const headers = headersOf(hook)
  assert.deepEqual(
    hook.rawHeaders.filter((_, index) => index % 2 === 0),
    [
      'Accept',
      'Content-Type',
      'Connection',
      'Host',
      'Content-Length',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ],
  )
  assert.equal(headers['content-type'], 'application/json')
  assert.equal(Number(headers['content-length']), Buffer.byteLength(hook.body))
  const payload = new StandardWebhook(secret).verify(hook.body, headers) as {
    [name: string]: { [name: string]: unknown }
  }
  new SvixWebhook(secret).verify(hook.body, headers)
  const details = await storedDetails(paid.id, 'transaction')
  assert.ok(hook.body.endsWith(`,"data":${details}}`), 'byte for byte')
  assert.deepEqual(Object.keys(payload), ['type', 'timestamp', 'data'])
  assert.equal(payload.type, 'success')
  assert.equal(Date.parse(String(payload.timestamp)) / 1_000, payload.data?.date)
  const parsed = parseStandardWebhook(headers, hook.body, secret, { kind: 'transaction' })
  assert.deepEqual([parsed.details.transaction, parsed.detailsText], [paid.id, details])

  const shown = answered(await service.demo.ask(`hook_endpoints/${id}`), 200).json.hook_endpoint
  assert.equal(shown.standard_webhooks, 'json')
  const patch = (standard_webhooks: string) =>
    service.demo.ask(`hook_endpoints/${id}`, { method: 'PATCH', form: { standard_webhooks } })
  const back = answered(await patch('true'), 200).json.hook_endpoint
  assert.deepEqual([back.standard_webhooks, back.secret], [true, undefined], 'the same secret signs')
  const { hook: form } = await sell().then(async sold => {
    await until('the form is there', async () => receivers.at(-1)?.received.length === 2)
    return { ...sold, hook: receivers.at(-1)?.received.at(-1) ?? assert.fail() }
  })
  assert.match(form.body, /^details=%7B/)
  new StandardWebhook(secret).verify(form.body, headersOf(form), { jsonParse: false })
  refused(await patch('xml'), 422, ['standard_webhooks'])
  await end()
})

test('each attempt has the same webhook-id and body, and a time and a signature of its own', async () => {
  const { receiver, secret, sell, end } = await shop('transaction', 'json', [500, 200])
  await sell()
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 300 } }), 200)
  await until('the second attempt is there', async () => receiver.received.length === 2)
  const [first, second] = receiver.received.map(
    each => ({ body: each.body, ...headersOf(each) }) as { [name: string]: string },
  )
  assert.equal(second?.body, first?.body)
  assert.equal(second?.['webhook-id'], first?.['webhook-id'])
  for (const one of [first, second]) new StandardWebhook(secret).verify(one?.body ?? '', one ?? {})
  await end()
})

test('Pre-Sale has it too', async () => {
  const { secret, sell, end } = await shop('pre_sale', 'json')
  const { paid, hook } = await sell()
  const { type, data } = new StandardWebhook(secret).verify(hook.body, headersOf(hook)) as {
    type: string
    data: { transaction: string }
  }
  assert.deepEqual([type, data.transaction, paid.status], ['pre_sale', paid.id, 'Successful'])
  await end()
})

test('"Check my endpoint" and "send a test" send what the endpoint asked for', async () => {
  const secrets: string[] = []
  const seen: Received[] = []
  const receiver = await startEndpoint(response => {
    const hook = receiver.received.at(-1) ?? assert.fail()
    seen.push(hook)
    let isAuthentic = true
    try {
      new StandardWebhook(secrets[0] ?? '').verify(hook.body, headersOf(hook))
    } catch {
      isAuthentic = false
    }
    response.writeHead(isAuthentic ? 200 : 403).end()
  })
  receivers.push(receiver)
  const form = { kind: 'far', url: receiver.url, standard_webhooks: 'json' }
  const { id, secret } = answered(await service.demo.ask('hook_endpoints', { form }), 200).json.hook_endpoint
  secrets.push(secret)
  const owner = await signedIn(service.baseUrl, service.demoSheet.dashboard)
  const { check } = (await owner.ask(`endpoints/${id}/check`, { method: 'POST', json: {} })).json
  assert.deepEqual([check.wrong, check.right], [0, 7], JSON.stringify(check))
  assert.ok(seen.every(({ body }) => body.startsWith('{"type":"far",')))
  const tested = answered(await service.demo.ask(`hook_endpoints/${id}/test`, { method: 'POST' }), 200).json
    .hook_delivery
  assert.equal(tested.state, 'delivered')
  assert.ok(receiver.received.at(-1)?.body.endsWith(`"data":${tested.details}}`))
})
