// Whether an offer was paid after a moment: found by indexes that know only some of the times, and held here against the plain rule.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as fc from 'fast-check'
import type { MerchantId, OfferId, TransactionId } from '../src/core/ids.ts'
import type { KnownPayment } from '../src/core/ports.ts'
import { newestPayment } from '../src/store/checkouts.ts'
import { answered } from './support/answers.ts'
import { repetitions } from './support/repetitions.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
let succeeded: TransactionId
before(async () => {
  service = await startTestService()
  const { demo } = service
  const paid = answered(await demo.ask('transactions', { form: { service_offer: demo.offer, token: demo.card } }), 200)
  succeeded = paid.json.transaction.id
})
after(() => service.stop())

/** In seconds: asked for, charged so much later, settled so much later; null: not yet. */
interface Made {
  readonly askedS: number
  readonly chargedAfterS: number
  readonly settledAfterS: number | null
  readonly hasFailed: boolean
}

const begin = Date.UTC(2031, 0, 1, 12)
const at = (seconds: number) => new Date(begin + seconds * 1_000)

/** As ids are made: the time in milliseconds comes first. */
const idOf = (time: Date, kind: number, number: number) => {
  const ms = time.getTime().toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-${kind}${number.toString(16).padStart(11, '0')}`
}

function timesOf({ askedS, chargedAfterS, settledAfterS }: Made) {
  const chargedS = askedS + chargedAfterS
  return {
    asked: at(askedS),
    charged: at(chargedS),
    settled: settledAfterS === null ? null : at(chargedS + settledAfterS),
  }
}

/** The rule: what is open may be paid at any time; what is over was paid when its charge was settled. */
function wasPaidAfter(since: Date, made: Made): boolean {
  const { settled } = timesOf(made)
  return settled === null || (!made.hasFailed && settled > since)
}

const seconds = (max: number) => fc.integer({ min: 0, max })
/** Most things happen at once, or some time later. */
const later = fc.oneof(seconds(2), seconds(140))
const aPayment: fc.Arbitrary<Made> = fc.record({
  askedS: seconds(100),
  chargedAfterS: later,
  settledAfterS: fc.option(later, { freq: 6 }),
  hasFailed: fc.integer({ min: 0, max: 4 }).map(number => number === 0),
})

/** From a little before it was asked for to a little after it was settled, in seconds. */
function momentOf({ askedS, chargedAfterS, settledAfterS }: Made, part: number): number {
  return askedS - 2 + part * (chargedAfterS + (settledAfterS ?? 0) + 4)
}

/** How the rows of such a payment differ from those of one that succeeded. */
function rowsOf(made: Made, number: number) {
  const { asked, charged, settled } = timesOf(made)
  const id = idOf(asked, 1, number)
  const transaction = { id, created_at: asked.toISOString() }
  const times = { created_at: charged.toISOString(), settled_at: settled?.toISOString() ?? null }
  const operation = { id: idOf(charged, 2, number), transaction_id: id, ...times }
  if (settled !== null && !made.hasFailed) return { transaction, operation }
  if (settled === null)
    return {
      transaction: { ...transaction, status: 'Processing', captured_minor: 0 },
      operation: { ...operation, outcome: 'pending' },
    }
  const failed = { status: 'Failed', captured_minor: 0, failure_code: 'card_declined', failure_sentence: 'Declined.' }
  return {
    transaction: { ...transaction, ...failed },
    operation: { ...operation, outcome: 'declined', decline_code: 'card_declined' },
  }
}

/** Thrown to undo what was written for one look. */
class Undone extends Error {}

/** Among copies of a payment that succeeded, at these times. */
async function isFound(
  payments: readonly Made[],
  of: { readonly since: Date | null; readonly besides: KnownPayment | null },
): Promise<boolean> {
  const { merchant } = service.demoSheet
  const { offer } = service.demo
  let found = false
  const work = service.database.sql.begin(async scope => {
    for (const [number, made] of payments.entries()) {
      const { transaction, operation } = rowsOf(made, number)
      await scope`insert into transaction select (jsonb_populate_record(t, ${scope.json(transaction)})).*
        from transaction t where t.id = ${succeeded}`
      await scope`insert into operation select (jsonb_populate_record(p, ${scope.json(operation)})).*
        from operation p where p.transaction_id = ${succeeded}`
    }
    const counting = { kind: 'any', ...of, except: succeeded } as const
    found = (await newestPayment(scope, merchant as MerchantId, offer as OfferId, counting)).length > 0
    throw new Undone()
  })
  await assert.rejects(work, Undone)
  return found
}

test('a payment counts by when it was made, to the second, however long it waited', async () => {
  const holds = fc.asyncProperty(
    aPayment,
    fc.array(aPayment, { maxLength: 1 }),
    seconds(100),
    async (made, more, part) => {
      const payments = [made, ...more]
      const since = at(Math.round(momentOf(made, part / 100)))
      const isExpected = payments.some(each => wasPaidAfter(since, each))
      assert.equal(await isFound(payments, { since, besides: null }), isExpected)
    },
  )
  await fc.assert(holds, { numRuns: repetitions(80, 1_000) })
})

test('of two payments, who was told of one is asked about the other where that was made, or asked for, later', async () => {
  const timeOf = (made: Made) => timesOf(made).settled ?? timesOf(made).asked
  const holds = fc.asyncProperty(aPayment, aPayment, async (known, other) => {
    const besides = { id: rowsOf(known, 0).transaction.id as TransactionId, at: timeOf(known) }
    const hasFailed = other.settledAfterS !== null && other.hasFailed
    const isExpected = !hasFailed && timeOf(other) > besides.at
    assert.equal(await isFound([known, other], { since: null, besides }), isExpected)
  })
  await fc.assert(holds, { numRuns: repetitions(80, 1_000) })
})
