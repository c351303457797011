import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { chargeWith, followUp, inTime, mustSucceed } from '../../../test/gateways/conformance/bench.ts'
import { gatewayConformance } from '../../../test/gateways/conformance/suite.ts'
import { type CuttingProxy, openCuttingProxy } from '../../../test/support/cutting-proxy.ts'
import { memoryBooks } from './books.ts'
import { openSandboxOverHttp } from './http-adapter.ts'
import { createSandboxServer } from './server.ts'
import { listening, openPeer } from './strange-peer.ts'
import { cardRefusals, testCardThat } from './test-cards.ts'

/** Closed with its test, also when that fails. */
async function openSandboxServer(context: TestContext | null) {
  const server = createSandboxServer({ books: memoryBooks(), fingerprintKey: Buffer.alloc(32, 7) })
  let connections = 0
  server.on('connection', () => connections++)
  const url = await listening(server)
  const sandbox = openSandboxOverHttp({ url, account: 'acct' })
  const close = async (): Promise<void> => {
    sandbox.close()
    server.closeAllConnections()
    server.close()
  }
  context?.after(close)
  return { sandbox, url, connections: () => connections, close }
}

gatewayConformance('sandbox over HTTP', async () => {
  const { sandbox, url, close } = await openSandboxServer(null)
  let line: CuttingProxy | null = null
  const silent = await openPeer(() => {})
  const resetting = await openPeer(socket => void socket.resetAndDestroy())
  const gone = await openPeer(() => {})
  gone.close()
  return {
    gateway: sandbox,
    cards: {
      succeeding: testCardThat('success'),
      declined: testCardThat('card_declined'),
      refused: { ...testCardThat('success'), number: '4242424242424242' },
      challenged: testCardThat('three_d_secure'),
    },
    namesOf: () => ['test:success'],
    enteredCard: async () => testCardThat('success'),
    challenge: async (charge, result) => void (await sandbox.challenge(charge.id, result)),
    chargesOf: async transactionId => {
      const rows = await sandbox.ledger()
      return rows.filter(row => row.transactionId === transactionId && row.state === 'succeeded').length
    },
    network: {
      refusing: async () => gone.gateway,
      silent: async () => silent.gateway,
      resetting: async () => resetting.gateway,
      async delayed() {
        line = await openCuttingProxy(Number(new URL(url).port))
        line.arm('request', 0, 'hold')
        const gateway = openSandboxOverHttp({ url: `http://127.0.0.1:${line.port}`, account: 'acct' })
        return { gateway, deliver: line.deliver }
      },
    },
    otherAmount: async () => ({ amountMinor: 420_005n }),
    close: async () => {
      await line?.close()
      silent.close()
      resetting.close()
      await close()
    },
  }
})

for (const behaviour of ['time_out_after', 'reset_after', 'slow'] as const) {
  test(`${behaviour}: the first sending is unknown, and it was charged once`, async context => {
    const { sandbox } = await openSandboxServer(context)
    const charge = await chargeWith(sandbox, testCardThat(behaviour))
    assert.equal((await sandbox.send(charge, AbortSignal.timeout(300))).kind, 'unknown')
    const done = await mustSucceed(sandbox, charge)
    assert.deepEqual(await sandbox.lookup(charge, inTime()), done)
    assert.equal((await sandbox.ledger()).length, 1)
  })
}

test('a time-out before the charge is unknown and charges nothing', async context => {
  const { sandbox } = await openSandboxServer(context)
  const charge = await chargeWith(sandbox, testCardThat('time_out_before'))
  assert.equal((await sandbox.send(charge, AbortSignal.timeout(200))).kind, 'unknown')
  assert.deepEqual(await sandbox.ledger(), [])
})

test('a connection is used again', async context => {
  const { sandbox, connections } = await openSandboxServer(context)
  const charge = await chargeWith(sandbox, testCardThat('success'))
  await mustSucceed(sandbox, charge)
  await mustSucceed(sandbox, charge)
  assert.equal(connections(), 1)
})

