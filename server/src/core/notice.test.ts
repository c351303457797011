import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AgreeWorld, open, paid, refundThere, worldOf } from '../../test/support/agree-world.ts'
import { silence } from '../../test/support/fake-world.ts'
import {
  authorized,
  charge,
  gatewayId,
  madeCharge,
  merchantId,
  operationId,
  processing,
  successful,
} from '../../test/support/sale-samples.ts'
import type {
  DescribeCardOutcome,
  Gateway,
  GatewayNotice,
  PaymentNews,
  ReportedPayment,
  StoredCard,
  Unknown,
} from './gateway.ts'
import type { OperationId, TransactionId } from './ids.ts'
import { hearNotice, type NoticePorts } from './notice.ts'

const at = { merchantId, gatewayId }
const news = (what: PaymentNews) => ({ kind: 'payment', chargeRef: 'gateway_1', news: what }) as const
const settled = { ...successful, netAmountMinor: 9_680n }

/** Hears a notice from a gateway that says, each time it is asked, what this returns. */
function listening(
  world: AgreeWorld,
  payment: () => ReportedPayment | Unknown | null,
  named: TransactionId | null = null,
  isDecided = false,
) {
  const asked: string[] = []
  const given: unknown[] = []
  const said = async (chargeRef: string, _: AbortSignal, ours: unknown) => {
    asked.push(chargeRef)
    given.push(ours)
    return payment()
  }
  const gateway: Gateway = { ...world.gateway, notices: { read: () => assert.fail(), payment: said } }
  const isIt = (each: { readonly gatewayRef: string | null }) => each.gatewayRef === 'gateway_1'
  const ports: NoticePorts = {
    ...world.ports,
    async findCharge() {
      const transactionId = named ?? (world.sale.operations.some(isIt) ? world.sale.transaction.id : null)
      return transactionId === null ? null : { transactionId, isDecided, operationId: isDecided ? null : operationId }
    },
    hasCard: () => assert.fail(),
    renewCard: () => assert.fail(),
  }
  return {
    asked,
    given,
    hear: (notice: Exclude<GatewayNotice, { kind: 'not_authentic' }>) => hearNotice(ports, at, gateway, notice),
  }
}

describe('a notice of a charge', () => {
  test('that succeeded, as is written here with all that it cost, asks nobody', async () => {
    const { asked, hear } = listening(worldOf(settled), () => assert.fail())
    assert.equal(await hear(news('success')), 'done')
    assert.deepEqual(asked, [])
  })

  test('that says something else than what is written here asks', async () => {
    const { asked, hear } = listening(worldOf(settled), () => paid)
    assert.equal(await hear(news('charge')), 'done')
    assert.deepEqual(asked, ['gateway_1'])
  })

  test('that succeeded asks where a person has decided about any of its operations', async () => {
    const { asked, hear } = listening(worldOf(settled), () => paid, null, true)
    assert.equal(await hear(news('success')), 'done')
    assert.deepEqual(asked, ['gateway_1'])
  })

  test('that succeeded asks where something may be new: open, authorised, voided, failed, or without its fee', async () => {
    for (const world of [
      worldOf(authorized),
      worldOf({ ...authorized, status: 'Voided', heldMinor: 0n }),
      worldOf(successful),
      worldOf(settled, { ...madeCharge, outcome: 'declined', declineCode: 'card_declined' }),
      worldOf({ ...settled, refundReservedMinor: 1n }, madeCharge, open('refund', 1n)),
    ]) {
      const { asked, hear } = listening(world, () => null)
      assert.equal(await hear(news('success')), 'done')
      assert.deepEqual(asked, ['gateway_1'])
    }
  })

  test('that comes before the answer to our own sending finds the sale by what the payment itself says', async () => {
    const world = worldOf(processing, charge)
    assert.equal(await listening(world, () => paid).hear(news('charge')), 'done')
    assert.equal(world.sale.transaction.status, 'Successful')
  })
})

test('a notice of a refund or a dispute always asks', async () => {
  for (const what of ['refund', 'dispute'] as const) {
    const { asked, hear } = listening(worldOf(settled), () => paid)
    assert.equal(await hear(news(what)), 'done')
    assert.equal(asked.length, 1)
  }
})

test('a payment that is not there, or none of ours, is nothing to us', async () => {
  const world = worldOf(processing, charge)
  assert.equal(await listening(world, () => null).hear(news('charge')), 'done')
  const others = { ...paid, transactionId: 'another' as TransactionId }
  assert.equal(await listening(world, () => others).hear(news('charge')), 'done')
  assert.deepEqual([world.commits, world.alerts], [[], []])
})

test('a gateway is told whose a payment is by our own rows, unless a person may have given its reference', async () => {
  for (const [world, isDecided, ours] of [
    [worldOf(settled), false, { transactionId: settled.id, operationId }],
    [worldOf(settled), true, null],
    [worldOf(processing, charge), false, null],
  ] as const) {
    const { given, hear } = listening(world, () => paid, null, isDecided)
    assert.equal(await hear(news('dispute')), 'done')
    assert.deepEqual(given, [ours])
  }
})

