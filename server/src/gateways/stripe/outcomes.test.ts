// The adapter at the other end of anything that can be said on a socket: what it may conclude, and what not.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { inTime } from '../../../test/gateways/conformance/bench.ts'
import {
  charge,
  goodIntent,
  intent,
  openAt,
  openPeer,
  refusing,
  response,
  saying,
  secrets,
  sentTo,
  type Talk,
} from '../../../test/support/stripe/scripted-peer.ts'
import type { Currency } from '../../core/money.ts'

test('an intent that succeeded is understood', async () => {
  assert.deepEqual(await sentTo(saying(200, intent())), {
    kind: 'succeeded',
    gatewayRef: 'pi_1',
    amountMinor: 1_000n,
    currency: 'USD',
    feeMinor: null,
  })
})

test('what was taken is told, not what was asked', async () => {
  const outcome = await sentTo(saying(200, intent({ amount_received: 900 })))
  assert.ok(outcome.kind === 'succeeded' && outcome.amountMinor === 900n)
})

test('a fee in the charge’s currency is read, in another it is not', async () => {
  for (const [currency, feeMinor] of [
    ['usd', 59n],
    ['eur', null],
  ] as const) {
    const latest_charge = {
      status: 'succeeded',
      amount: 1_000,
      amount_captured: 1_000,
      amount_refunded: 0,
      balance_transaction: { fee: 59, currency },
    }
    const outcome = await sentTo(saying(200, intent({ latest_charge })))
    assert.ok(outcome.kind === 'succeeded')
    assert.equal(outcome.feeMinor, feeMinor)
  }
})

const refusals: [what: string, talk: Talk, code: string, cause: string][] = [
  [
    'a key that is not accepted',
    refusing(401, { message: 'Invalid API Key provided: sk_test_51scripted' }),
    'gateway_credentials_refused',
    'Stripe does not accept the secret key (HTTP 401, invalid_request_error, req_1).',
  ],
  [
    'a key that may not charge',
    refusing(403, {}),
    'gateway_credentials_refused',
    'The secret key may not do this at Stripe (HTTP 403, invalid_request_error, req_1).',
  ],
  [
    'a suspended account',
    refusing(403, { code: 'account_invalid' }),
    'gateway_account_suspended',
    'Stripe lets the account take no payments (HTTP 403, invalid_request_error, account_invalid, req_1).',
  ],
  [
    'an account that is not activated',
    refusing(400, { code: 'testmode_charges_only' }),
    'gateway_account_suspended',
    'Stripe lets the account take no payments (HTTP 400, invalid_request_error, testmode_charges_only, req_1).',
  ],
  [
    'a parameter that is refused',
    refusing(400, { code: 'parameter_invalid_integer', param: 'amount' }),
    'gateway_refused',
    'Stripe refused the request (HTTP 400, invalid_request_error, parameter_invalid_integer, amount, req_1).',
  ],
  [
    'a card that is not there',
    refusing(404, { code: 'resource_missing', param: 'payment_method' }),
    'gateway_refused',
    'Stripe refused the request (HTTP 404, invalid_request_error, resource_missing, payment_method, req_1).',
  ],
]
for (const [what, talk, code, cause] of refusals) {
  test(`not sent: ${what}`, async () => {
    assert.deepEqual(await sentTo(talk), { kind: 'not_sent', code, cause })
  })
}

test('not sent: too many requests, with the time to wait in seconds or as a date', async () => {
  const busy = await sentTo(refusing(429, { code: 'rate_limit' }, 'retry-after: 7\r\n'))
  assert.ok(busy.kind === 'not_sent')
  assert.equal(busy.code, 'gateway_busy')
  assert.equal(busy.retryAfterMs, 7_000)
  const date = new Date(Date.now() + 600_000).toUTCString()
  const later = await sentTo(refusing(429, {}, `retry-after: ${date}\r\n`))
  assert.ok(later.kind === 'not_sent' && later.retryAfterMs !== undefined)
  assert.ok(later.retryAfterMs > 500_000 && later.retryAfterMs <= 600_000)
})

test('a host that does not resolve is not_sent', async () => {
  const gateway = openAt('http://stripe.invalid:1')
  const outcome = await gateway.send(charge, inTime())
  assert.ok(outcome.kind === 'not_sent' && outcome.code === 'gateway_not_reached')
})

test('an amount that Stripe cannot be told, and a card that is none of its, never leave', async () => {
  const { gateway, heard, close } = await openPeer(saying(200, intent()))
  for (const change of [
    { amountMinor: 1_001n, currency: 'KWD' as Currency },
    { cardRef: 'card_7' },
    { cardRef: 'cus_1/pm_1/../x' },
  ]) {
    const outcome = await gateway.send({ ...charge, ...change }, inTime())
    assert.ok(outcome.kind === 'not_sent' && outcome.code === 'gateway_refused')
  }
  close()
  assert.deepEqual(heard, [])
})

const cardError = (more: object): Talk => refusing(402, { type: 'card_error', code: 'card_declined', ...more })