test('after an answer that came twice every later answer is to its own request', async context => {
  const { sandbox } = await openSandboxServer(context)
  for (let round = 0; round < 20; round++) {
    const twice = await chargeWith(sandbox, testCardThat('answer_twice'))
    const next = await chargeWith(sandbox, testCardThat('card_declined'))
    const done = await mustSucceed(sandbox, twice)
    assert.equal(done.amountMinor, twice.amountMinor)
    // Without a pause the second answer may still be on its way when the connection is used again: doubt, no mix-up.
    if (round % 2 === 0) await delay(5)
    const outcome = await sandbox.send(next, inTime())
    if (outcome.kind !== 'unknown') assert.deepEqual(outcome, { kind: 'declined', code: 'card_declined' })
    else assert.equal(round % 2, 1)
  }
})

test('the first sending, given up before there is a connection, is unknown', async context => {
  const { sandbox, close } = await openSandboxServer(context)
  const charge = await chargeWith(sandbox, testCardThat('success'))
  await close()
  const hurry = new AbortController()
  const sending = sandbox.send(charge, hurry.signal)
  hurry.abort()
  assert.equal((await sending).kind, 'unknown')
})

test('why a card is refused comes through', async context => {
  const { sandbox } = await openSandboxServer(context)
  const card = testCardThat('success')
  for (const [wrong, sentence] of [
    [{ number: '4242424242424242' }, cardRefusals.unknownNumber],
    [{ expiryMonth: 13 }, cardRefusals.expiry],
  ] as const) {
    assert.deepEqual(await sandbox.storeCard({ ...card, ...wrong }, inTime()), { kind: 'refused', sentence })
  }
})

test('the challenge and the ledger come through', async context => {
  const { sandbox, close } = await openSandboxServer(context)
  const charge = await chargeWith(sandbox, testCardThat('three_d_secure'))
  assert.equal(await sandbox.challenge(charge.id, 'pass'), 'not_waiting')
  await sandbox.send(charge, inTime())
  assert.equal(await sandbox.challenge(charge.id, 'pass'), 'settled')
  const done = await mustSucceed(sandbox, charge)
  const refund = followUp('refund', charge, done, 5n)
  await sandbox.fence(refund, inTime())
  const [first, second] = await sandbox.ledger()
  const { id: operationId, transactionId } = charge
  const amountMinor = String(charge.amountMinor)
  assert.deepEqual(first, {
    operationId,
    transactionId,
    kind: 'charge',
    chargeId: operationId,
    capture: true,
    gatewayRef: done.gatewayRef,
    amountMinor,
    currency: 'USD',
    state: 'succeeded',
  })
  assert.equal(second?.state, 'fenced')
  await close()
  await assert.rejects(sandbox.ledger())
})

test('an address or account that cannot work is refused at once', () => {
  for (const url of ['nonsense', 'https://127.0.0.1', 'http://user@127.0.0.1', 'http://127.0.0.1/?a=b']) {
    assert.throws(() => openSandboxOverHttp({ url, account: 'acct' }), /http:\/\/host:port/)
  }
  for (const account of ['', 'a:b', 'a b', 'a\n']) {
    assert.throws(() => openSandboxOverHttp({ url: 'http://127.0.0.1', account }), /account/)
  }
})

test('each exchange is told in one line', async context => {
  const lines: string[] = []
  const note = (line: string) => void lines.push(line)
  const { sandbox } = await openSandboxServer(context)
  const charge = await chargeWith(sandbox, testCardThat('success'))
  const { id } = charge
  await sandbox.fence(charge, inTime(), note)
  await sandbox.lookup(charge, inTime(), note)
  await sandbox.send(charge, inTime(), note)
  const peer = await openPeer(socket => void socket.resetAndDestroy())
  context.after(() => peer.close())
  await peer.gateway.send(charge, inTime(), note)
  assert.deepEqual(lines, [
    `POST /operations/${id}/fence -> 200 fenced`,
    `GET /operations/${id}?chargeId=${id} -> 200 absent`,
    'POST /operations -> 200 declined',
    'POST /operations -> The connection to the sandbox failed (ECONNRESET).',
  ])
})
