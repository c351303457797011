import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FakeWorld, gatewayAccess, silence, success } from '../../test/support/fake-world.ts'
import {
  answered,
  card,
  cardToken,
  charge,
  gatewayId,
  madeCharge,
  merchantId,
  offerId,
  sale,
  successful,
  transactionId,
} from '../../test/support/sale-samples.ts'
import { requestFor } from './call-gateway.ts'
import { chargeOffer } from './charge.ts'
import { followUp } from './follow-up.ts'
import type { GatewayId } from './ids.ts'
import type { PreSaleEndpoint } from './ports.ts'
import { askAgain } from './recover.ts'

const command = {
  ...{ merchantId, offerId, cardToken, quantity: 1, authorizationOnly: null, referrerContext: null, entered: null },
  ...{ source: 'Web Transaction' as const, repetition: null },
}
const endpoint = {
  id: 'endpoint',
  url: 'https://shop.example/presale',
  timeoutMs: 1_000,
  paused: false,
} as PreSaleEndpoint

/** What everything says that a request could be made of, after settings and release have changed. */
async function asksAgainAfterChanges(world: FakeWorld): Promise<void> {
  world.wire = { version: 2, descriptor: 'ANOTHER NAME' }
  const { transaction, operations } = world.sale
  const others = operations.map(one => (one.outcome === 'succeeded' ? { ...one, gatewayRef: 'renamed' } : one))
  const changed = { ...transaction, authorizationOnly: !transaction.authorizationOnly }
  world.put({ ...world.sale, transaction: changed, operations: others, card: { ...card, cardRef: 'renewed' } })
  await askAgain(
    { ...world.ports, store: { ...world.ports.store, commit: async () => 'committed' } },
    world.sale,
    world.claim(),
  )
}

const sent = ({ calls }: FakeWorld) => calls.filter(call => call.do === 'send').map(({ request }) => request)

describe('what is sent again is what was stored with the row', () => {
  for (const [what, endpoints] of [
    ['a charge', []],
    ['a charge after Pre-Sale', [endpoint]],
  ] as const) {
    test(what, async () => {
      const world = new FakeWorld()
      world.wire = { version: 1, descriptor: 'SHOP' }
      world.sends = [silence, success()]
      world.preSaleAnswers = [answered(200)]
      world.facts = { ...world.facts, preSaleEndpoints: endpoints }
      await chargeOffer(world.ports, command)
      await asksAgainAfterChanges(world)
      const [first, second, ...others] = sent(world)
      assert.deepEqual([second, others], [first, []])
      assert.deepEqual(first?.wire, { version: 1, descriptor: 'SHOP' })
      const stored = world.sale.operations.at(-1)?.request
      assert.deepEqual(stored, { cardRef: card.cardRef, capture: true, wire: { version: 1, descriptor: 'SHOP' } })
    })
  }

  for (const kind of ['refund', 'capture', 'void'] as const) {
    test(`a ${kind}`, async () => {
      const world = new FakeWorld()
      const held = { status: 'Authorized', heldMinor: 10_000n, capturedMinor: 0n, authorizationOnly: true } as const
      world.put({
        ...sale,
        transaction: kind === 'refund' ? successful : { ...successful, ...held },
        operations: [madeCharge],
      })
      world.wire = { version: 1 }
      world.sends = [silence, success()]
      const asked = { merchantId, transactionId, kind, amount: null, refundedBy: null, refundedReason: null }
      await followUp(world.ports, { ...asked, repetition: null })
      await asksAgainAfterChanges(world)
      const [first, second] = sent(world)
      assert.deepEqual(second, first)
      assert.deepEqual(first?.wire, { version: 1 })
    })
  }

  test('a charge at the gateway that is tried next', async () => {
    const world = new FakeWorld()
    world.wire = { version: 1 }
    world.facts = {
      ...world.facts,
      gateway: { id: gatewayId, access: gatewayAccess, active: true, cardRef: card.cardRef },
      fallbacks: [{ gatewayId: 'gw_next' as GatewayId, cardRef: 'copy' }],
    }
    world.sends = [{ kind: 'declined', code: 'card_declined' }, silence, success()]
    await chargeOffer(world.ports, command)
    await asksAgainAfterChanges(world)
    const [, first, second] = sent(world)
    assert.deepEqual(second, first)
    assert.equal(first?.kind === 'charge' && first.cardRef, 'copy')
  })
})

test('a row of an older release is sent as things are now', () => {
  const asked = requestFor({ ...sale, operations: [charge] }, charge)
  assert.deepEqual([asked.kind, 'wire' in asked], ['charge', false])
  assert.equal(asked.kind === 'charge' && asked.cardRef, card.cardRef)
})