test('declined: a card error, by the bank’s reason', async () => {
  const outcome = await sentTo(cardError({ decline_code: 'insufficient_funds', payment_intent: goodIntent }))
  assert.deepEqual(outcome, { kind: 'declined', code: 'insufficient_funds' })
})

test('a charge that wants its customer is told as it stands now, not as it is repeated', async () => {
  const before = { ...goodIntent, status: 'requires_payment_method' }
  const error = { type: 'card_error', code: 'authentication_required', payment_intent: before }
  const repeated = [response(402, JSON.stringify({ error })), response(200, intent({ status: 'requires_action' }))]
  const lastError = { last_payment_error: { code: 'authentication_required' } }
  for (const [now, kind] of [
    [intent({ status: 'requires_payment_method', ...lastError }), 'further_action'],
    [intent({ status: 'requires_action' }), 'further_action'],
    [intent(), 'succeeded'],
    [intent({ status: 'canceled' }), 'declined'],
    [intent({ status: 'processing' }), 'unknown'],
    [intent({ id: 'pi_2' }), 'unknown'],
    ['<html>', 'unknown'],
  ] as const) {
    for (const first of repeated) {
      const talk: Talk = (socket, head) => void socket.write(head.startsWith('POST') ? first : response(200, now))
      assert.equal((await sentTo(talk)).kind, kind, now)
    }
  }
})

const strange: Record<string, Talk> = {
  'a key that is in use': refusing(409, { code: 'idempotency_key_in_use' }),
  'a key used for something else': refusing(400, { type: 'idempotency_error' }),
  'a lock that could not be had': refusing(429, { code: 'lock_timeout' }),
  'an error of the server': refusing(500, { type: 'api_error' }),
  'a payment required that is no card error': refusing(402, {}),
  'a card error about another operation': cardError({ payment_intent: { ...goodIntent, metadata: {} } }),
  'a wish for the customer without a payment': cardError({ decline_code: 'authentication_required' }),
  'a bad gateway': saying(502, intent()),
  'a page with 200': saying(200, '<html>hello</html>'),
  'a page with 401': saying(401, '<html>no</html>'),
  'a refusal in other JSON': saying(400, '{"message":"no"}'),
  'an error that is a word': saying(401, '{"error":"invalid_client"}'),
  'a redirect': saying(302, '{}'),
  'a 201': saying(201, intent()),
  'a 200 with an error inside': saying(200, intent({ error: { type: 'card_error', code: 'card_declined' } })),
  'a 200 with a null': saying(200, 'null'),
  'an empty answer': saying(200, ''),
  'half an answer in JSON': saying(200, intent().slice(0, 40)),
  'another object': saying(200, intent({ object: 'customer' })),
  'another operation’s intent': saying(200, intent({ metadata: { tillbell_operation: randomUUID() } })),
  'no id': saying(200, intent({ id: undefined })),
  'an amount that is text': saying(200, intent({ amount_received: '1000' })),
  'an amount that is no integer': saying(200, intent({ amount_received: 10.5 })),
  'a currency that is none': saying(200, intent({ currency: 'xxq' })),
  'a state that is not known': saying(200, intent({ status: 'on_the_moon' })),
  'too large an answer': saying(200, intent({ more: 'x'.repeat(1024 * 1024) })),
  'the answer to another request': saying(200, intent(), 'idempotency-key: another\r\n'),
  'no HTTP': socket => void socket.write('220 smtp.example ESMTP\r\n'),
  'a switch to another protocol': socket =>
    void socket.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  'a closed connection': socket => void socket.end(),
  'a reset': socket => void socket.resetAndDestroy(),
  'an answer that breaks off': socket => void socket.end(response(200, intent()).slice(0, -5)),
}
for (const [what, talk] of Object.entries(strange)) {
  test(`unknown: ${what}`, async () => {
    const outcome = await sentTo(talk)
    assert.equal(outcome.kind, 'unknown', inspect(outcome))
    assert.ok(outcome.kind === 'unknown' && !/in time/.test(outcome.cause), 'only the time limit ended it')
  })
}

test('an error inside a 200 is called by its name', async () => {
  const cause = 'Stripe answered HTTP 200 with an error inside.'
  assert.deepEqual(await sentTo(strange['a 200 with an error inside'] as Talk), { kind: 'unknown', cause })
})

test('unknown: an answer that drips in byte by byte, when the time is up', async () => {
  const { gateway, close } = await openPeer(socket => {
    const bytes = Buffer.from(response(200, intent()))
    let sent = 0
    const drip = setInterval(() => socket.write(bytes.subarray(sent, ++sent)), 20)
    socket.on('close', () => clearInterval(drip))
  })
  const outcome = await gateway.send(charge, AbortSignal.timeout(200))
  close()
  assert.deepEqual(outcome, { kind: 'unknown', cause: 'Stripe did not answer in time.' })
})

