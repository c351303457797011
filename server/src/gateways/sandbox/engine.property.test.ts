import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { OperationRequest } from '../../core/gateway.ts'
import type { OperationId, TransactionId } from '../../core/ids.ts'
import type { Currency } from '../../core/money.ts'
import type { Entry } from './books.ts'
import { type Answer, challenge, fence, lookup, send } from './engine.ts'

const chargeId = 'charge' as OperationId
const transactionId = 'transaction' as TransactionId
const currency = 'USD' as Currency
const chargeRef = `sandbox_charge_${chargeId}`

// Few ids and small amounts, so that runs meet the same id again and reach their limits; and the amounts that misbehave.
const amount = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt({ min: 1n, max: 12n }) },
  fc.constantFrom(400_002n, 410_001n, 420_001n, 420_002n, 420_003n, 420_005n),
)
const chargeAmount = fc.constantFrom(1n, 10n, 12n, 420_005n, 430_001n, 900_000n, 400_001n)
const card = fc.constantFrom('success', 'wrong_amount', 'three_d_secure', 'card_declined', 'time_out_after', null)
const followUpId = fc.constantFrom(...(['a', 'b', 'c', 'd', 'e', 'f'] as OperationId[]))

const charge = fc.record({ amountMinor: chargeAmount, capture: fc.boolean() }).map(
  (some): OperationRequest => ({
    ...{ kind: 'charge', id: chargeId, transactionId, currency, cardRef: 'card' },
    ...some,
  }),
)
const followUp = fc
  .record({ kind: fc.constantFrom('capture', 'void', 'refund'), id: followUpId, amountMinor: amount })
  .map((some): OperationRequest => ({ ...{ transactionId, currency, chargeId, chargeRef }, ...some }))
const request = fc.oneof({ weight: 1, arbitrary: charge }, { weight: 4, arbitrary: followUp })

type Event =
  | { readonly do: 'send' | 'fence'; readonly request: OperationRequest }
  | { readonly do: 'challenge'; readonly result: 'pass' | 'fail' }
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: request.map(some => ({ do: 'send' as const, request: some })) },
  { weight: 1, arbitrary: request.map(some => ({ do: 'fence' as const, request: some })) },
  { weight: 1, arbitrary: fc.constantFrom('pass', 'fail').map(result => ({ do: 'challenge' as const, result })) },
)
/** A charge stands first in most runs; without it nothing can follow. */
const events = fc
  .tuple(fc.option(charge), fc.array(event, { maxLength: 30 }))
  .map(([first, rest]): Event[] => (first === null ? rest : [{ do: 'send', request: first }, ...rest]))

function run(
  happening: readonly Event[],
  cardName: Parameters<typeof send>[2],
  watch: (answer: Answer | null, request: OperationRequest) => void,
): readonly Entry[] {
  let entries: readonly Entry[] = []
  for (const one of happening) {
    if (one.do === 'challenge') entries = [...entries, ...challenge(entries, chargeId, one.result).append]
    else if (one.do === 'fence') entries = [...entries, ...fence(entries, one.request).append]
    else {
      const { append, result } = send(entries, one.request, cardName)
      entries = [...entries, ...append]
      watch(result.answer, one.request)
    }
  }
  return entries
}

test('whatever happens, refunded <= captured <= authorised, captured or voided at most once', () => {
  fc.assert(
    fc.property(events, card, (happening, cardName) => {
      // Told by answers alone, as the service would keep count, each operation once.
      const told = new Map<OperationId, { kind: string; amountMinor: bigint }>()
      const entries = run(happening, cardName, (answer, { id, kind }) => {
        if (answer?.kind === 'succeeded') told.set(id, { kind, amountMinor: answer.amountMinor })
      })
      // A charge that passed 3-D Secure is not sent again in every run.
      const found = lookup(entries, chargeId)
      if (found.kind === 'succeeded') told.set(chargeId, { kind: 'charge', amountMinor: found.amountMinor })
      const of = (kind: string): bigint[] =>
        [...told.values()].filter(one => one.kind === kind).map(one => one.amountMinor)
      const sum = (amounts: bigint[]): bigint => amounts.reduce((total, one) => total + one, 0n)
      const isSale = entries.some(({ kind, capture }) => kind === 'charge' && capture)
      const capturedMinor = isSale ? sum(of('charge')) : sum(of('capture'))
      assert.ok(sum(of('refund')) <= capturedMinor, 'refunded more than captured')
      assert.ok(capturedMinor <= sum(of('charge')), 'captured more than authorised')
      assert.ok(of('capture').length + of('void').length <= (isSale ? 0 : 1), 'settled twice')
    }),
    { numRuns: 3_000 },
  )
})

test('whatever happens, each id has one final answer, and lookup tells the same', () => {
  fc.assert(
    fc.property(events, card, (happening, cardName) => {
      const final = new Map<OperationId, Answer>()
      const entries = run(happening, cardName, (answer, { id }) => {
        if (answer?.kind !== 'succeeded' && answer?.kind !== 'declined') return
        const before = final.get(id)
        if (before === undefined) final.set(id, answer)
        else assert.deepEqual(answer, before)
      })
      for (const [id, answer] of final) {
        const found = lookup(entries, id)
        const isFenced = entries.some(entry => entry.operationId === id && entry.step === 'fenced')
        assert.deepEqual(found, isFenced ? { kind: 'absent' } : answer)
      }
    }),
    { numRuns: 3_000 },
  )
})

test('whatever happens, a fenced id has not succeeded and never does', () => {
  fc.assert(
    fc.property(events, card, followUpId, events, (before, cardName, id, afterwards) => {
      const target: OperationRequest = {
        ...{ kind: 'refund', id, transactionId, currency, chargeId, chargeRef },
        amountMinor: 1n,
      }
      const past = run(before, cardName, () => {})
      const atFence = lookup([...past, ...fence(past, target).append], id)
      const all = run([...before, { do: 'fence', request: target }, ...afterwards], cardName, () => {})
      assert.deepEqual(lookup(all, id), atFence)
    }),
    { numRuns: 2_000 },
  )
})

test('books number each operation’s entries without a gap', () => {
  fc.assert(
    fc.property(events, card, (happening, cardName) => {
      const next = new Map<OperationId, number>()
      for (const { operationId, seq } of run(happening, cardName, () => {})) {
        assert.equal(seq, next.get(operationId) ?? 0)
        next.set(operationId, seq + 1)
      }
    }),
  )
})
