import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { chargeWith, followUp, inTime, mustSucceed } from '../../../test/gateways/conformance/bench.ts'
import { gatewayConformance } from '../../../test/gateways/conformance/suite.ts'
import { memoryBooks } from './books.ts'
import { openSandbox } from './in-process.ts'
import { testCards, testCardThat } from './test-cards.ts'

const fingerprintKey = Buffer.alloc(32, 7)

function open(books = memoryBooks(), account = randomUUID() as string) {
  return openSandbox({ books, account, fingerprintKey })
}

gatewayConformance('sandbox in process', async () => {
  const gateway = open()
  return {
    gateway,
    cards: {
      succeeding: testCardThat('success'),
      declined: testCardThat('card_declined'),
      refused: { ...testCardThat('success'), number: '4242424242424242' },
      challenged: testCardThat('three_d_secure'),
    },
    namesOf: () => ['test:success'],
    enteredCard: async () => testCardThat('success'),
    challenge: async (charge, result) => void (await gateway.challenge(charge.id, result)),
    chargesOf: async transactionId => {
      const rows = await gateway.ledger()
      return rows.filter(row => row.transactionId === transactionId && row.state === 'succeeded').length
    },
    otherAmount: async () => ({ amountMinor: 420_005n }),
    close: async () => {},
  }
})

for (const { number, type, behaviour } of testCards) {
  test(`the ${type} card of ${number} is taken, and its number is kept nowhere`, async () => {
    const books = memoryBooks()
    const written: unknown[] = []
    const spied = { ...books, putCard: async (...args: unknown[]) => void written.push(args) }
    const stored = await open(spied).storeCard({ ...testCardThat('success'), number }, inTime())
    assert.equal(stored.kind, 'stored')
    assert.equal(stored.type, type)
    assert.ok(!inspect([written, stored], { depth: null }).includes(number))
    assert.ok(inspect(written, { depth: null }).includes(`behaviour: '${behaviour}'`))
  })
}

test('a month that does not exist is refused', async () => {
  for (const wrong of [{ expiryMonth: 0 }, { expiryMonth: 13 }, { expiryMonth: 1.5 }, { expiryYear: 42 }]) {
    assert.equal((await open().storeCard({ ...testCardThat('success'), ...wrong }, inTime())).kind, 'refused')
  }
})

test('a fingerprint depends on the key and the account', async () => {
  const books = memoryBooks()
  const prints = new Set<string>()
  for (const [account, key] of [
    ['a', 1],
    ['b', 1],
    ['a', 2],
  ] as const) {
    const sandbox = openSandbox({ books, account, fingerprintKey: Buffer.alloc(32, key) })
    const stored = await sandbox.storeCard(testCardThat('success'), inTime())
    assert.equal(stored.kind, 'stored')
    prints.add(stored.fingerprint)
  }
  assert.equal(prints.size, 3)
})

test('a time-out before the charge: unknown, however often, and nothing is charged', async () => {
  const sandbox = open()
  const charge = await chargeWith(sandbox, testCardThat('time_out_before'))
  for (let sending = 1; sending <= 2; sending++) {
    assert.equal((await sandbox.send(charge, AbortSignal.timeout(30))).kind, 'unknown')
  }
  assert.deepEqual(await sandbox.lookup(charge, inTime()), { kind: 'absent' })
  assert.deepEqual(await sandbox.ledger(), [])
})

for (const behaviour of ['time_out_after', 'reset_after', 'slow'] as const) {
  test(`${behaviour}: the first sending is unknown, and it was charged once`, async () => {
    const sandbox = open()
    const charge = await chargeWith(sandbox, testCardThat(behaviour))
    assert.equal((await sandbox.send(charge, AbortSignal.timeout(30))).kind, 'unknown')
    const done = await mustSucceed(sandbox, charge)
    assert.deepEqual(await sandbox.lookup(charge, inTime()), done)
    assert.equal((await sandbox.ledger()).length, 1)
  })
}

test('a slow answer comes, late', async () => {
  const sandbox = open()
  const charge = await chargeWith(sandbox, testCardThat('success'), { amountMinor: 410_002n })
  const startedAtMs = performance.now()
  await mustSucceed(sandbox, charge)
  assert.ok(performance.now() - startedAtMs >= 195)
})