test('nothing is sent twice: not after a reset, a closed connection or a failure', async () => {
  for (const talk of [strange['a reset'], strange['a closed connection'], strange['an error of the server']]) {
    assert.ok(talk !== undefined)
    const { gateway, heard, close } = await openPeer(talk)
    await gateway.send(charge, inTime())
    close()
    assert.deepEqual(heard, ['POST /v1/payment_intents'])
  }
})

test('a reset on a connection that was used before is unknown, not not_sent', async () => {
  let requests = 0
  const { gateway, close } = await openPeer(socket => {
    requests++
    if (requests === 1) socket.write(response(200, intent()))
    else socket.resetAndDestroy()
  })
  assert.equal((await gateway.send(charge, inTime())).kind, 'succeeded')
  assert.equal((await gateway.send(charge, inTime())).kind, 'unknown')
  close()
})

test('a second answer in the same packet is thrown away with its connection', async () => {
  const { gateway, close } = await openPeer(socket => {
    socket.write(response(200, intent()) + response(200, intent({ amount_received: 7_777 })))
  })
  for (let round = 0; round < 5; round++) {
    const outcome = await gateway.send(charge, inTime())
    assert.ok(outcome.kind === 'unknown' || (outcome.kind === 'succeeded' && outcome.amountMinor === 1_000n))
  }
  close()
})

test('only an empty list in Stripe’s own words is absent', async () => {
  const list = (data: object[], has_more = false): string => JSON.stringify({ object: 'list', data, has_more })
  for (const [status, body, kind] of [
    [200, list([]), 'absent'],
    [200, list([{ ...goodIntent, metadata: {} }]), 'absent'],
    [200, list([], true), 'unknown'],
    [200, '{"data":[],"has_more":false}', 'unknown'],
    [200, '{"object":"list","data":[null],"has_more":false}', 'unknown'],
    [200, '{"object":"list","data":[]}', 'unknown'],
    [404, '{"error":{"type":"invalid_request_error","code":"resource_missing"}}', 'unknown'],
    [401, '{"error":{"type":"invalid_request_error"}}', 'unknown'],
  ] as const) {
    const { gateway, close } = await openPeer(saying(status, body))
    assert.equal((await gateway.lookup(charge, inTime())).kind, kind, body)
    close()
  }
})

test('all payments under an id are listed over all pages, oldest first, and none where one is not understood', async () => {
  const page = (data: object[], has_more: boolean) => response(200, JSON.stringify({ object: 'list', data, has_more }))
  const first = page(
    [
      { ...goodIntent, id: 'pi_5' },
      { ...goodIntent, id: 'pi_4', metadata: {} },
    ],
    true,
  )
  const last = [
    { ...goodIntent, id: 'pi_3', status: 'canceled' },
    { ...goodIntent, id: 'pi_2' },
  ]
  const listed = async (more: object[]) => {
    const { gateway, close } = await openPeer(
      (socket, head) => void socket.write(head.includes('starting_after=') ? page([...last, ...more], false) : first),
    )
    const made = await gateway.listUnderId?.(charge, inTime())
    close()
    return made ?? assert.fail()
  }
  const all = await listed([])
  assert.ok(!('kind' in all))
  assert.deepEqual(
    all.map(({ gatewayRef }) => gatewayRef),
    ['pi_2', 'pi_5'],
  )
  const strange = await listed([{ ...goodIntent, amount_received: 'much' }])
  assert.ok('kind' in strange && strange.kind === 'unknown')
})

test('a note is one line that names the exchange, and repeats no secret that Stripe repeats', async context => {
  const notes: string[] = []
  const warned = context.mock.method(process, 'emitWarning', () => {})
  const repeats = { code: secrets.secretKey, param: secrets.secretKey, message: secrets.secretKey, type: 'card_error' }
  for (const talk of [
    cardError({ decline_code: 'insufficient_funds', payment_intent: goodIntent }),
    refusing(402, repeats),
    refusing(402, { type: 'card_error', code: 'sk_test_letters', decline_code: '4242424242424242' }),
    refusing(500, repeats, `stripe-notice: ${secrets.secretKey}\r\n`),
    strange['a reset'],
  ]) {
    assert.ok(talk !== undefined)
    const { gateway, close } = await openPeer(talk)
    const outcome = await gateway.send(charge, inTime(), line => void notes.push(line.replace(/\d+ ms/, '1 ms')))
    close()
    assert.ok(!inspect(outcome).includes(secrets.secretKey))
  }
  assert.deepEqual(notes, [
    'POST /v1/payment_intents -> 402 card_error card_declined insufficient_funds (req_1, 1 ms)',
    'POST /v1/payment_intents -> 402 card_error (req_1, 1 ms)',
    'POST /v1/payment_intents -> 402 card_error (req_1, 1 ms)',
    'POST /v1/payment_intents -> 500 card_error (req_1, 1 ms)',
    'POST /v1/payment_intents -> The connection to Stripe failed (ECONNRESET). (1 ms)',
  ])
  assert.equal(warned.mock.callCount(), 0)
})
