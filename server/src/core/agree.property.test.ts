// Whatever happens to a payment at the gateway, and in whatever order, how late and how often its notices come: in the end
// our rows say what the gateway says, the money fits in every step, and each change was told of once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { type AgreeWorld, disputeThere, open, paid, refundThere, worldOf } from '../../test/support/agree-world.ts'
import { authorized, charge, madeCharge, processing, successful } from '../../test/support/sale-samples.ts'
import { type BookedTransaction, faultsOfBooks } from './audit/books.ts'
import type { ReportedPayment, ReportedRefund } from './gateway.ts'
import type { OperationOutcome } from './operation.ts'
import type { Change } from './ports.ts'
import type { TransactionStatus } from './transaction.ts'

const oursMinor = 3_000n
const ours = open('refund', oursMinor)

const amountMinor = fc.bigInt({ min: 1n, max: 10_000n })
const pick = fc.nat(20)
/** What somebody does at the gateway, or a bank. */
const deed = fc.oneof(
  fc.record({ do: fc.constant('capture' as const), amountMinor }),
  fc.record({ do: fc.constant('release' as const) }),
  fc.record({ do: fc.constant('refund' as const), amountMinor, state: fc.constantFrom('succeeded', 'pending') }),
  fc.record({ do: fc.constant('our refund arrives' as const) }),
  fc.record({ do: fc.constant('a refund ends' as const), pick, state: fc.constantFrom('succeeded', 'failed') }),
  fc.record({ do: fc.constant('dispute' as const), pick, status: fc.constantFrom('open', 'won', 'lost') }),
)
type Deed = typeof deed extends fc.Arbitrary<infer Some> ? Some : never

const givenBackMinor = (refunds: readonly ReportedRefund[]) =>
  refunds.filter(({ state }) => state !== 'failed').reduce((sum, refund) => sum + refund.amountMinor, 0n)

/** How the payment stands after it. What the gateway would refuse changes nothing. */
function after(said: ReportedPayment, takenMinor: bigint, what: Deed): ReportedPayment {
  const leftMinor = takenMinor - givenBackMinor(said.refunds)
  switch (what.do) {
    case 'capture':
      return { ...said, captured: { gatewayRef: 'capture_1', amountMinor: what.amountMinor, feeMinor: null } }
    case 'release':
      return { ...said, released: true }
    case 'refund': {
      const minor = what.amountMinor < leftMinor ? what.amountMinor : leftMinor
      if (minor <= 0n) return said
      const some = { gatewayRef: `refund_${said.refunds.length}`, state: what.state as 'succeeded' }
      return { ...said, refunds: [...said.refunds, refundThere(minor, some)] }
    }
    case 'our refund arrives': {
      const state = oursMinor <= leftMinor ? 'succeeded' : 'failed'
      const arrived = refundThere(oursMinor, { gatewayRef: 'refund_of_ours', operationId: ours.id, state })
      return { ...said, refunds: [...said.refunds, arrived] }
    }
    case 'a refund ends':
      return { ...said, refunds: ended(said.refunds, what.pick, what.state as 'succeeded') }
    case 'dispute': {
      const dispute = disputeThere({ gatewayRef: `dispute_${what.pick % 2}`, status: what.status as 'open' })
      const others = said.disputes.filter(({ gatewayRef }) => gatewayRef !== dispute.gatewayRef)
      return { ...said, disputes: [...others, dispute] }
    }
  }
}

/** Pending may become both; one that succeeded may still fail; one that failed has. */
function ended(refunds: readonly ReportedRefund[], which: number, state: 'succeeded' | 'failed') {
  return refunds.map((refund, index) => {
    const isIt = index === which % refunds.length && (refund.state === 'pending' || state === 'failed')
    return isIt ? { ...refund, state } : refund
  })
}

interface Beginning {
  readonly authorizationOnly: boolean
  readonly chargeOpen: boolean
  readonly refundOpen: boolean
}

function begun({ authorizationOnly, chargeOpen, refundOpen }: Beginning): AgreeWorld {
  if (chargeOpen) return worldOf({ ...processing, authorizationOnly }, charge)
  if (authorizationOnly) return worldOf(authorized)
  return refundOpen ? worldOf({ ...successful, refundReservedMinor: oursMinor }, madeCharge, ours) : worldOf(successful)
}

