// The HTTP adapter at the other end of anything that can be said on a socket: what it may conclude, and what not.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { inTime } from '../../../test/gateways/conformance/bench.ts'
import type { ChargeRequest, GatewayOutcome } from '../../core/gateway.ts'
import type { OperationId, TransactionId } from '../../core/ids.ts'
import type { Currency } from '../../core/money.ts'
import { openSandboxOverHttp } from './http-adapter.ts'
import { openPeer, requestIdIn, response, saying, type Talk } from './strange-peer.ts'
import { testCardThat } from './test-cards.ts'

const aCharge = (): ChargeRequest => ({
  kind: 'charge',
  id: randomUUID() as OperationId,
  transactionId: randomUUID() as TransactionId,
  amountMinor: 1_000n,
  currency: 'USD' as Currency,
  cardRef: 'card_1',
  capture: true,
})

async function sentTo(talk: Talk): Promise<GatewayOutcome> {
  const { gateway, close } = await openPeer(talk)
  try {
    return await gateway.send(aCharge(), AbortSignal.timeout(1_000))
  } finally {
    close()
  }
}

test('a second answer in the same packet is thrown away with its connection', async context => {
  const success = '{"kind":"succeeded","gatewayRef":"x","amountMinor":"1000","currency":"USD","feeMinor":null}'
  const { gateway, close } = await openPeer((socket, head) => {
    socket.write(response(head, 200, success) + response(head, 200, success.replace('1000', '7777')))
  })
  context.after(close)
  for (let round = 0; round < 5; round++) {
    const outcome = await gateway.send(aCharge(), inTime())
    assert.equal(outcome.kind, 'succeeded')
    assert.equal(outcome.amountMinor, 1_000n)
  }
})

test('an answer to another request is unknown, and its connection is given up', { timeout: 5_000 }, async context => {
  const closed = Promise.withResolvers<void>()
  const { gateway, close } = await openPeer((socket, head) => {
    socket.once('close', closed.resolve)
    socket.write(response(head, 200, '{"kind":"declined","code":"card_declined"}', 'another'))
  })
  context.after(close)
  const outcome = await gateway.send(aCharge(), inTime())
  assert.deepEqual(outcome, { kind: 'unknown', cause: 'The answer is not to this request.' })
  await closed.promise
})

test('a reset on a connection that was used before is unknown, not not_sent', async context => {
  let requests = 0
  const { gateway, close } = await openPeer((socket, head) => {
    requests++
    if (requests === 1) socket.write(response(head, 200, '{"kind":"declined","code":"card_declined"}'))
    else socket.resetAndDestroy()
  })
  context.after(close)
  assert.equal((await gateway.send(aCharge(), inTime())).kind, 'declined')
  assert.equal((await gateway.send(aCharge(), inTime())).kind, 'unknown')
})

test('a host that does not resolve is not_sent', async () => {
  const nowhere = openSandboxOverHttp({ url: 'http://sandbox.invalid:1', account: 'acct' })
  assert.equal((await nowhere.send(aCharge(), inTime())).kind, 'not_sent')
})

test('a refusal in the sandbox’s own words is not_sent, with them', async () => {
  for (const status of [400, 401, 404, 413, 422]) {
    const outcome = await sentTo(saying(status, '{"error":"No."}'))
    assert.deepEqual(outcome, {
      kind: 'not_sent',
      code: 'gateway_refused',
      cause: `The sandbox refused (HTTP ${status}): No.`,
    })
  }
})

const good = { kind: 'succeeded', gatewayRef: 'x', amountMinor: '1000', currency: 'USD', feeMinor: '59' }
const strange: Record<string, Talk> = {
  'a conflict': saying(409, '{"error":"No."}'),
  'a refusal in other words': saying(401, '<html>no</html>'),
  'a refusal in other JSON': saying(404, '{"message":"no"}'),
  'an error of the server': saying(500, '{"error":"No."}'),
  'a bad gateway': saying(502, '{"kind":"declined","code":"card_declined"}'),
  'a redirect': saying(302, '{}'),
  'a 201': saying(201, JSON.stringify(good)),
  'an empty answer': saying(200, ''),
  'half an answer in JSON': saying(200, '{"kind":"decl'),
  'no object': saying(200, '[]'),
  'no kind': saying(200, '{}'),
  'absent to a sending': saying(200, '{"kind":"absent"}'),
  'an unknown decline code': saying(200, '{"kind":"declined","code":"toString"}'),
  'another action': saying(200, '{"kind":"further_action","gatewayRef":"x","action":"dance"}'),
  'no reference': saying(200, JSON.stringify({ ...good, gatewayRef: '' })),
  'an amount that is a number': saying(200, JSON.stringify({ ...good, amountMinor: 1000 })),
  'an amount that is no integer': saying(200, JSON.stringify({ ...good, amountMinor: '10.5' })),
  'a currency that is none': saying(200, JSON.stringify({ ...good, currency: 'usd' })),
  'no fee, not even null': saying(200, JSON.stringify({ ...good, feeMinor: undefined })),
  'too large an answer': saying(200, JSON.stringify({ ...good, more: 'x'.repeat(64 * 1024) })),
  'no HTTP': socket => void socket.write('220 smtp.example ESMTP\r\n'),
  'a switch to another protocol': (socket, head) =>
    void socket.write(
      `HTTP/1.1 101 X\r\nrequest-id: ${requestIdIn(head)}\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n`,
    ),
  'a closed connection': socket => void socket.end(),
  'an answer that breaks off': (socket, head) =>
    void socket.end(response(head, 200, JSON.stringify(good)).slice(0, -5)),
}
for (const [what, talk] of Object.entries(strange)) {
  test(`unknown: ${what}`, async () => {
    const startedAtMs = performance.now()
    assert.equal((await sentTo(talk)).kind, 'unknown')
    assert.ok(performance.now() - startedAtMs < 900, 'only the time limit ended it')
  })
}

test('the answer from which those differ is understood', async () => {
  const { amountMinor, feeMinor, ...same } = good
  const outcome = await sentTo(saying(200, JSON.stringify(good)))
  assert.deepEqual(outcome, { ...same, amountMinor: BigInt(amountMinor), feeMinor: BigInt(feeMinor) })
})

test('a server that repeats the card number is not quoted', async context => {
  const card = testCardThat('success')
  for (const [status, body, kind] of [
    [200, { kind: 'refused', sentence: `no ${card.number}` }, 'unknown'],
    [422, { error: `no ${card.number}` }, 'refused'],
    [500, { error: `no ${card.number}` }, 'unknown'],
    [200, { kind: 'stored', cardRef: 'x', mask: card.number, type: 'visa' }, 'unknown'],
  ] as const) {
    const { gateway, close } = await openPeer(saying(status, JSON.stringify(body)))
    context.after(close)
    const outcome = await gateway.storeCard(card, inTime())
    assert.equal(outcome.kind, kind)
    assert.ok(!inspect(outcome).includes(card.number))
  }
})

test('only absence in the sandbox’s own words is absent', async context => {
  for (const [status, body, kind] of [
    [200, '{"kind":"absent"}', 'absent'],
    [404, '{"kind":"absent"}', 'unknown'],
    [404, '{"error":"There is nothing at this path."}', 'unknown'],
    [401, '{"error":"No."}', 'unknown'],
  ] as const) {
    const { gateway, close } = await openPeer(saying(status, body))
    context.after(close)
    assert.equal((await gateway.lookup(aCharge(), inTime())).kind, kind, `${status} ${body}`)
  }
})