test('a payment that we know by its reference, and that the gateway does not report as ours, is told to a person', async () => {
  const world = worldOf(settled)
  assert.equal(await listening(world, () => null).hear(news('dispute')), 'done')
  assert.deepEqual([world.commits, world.alerts.length], [[], 1])
  assert.match(String(world.alerts[0]), /^The gateway told of gateway_1, which is a payment of ours by its reference/)
})

test('a payment whose name leads to another sale is written to the one whose ids it bears', async () => {
  const world = worldOf(settled)
  const wrong = world.sale
  const [transactionId, operationId] = ['another' as TransactionId, 'another_operation' as OperationId]
  const operations = [{ ...madeCharge, id: operationId, transactionId }]
  world.put({ ...wrong, transaction: { ...settled, id: transactionId }, operations })
  const reported = { ...paid, transactionId, operationId, refunds: [refundThere(2_000n)] }
  const { asked, hear } = listening(world, () => reported, wrong.transaction.id)
  assert.equal(await hear(news('refund')), 'done')
  const refunded = async (id: TransactionId) =>
    (await world.ports.store.load(merchantId, id))?.transaction.refundedMinor
  assert.deepEqual([await refunded(transactionId), await refunded(wrong.transaction.id)], [2_000n, 0n])
  assert.deepEqual([asked.length, world.alerts], [2, []], 'it is asked again once the right sale is read')
})

test('a payment under the id of an operation that we do not have is to be said again', async () => {
  const reported = { ...paid, operationId: 'nobody' as OperationId, refunds: [refundThere(2_000n)] }
  for (const transactionId of [paid.transactionId, 'nobody' as TransactionId]) {
    const world = worldOf(settled)
    assert.equal(await listening(world, () => ({ ...reported, transactionId })).hear(news('refund')), 'not_now')
    assert.deepEqual([world.commits, world.alerts.length], [[], 1])
  }
})

test('a gateway that does not say, or what does not fit yet, is to be said again', async () => {
  assert.equal(await listening(worldOf(processing, charge), () => silence).hear(news('charge')), 'not_now')
  const world = worldOf({ ...settled, refundReservedMinor: 9_000n }, madeCharge, open('refund', 9_000n))
  const early = { ...paid, refunds: [refundThere(5_000n)] }
  assert.equal(await listening(world, () => early).hear(news('refund')), 'not_now')
})

test('a sale that changes while the gateway is asked is read again, and the gateway asked again', async () => {
  const world = worldOf(settled)
  let times = 0
  const { asked, hear } = listening(world, () => {
    times += 1
    if (times === 1) world.change({ status: 'Partially Refunded', refundedMinor: 1_000n })
    return { ...paid, refunds: [refundThere(2_000n)] }
  })
  assert.equal(await hear(news('refund')), 'done')
  assert.deepEqual([asked.length, world.refusedCommits], [2, ['stale']])
  assert.equal(world.sale.transaction.refundedMinor, 3_000n)
})

test('a sale that never stands still is given up on, until the notice comes again', async () => {
  const world = worldOf(settled)
  const { hear } = listening(world, () => {
    world.change({})
    return { ...paid, refunds: [refundThere(2_000n)] }
  })
  assert.equal(await hear(news('refund')), 'not_now')
})

test('what is nothing to us is done', async () => {
  const { asked, hear } = listening(worldOf(settled), () => paid)
  assert.equal(await hear({ kind: 'nothing' }), 'done')
  assert.deepEqual(asked, [])
})

describe('a notice of a card', () => {
  const card: StoredCard = {
    kind: 'stored',
    cardRef: 'vault_1',
    mask: '4444',
    type: 'master',
    expiryMonth: 1,
    expiryYear: 2031,
    fingerprint: 'new',
  }
  async function heard(isOurs: boolean, says: DescribeCardOutcome) {
    const world = worldOf(settled)
    const renewed: StoredCard[] = []
    const ports: NoticePorts = {
      ...world.ports,
      findCharge: () => assert.fail(),
      hasCard: async () => isOurs,
      renewCard: async (_, given) => void renewed.push(given),
    }
    const described: string[] = []
    const describeCard = async (cardRef: string) => {
      described.push(cardRef)
      return says
    }
    const result = await hearNotice(ports, at, { ...world.gateway, describeCard }, { kind: 'card', cardRef: 'vault_1' })
    return { result, renewed, described }
  }

  test('of ours has it described anew', async () => {
    assert.deepEqual(await heard(true, card), { result: 'done', renewed: [card], described: ['vault_1'] })
  })
  test('that is none of ours asks nobody', async () => {
    assert.deepEqual(await heard(false, card), { result: 'done', renewed: [], described: [] })
  })
  test('that the gateway does not describe changes nothing, and silence is to be said again', async () => {
    assert.equal((await heard(true, silence)).result, 'not_now')
    const gone = await heard(true, { kind: 'refused', sentence: 'There is no such card.' })
    assert.deepEqual([gone.result, gone.renewed], ['done', []])
  })
})
