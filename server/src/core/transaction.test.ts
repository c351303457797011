import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import {
  after,
  authorized,
  brokenConstraint,
  failed,
  noon,
  oneOfEachStatus,
  processing,
  successful,
} from '../../test/support/sale-samples.ts'
import {
  arrows,
  balanceMinor,
  captureSucceeded,
  chargeFailed,
  chargeSucceeded,
  customerMustAct,
  refundableMinor,
  refundFailedLater,
  refundReleased,
  refundReserved,
  refundSucceeded,
  type Transaction,
  type TransactionStatus,
  transactionStatuses,
  voidSucceeded,
} from './transaction.ts'

const interrupted = { code: 'interrupted', sentence: 'Processing was interrupted.' } as const

/** Every step there is, with any amount: those that fit, those that do not, nothing and less than nothing. */
type Step = (transaction: Transaction) => Transaction
const amount = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(4_000n, 6_000n, 10_000n) },
  { weight: 1, arbitrary: fc.constantFrom(0n, 1n, -1n, 9_999n, 10_001n, 20_000n) },
)
const fee = fc.option(fc.bigInt(0n, 500n), { nil: null })
const named = (name: string, step: Step) => Object.assign(step, { toString: () => name })
const step: fc.Arbitrary<Step> = fc.oneof(
  fee.map(minor => named(`charged, fee ${minor}`, one => chargeSucceeded(one, minor))),
  fc.constant(named('charge failed', one => chargeFailed(one, interrupted))),
  fc.constant(named('customer must act', one => customerMustAct(one, after(noon, 60_000)))),
  fc.tuple(amount, fee).map(([minor, cut]) => named(`captured ${minor}`, one => captureSucceeded(one, minor, cut))),
  fc.constant(named('voided', one => voidSucceeded(one))),
  amount.map(minor => named(`reserved ${minor}`, one => refundReserved(one, minor))),
  amount.map(minor => named(`refunded ${minor}`, one => refundSucceeded(one, minor))),
  amount.map(minor => named(`released ${minor}`, one => refundReleased(one, minor))),
)

/** A refund that is carried through stands among the single steps, or few runs would come to an end. */
const steps: fc.Arbitrary<Step[]> = fc
  .array(fc.oneof({ weight: 3, arbitrary: step.map(one => [one]) }, { weight: 1, arbitrary: amount.map(refunded) }))
  .map(some => some.flat())

function refunded(minor: bigint): Step[] {
  const reserve = named(`reserved ${minor}`, one => refundReserved(one, minor))
  return [reserve, named(`refunded ${minor}`, one => refundSucceeded(one, minor))]
}

function outcomeOf(transaction: Transaction, take: Step): Transaction | null {
  try {
    return take(transaction)
  } catch {
    return null
  }
}

function isDrawn(from: TransactionStatus, to: TransactionStatus): boolean {
  const drawn: readonly TransactionStatus[] = arrows[from]
  return from === to || drawn.includes(to)
}

test('the states that these tests start from fit the database', () => {
  for (const transaction of oneOfEachStatus) assert.equal(brokenConstraint(transaction), null, transaction.status)
})