/** Everything that the gateway says on the way, the last being how it stands in the end. */
function saidOnTheWay(beginning: Beginning, deeds: readonly Deed[]): ReportedPayment[] {
  const { authorizationOnly, chargeOpen, refundOpen } = beginning
  const hasOurs = refundOpen && !chargeOpen && !authorizationOnly
  const said = [paid]
  const does = (what: Deed) => {
    const now = said.at(-1) ?? paid
    const isOver = !authorizationOnly || now.captured !== null || now.released
    if ((what.do === 'capture' || what.do === 'release') && isOver) return
    const hasArrived = now.refunds.some(({ operationId }) => operationId === ours.id)
    if (what.do === 'our refund arrives' && (!hasOurs || hasArrived)) return
    const takenMinor = authorizationOnly ? (now.captured?.amountMinor ?? 0n) : 10_000n
    said.push(after(now, takenMinor, what))
  }
  for (const what of [...deeds, { do: 'our refund arrives' as const }]) does(what)
  return said
}

async function hearUntilAgreed(world: AgreeWorld, said: ReportedPayment): Promise<void> {
  for (let times = 0; times < 3; times++) if ((await world.hear(said)) === 'agreed') return
  assert.fail('it does not come to agree')
}

function statusOf({ authorizationOnly }: Beginning, { captured, released, refunds }: ReportedPayment) {
  if (authorizationOnly && captured === null) return released ? 'Voided' : 'Authorized'
  const takenMinor = captured?.amountMinor ?? 10_000n
  const refundedMinor = givenBackMinor(refunds.filter(({ state }) => state === 'succeeded'))
  const status: TransactionStatus =
    refundedMinor === 0n ? 'Successful' : refundedMinor === takenMinor ? 'Refunded' : 'Partially Refunded'
  return status
}

function booked({ sale }: AgreeWorld): BookedTransaction {
  const operations = sale.operations.map(operation => ({ ...operation, followed: true }))
  return { ...sale.transaction, inHand: false, operations, absent: [] }
}

test('in the end our rows say what the gateway says, whatever came before', async () => {
  const beginning = fc.record({ authorizationOnly: fc.boolean(), chargeOpen: fc.boolean(), refundOpen: fc.boolean() })
  const heard = fc.array(fc.record({ pick, busy: fc.boolean() }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(beginning, fc.array(deed, { maxLength: 8 }), heard, async (from, deeds, notices) => {
      const world = begun(from)
      const said = saidOnTheWay(from, deeds)
      for (const { pick, busy } of notices) {
        world.othersAreAtIt = busy
        await world.hear(said[pick % said.length] ?? paid)
      }
      world.othersAreAtIt = false
      const last = said.at(-1) ?? paid
      await hearUntilAgreed(world, last)

      const { transaction, disputes } = world.sale
      assert.equal(transaction.status, statusOf(from, last))
      assert.equal(transaction.refundReservedMinor, 0n)
      const states = (list: ReportedPayment['disputes']) => list.map(each => [each.gatewayRef, each.status]).sort()
      assert.deepEqual(states(disputes), states(last.disputes))
      assert.deepEqual(faultsOfBooks(booked(world)), [])
      assert.ok(
        world.sale.operations.every(({ forPerson }) => forPerson === null),
        'nothing is left to a person',
      )

      const told = world.commits.filter(({ event }) => event !== undefined).length
      const ends = (outcome: OperationOutcome) => outcome === 'declined' || outcome === 'not_sent'
      // Ours that never was, and one of theirs that was kept for a person and left the list again.
      const isUntold = ({ event, settles, reported = [], revises }: Change) =>
        event === undefined &&
        [settles?.operation, revises?.operation, ...reported].some(one => one && ends(one.outcome))
      const untold = world.commits.filter(isUntold).length
      assert.equal(told + untold, world.commits.length, 'a change is told of, but for a refund that never was')
      await hearUntilAgreed(world, last)
      assert.equal(world.commits.length, told + untold, 'what is the same is no change')
    }),
    { numRuns: 1_000 },
  )
})