test('a refund whose answer was lost is given back once', async () => {
  const sandbox = open()
  const charge = await chargeWith(sandbox, testCardThat('success'), { amountMinor: 900_000n })
  const refund = followUp('refund', charge, await mustSucceed(sandbox, charge), 420_002n)
  assert.equal((await sandbox.send(refund, AbortSignal.timeout(30))).kind, 'unknown')
  await mustSucceed(sandbox, refund)
  assert.deepEqual(
    (await sandbox.ledger()).map(({ kind, amountMinor, currency, state }) => [kind, amountMinor, currency, state]),
    [
      ['charge', '900000', 'USD', 'succeeded'],
      ['refund', '420002', 'USD', 'succeeded'],
    ],
  )
})

test('an operation id that stands under another charge is unknown, charges nothing, and cannot be fenced', async () => {
  const sandbox = open()
  const first = await chargeWith(sandbox, testCardThat('success'))
  const second = await chargeWith(sandbox, testCardThat('success'))
  const refund = followUp('refund', first, await mustSucceed(sandbox, first), 1n)
  await mustSucceed(sandbox, refund)
  const stray = { ...followUp('refund', second, await mustSucceed(sandbox, second), 1n), id: refund.id }
  assert.equal((await sandbox.send(stray, inTime())).kind, 'unknown')
  assert.equal(await sandbox.fence(stray, inTime()), false)
  assert.equal((await sandbox.ledger()).length, 3)
})

test('accounts share nothing', async () => {
  const books = memoryBooks()
  const [one, other] = [open(books), open(books)]
  const charge = await chargeWith(one, testCardThat('success'))
  await mustSucceed(one, charge)
  assert.deepEqual(await other.lookup(charge, inTime()), { kind: 'absent' })
  assert.deepEqual(await other.send(charge, inTime()), { kind: 'declined', code: 'processing_error' })
  assert.equal(await other.challenge(charge.id, 'pass'), 'not_waiting')
})

test('books that fail are unknown, by name only, and no fence', async () => {
  const failing = async (): Promise<never> => {
    throw Object.assign(new Error('secret'), { code: '57P01' })
  }
  const working = open()
  const charge = await chargeWith(working, testCardThat('success'))
  const sandbox = open({ ...memoryBooks(), transact: failing, putCard: failing, removeCard: failing })
  const outcomes = [
    await sandbox.send(charge, inTime()),
    await sandbox.lookup(charge, inTime()),
    await sandbox.removeCard(charge.cardRef, inTime()),
    await sandbox.storeCard(testCardThat('success'), inTime()),
  ]
  for (const { kind } of outcomes) assert.equal(kind, 'unknown')
  assert.match(inspect(outcomes), /57P01/)
  assert.equal(await sandbox.fence(charge, inTime()), false)
  assert.ok(!inspect(outcomes).includes('secret'))
})

test('books that never return are unknown when the time is up', async () => {
  const sandbox = open({ ...memoryBooks(), transact: () => new Promise(() => {}) })
  const charge = await chargeWith(sandbox, testCardThat('success'))
  assert.equal((await sandbox.send(charge, AbortSignal.timeout(30))).kind, 'unknown')
})

test('what is asked when the time is already up never reaches the books', async () => {
  const sandbox = open()
  const charge = await chargeWith(sandbox, testCardThat('success'))
  assert.equal((await sandbox.send(charge, AbortSignal.abort())).kind, 'unknown')
  assert.equal(await sandbox.fence(charge, AbortSignal.abort()), false)
  assert.deepEqual(await sandbox.ledger(), [])
})

test('the ledger tells what moved, not what was asked', async () => {
  const sandbox = open()
  await mustSucceed(sandbox, await chargeWith(sandbox, testCardThat('wrong_amount'), { amountMinor: 500n }))
  assert.deepEqual(
    (await sandbox.ledger()).map(row => row.amountMinor),
    ['499'],
  )
})

test('each exchange is told in one line', async () => {
  const lines: string[] = []
  const gateway = open()
  const charge = await chargeWith(gateway, testCardThat('reset_after'))
  const note = (line: string) => void lines.push(line)
  await gateway.send(charge, inTime(), note)
  await gateway.lookup(charge, inTime(), note)
  await gateway.fence(charge, inTime(), note)
  await gateway.lookup(charge, AbortSignal.abort(), note)
  assert.deepEqual(lines, [
    'send -> unknown: The connection was reset.',
    'lookup -> succeeded',
    'fence -> stands',
    'lookup -> unknown: The time was up before the sandbox was asked.',
  ])
})