describe('any sequence of steps', () => {
  test('throws, or follows an arrow of the drawing and keeps what the database demands', () => {
    const reached = new Set<TransactionStatus>()
    fc.assert(
      fc.property(fc.boolean(), steps, (authorizationOnly, taken) => {
        let transaction: Transaction = { ...processing, authorizationOnly }
        for (const take of taken) {
          const next = outcomeOf(transaction, take)
          if (next === null) continue
          assert.ok(isDrawn(transaction.status, next.status), `${transaction.status} to ${next.status}`)
          assert.equal(brokenConstraint(next), null, `${take} from ${transaction.status}`)
          transaction = next
          reached.add(next.status)
        }
      }),
      { numRuns: 5_000 },
    )
    assert.deepEqual([...reached].sort(), [...transactionStatuses].sort(), 'every state was met')
  })

  test('never gives back more than was captured, and never promises the same money twice', () => {
    fc.assert(
      fc.property(steps, taken => {
        let transaction = successful
        for (const take of taken) {
          transaction = outcomeOf(transaction, take) ?? transaction
          const { refundedMinor, refundReservedMinor, capturedMinor } = transaction
          assert.ok(refundedMinor + refundReservedMinor <= capturedMinor)
          assert.ok(refundableMinor(transaction) >= 0n)
          assert.ok(balanceMinor(transaction) >= 0n)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('changes nothing but state and money: who, what and how much was agreed stays', () => {
    fc.assert(
      fc.property(fc.constantFrom(...oneOfEachStatus), step, (transaction, take) => {
        const next = outcomeOf(transaction, take)
        if (next === null) return
        const { status, heldMinor, capturedMinor, refundReservedMinor, refundedMinor, ...rest } = next
        const { netAmountMinor, failure, actionExpiresAt, ...agreed } = rest
        for (const [name, value] of Object.entries(agreed)) {
          assert.equal(value, transaction[name as keyof Transaction], name)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('the drawing', () => {
  test('is the one of the interface', () => {
    assert.deepEqual(arrows, {
      Processing: ['Successful', 'Authorized', 'Failed', 'Further Action Required'],
      'Further Action Required': ['Processing', 'Successful', 'Authorized', 'Failed'],
      Authorized: ['Successful', 'Voided'],
      Successful: ['Partially Refunded', 'Refunded'],
      'Partially Refunded': ['Successful', 'Refunded'],
      Refunded: ['Successful', 'Partially Refunded'],
      Voided: [],
      Failed: ['Successful', 'Authorized'],
    })
  })

  test('is the one that the database’s trigger holds', async () => {
    const migration = new URL('../store/migrations/0001_the_service_stands.sql', import.meta.url)
    const [, trigger = ''] =
      /hold_transaction_arrows\(\)([^$]*\$\$[^$]*\$\$)/.exec(await readFile(migration, 'utf8')) ?? []
    const held = [...trigger.matchAll(/\('([A-Za-z ]+)', '([A-Za-z ]+)'\)/g)].map(([, from, to]) => `${from} -> ${to}`)
    const drawn = transactionStatuses.flatMap(from => arrows[from].map(to => `${from} -> ${to}`))
    assert.deepEqual(held.sort(), drawn.sort())
  })

  test('has no way out of Voided, and none back into Processing for a settled transaction', () => {
    const voided: Transaction = { ...processing, status: 'Voided', authorizationOnly: true }
    assert.throws(() => chargeSucceeded(voided, null), /no arrow from Voided to Authorized/)
    assert.throws(() => captureSucceeded(voided, 10_000n, null), /no arrow from Voided to Successful/)
    for (const [from, to] of Object.entries(arrows)) {
      if (from !== 'Further Action Required') assert.ok(!(to as readonly string[]).includes('Processing'))
    }
  })
})

describe('a charge', () => {
  test('that succeeds takes the amount; net is the amount less the gateway’s fee, null where it names none', () => {
    const taken = chargeSucceeded(processing, 320n)
    assert.deepEqual([taken.status, taken.capturedMinor, taken.netAmountMinor], ['Successful', 10_000n, 9_680n])
    assert.equal(chargeSucceeded(processing, null).netAmountMinor, null)
    assert.equal(chargeSucceeded(processing, 0n).netAmountMinor, 10_000n)
    assert.equal(balanceMinor(taken), 10_000n)
  })

  test('that only authorises holds the amount, and nets nothing yet', () => {
    const held = chargeSucceeded({ ...processing, authorizationOnly: true }, 320n)
    const { status, heldMinor, capturedMinor, netAmountMinor } = held
    assert.deepEqual([status, heldMinor, capturedMinor, netAmountMinor], ['Authorized', 10_000n, 0n, null])
    assert.equal(balanceMinor(held), 10_000n)
    assert.equal(refundableMinor(held), 0n)
  })

  test('that succeeds late wipes out the failure', () => {
    assert.deepEqual(chargeSucceeded(failed, null), { ...successful, failure: null })
  })

  test('that waited for its customer no longer does once it is settled', () => {
    const waiting = customerMustAct(processing, after(noon, 60_000))
    assert.deepEqual(waiting.actionExpiresAt, after(noon, 60_000))
    assert.equal(chargeSucceeded(waiting, null).actionExpiresAt, null)
    assert.equal(chargeFailed(waiting, interrupted).actionExpiresAt, null)
  })

  test('that was made cannot fail any more', () => {
    for (const made of [successful, authorized]) assert.throws(() => chargeFailed(made, interrupted), /no arrow/)
  })
})

describe('a capture', () => {
  test('of less than was authorised releases the rest', () => {
    const captured = captureSucceeded(authorized, 6_000n, 200n)
    assert.deepEqual([captured.status, captured.heldMinor, captured.capturedMinor], ['Successful', 0n, 6_000n])
    assert.deepEqual([captured.netAmountMinor, balanceMinor(captured)], [5_800n, 6_000n])
  })

  test('of more than was authorised is no step', () => {
    assert.throws(() => captureSucceeded(authorized, 10_001n, null))
    assert.throws(() => captureSucceeded(authorized, 0n, null))
  })

  test('of what is still processing, failed or waits for its customer leaves nothing half done', () => {
    const waiting = customerMustAct(processing, noon)
    for (const one of [failed, waiting]) assert.throws(() => captureSucceeded(one, 10_000n, null))
  })
})

test('a void releases what was held', () => {
  const voided = voidSucceeded(authorized)
  assert.deepEqual([voided.status, balanceMinor(voided)], ['Voided', 0n])
  assert.throws(() => voidSucceeded(successful), /no arrow from Successful to Voided/)
})

describe('refunds', () => {
  test('reserve their money, so that no other refund can have it', () => {
    const reserved = refundReserved(successful, 6_000n)
    assert.equal(reserved.status, 'Successful')
    assert.equal(refundableMinor(reserved), 4_000n)
    assert.equal(balanceMinor(reserved), 10_000n, 'it is not given back yet')
    assert.throws(() => refundReserved(reserved, 4_001n), /a refund of more than is left/)
    assert.equal(refundableMinor(refundReserved(reserved, 4_000n)), 0n)
  })

  test('say by their sum whether it is partially or wholly refunded', () => {
    const part = refundSucceeded(refundReserved(successful, 6_000n), 6_000n)
    assert.deepEqual([part.status, part.refundReservedMinor, part.refundedMinor], ['Partially Refunded', 0n, 6_000n])
    const all = refundSucceeded(refundReserved(part, 4_000n), 4_000n)
    assert.deepEqual([all.status, all.refundedMinor, balanceMinor(all)], ['Refunded', 10_000n, 0n])
  })

  test('of a partial capture are whole when they reach what was captured', () => {
    const captured = captureSucceeded(authorized, 6_000n, null)
    assert.throws(() => refundReserved(captured, 6_001n))
    assert.equal(refundSucceeded(refundReserved(captured, 6_000n), 6_000n).status, 'Refunded')
  })

  test('that fail give their reservation back', () => {
    assert.deepEqual(refundReleased(refundReserved(successful, 6_000n), 6_000n), successful)
  })

  test('that fail after they had succeeded leave the money here again', () => {
    const part = refundSucceeded(refundReserved(successful, 6_000n), 6_000n)
    const all = refundSucceeded(refundReserved(part, 4_000n), 4_000n)
    assert.deepEqual(refundFailedLater(all, 4_000n), part)
    assert.deepEqual(refundFailedLater(refundFailedLater(all, 4_000n), 6_000n), successful)
    assert.throws(() => refundFailedLater(part, 6_001n))
  })

  test('that nobody reserved do not happen', () => {
    assert.throws(() => refundSucceeded(successful, 1n))
    assert.throws(() => refundReleased(successful, 1n))
    assert.throws(() => refundSucceeded(refundReserved(successful, 5n), 6n))
  })
})
