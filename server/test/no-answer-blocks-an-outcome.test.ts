// A gateway may answer with texts, numbers, codes and times that no database takes. Whatever it is, what became of the money is
// written down: as it was, or left to a person; never not at all. On a real database; the gateway is the sandbox, whose answers
// are changed on their way.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { agreeWithGateway } from '../src/core/agree.ts'
import { chargeOffer } from '../src/core/charge.ts'
import { followUp } from '../src/core/follow-up.ts'
import type {
  DeclineCode,
  GatewayOutcome,
  NotSentCode,
  ReportedDispute,
  ReportedPayment,
  ReportedRefund,
  Succeeded,
} from '../src/core/gateway.ts'
import type { CardToken, OfferId, TransactionId } from '../src/core/ids.ts'
import type { Currency } from '../src/core/money.ts'
import type { Ports } from '../src/core/ports.ts'
import { askAgain } from '../src/core/recover.ts'
import type { Sale } from '../src/core/sale.ts'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { claimOperation } from '../src/store/sweeping.ts'
import { findingsOfAudit } from './support/audited.ts'
import { type Bench, openBench, type Shop } from './support/bench.ts'

let bench: Bench
let shop: Shop
let card: string
before(async () => {
  bench = await openBench()
  shop = await bench.newShop()
  card = await shop.card(testCardThat('success').number)
})
after(async () => {
  const findings = await findingsOfAudit(bench.sql)
  await bench.close()
  assert.deepEqual(findings, [])
})

/** Whatever is changed about what the sandbox said, its money has moved as it said. */
function answering(change: (said: GatewayOutcome) => GatewayOutcome): Ports {
  const { ports } = bench
  return {
    ...ports,
    openGateway: async (...of) => {
      const gateway = await ports.openGateway(...of)
      return { ...gateway, send: async (...asked) => change(await gateway.send(...asked)) }
    },
  }
}

const succeededAs = (some: Partial<Succeeded>) => (said: GatewayOutcome) =>
  said.kind === 'succeeded' ? { ...said, ...some } : said

async function charged(ports: Ports): Promise<Sale> {
  const { merchantId } = shop
  const asked = { quantity: 1, authorizationOnly: null, referrerContext: null, entered: null, repetition: null }
  const place = { merchantId, offerId: shop.offer as OfferId, cardToken: card as CardToken }
  const { text } = await chargeOffer(ports, { ...place, ...asked, source: 'Web Transaction' })
  return loaded(JSON.parse(text).transaction.id)
}

async function loaded(id: TransactionId): Promise<Sale> {
  return (await bench.ports.store.load(shop.merchantId, id)) ?? assert.fail('no transaction')
}

async function refunded(ports: Ports, { transaction }: Sale, amount: string): Promise<Sale> {
  const asked = { kind: 'refund' as const, amount, refundedBy: null, refundedReason: null, repetition: null }
  await followUp(ports, { merchantId: shop.merchantId, transactionId: transaction.id, ...asked })
  return loaded(transaction.id)
}

const last = ({ operations }: Sale) => operations.at(-1) ?? assert.fail('no operation')

const texts = {
  NUL: 'a\u0000b',
  'half a character': 'a\ud83d',
  'control characters': 'a\u001b[31m\u0007\r\n',
  nothing: '',
  'nothing that is seen': ' \u0000 ',
  'more than an index takes': randomBytes(60_000).toString('base64'),
  'many wide characters': '语😀'.repeat(20_000),
}

describe('a success whose reference is', () => {
  for (const [what, gatewayRef] of Object.entries(texts)) {
    test(what, async () => {
      const ports = answering(succeededAs({ gatewayRef }))
      const sale = await charged(ports)
      const { outcome, gatewayRef: kept } = last(sale)
      assert.deepEqual([sale.transaction.status, outcome], ['Successful', 'succeeded'])
      assert.ok(kept !== null && kept.length >= 1 && kept.length <= 255 && kept.isWellFormed())
    })

    test(`${what}, of a refund`, async () => {
      // Each of its own: two under one name are another matter.
      const sale = await charged(bench.ports)
      const ports = answering(
        succeededAs({ gatewayRef: gatewayRef && `${randomBytes(6).toString('hex')}${gatewayRef}` }),
      )
      const open = { ...ports, openGateway: withChargeRef(ports, last(sale).gatewayRef ?? '') }
      const after = await refunded(open, sale, '40.00')
      assert.deepEqual([after.transaction.status, last(after).outcome], ['Partially Refunded', 'succeeded'])
    })
  }
})

/** The sandbox knows the charge by its own name for it. */
function withChargeRef({ openGateway }: Ports, chargeRef: string): Ports['openGateway'] {
  return async (...of) => {
    const gateway = await openGateway(...of)
    return {
      ...gateway,
      send: (request, ...more) =>
        gateway.send(request.kind === 'charge' ? request : { ...request, chargeRef }, ...more),
    }
  }
}

describe('a success whose fee is', () => {
  for (const [what, feeMinor, netAmountMinor] of [
    ['more than the amount', 10_001n, -1n],
    ['below nothing', -1n, null],
    ['more than a bigint', 10n ** 30n, null],
    ['no number', Number.NaN as unknown as bigint, null],
  ] as const) {
    test(what, async () => {
      const { transaction } = await charged(answering(succeededAs({ feeMinor })))
      assert.deepEqual([transaction.status, transaction.netAmountMinor], ['Successful', netAmountMinor])
    })
  }
})

describe('a success of another amount does not fail, and waits for a person:', () => {
  for (const some of [
    ...[1n, 0n, -1n, 10_001n, 10n ** 40n].map(amountMinor => ({ amountMinor })),
    ...['EUR', 'usd', 'XXX', '', 'U\u0000D', 'constructor'].map(currency => ({ currency: currency as Currency })),
  ]) {
    test(
      JSON.stringify(some, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
      async () => {
        const sale = await charged(answering(succeededAs(some)))
        const { outcome, forPerson } = last(sale)
        assert.deepEqual([sale.transaction.status, outcome], ['Processing', 'unknown'])
        assert.match(forPerson ?? '', /^The gateway reports .* where \$100\.00 was asked\.$/)
      },
    )
  }
})

describe('no success', () => {
  test('but a decline whose code nobody knows', async () => {
    for (const code of ['nonsense', 'constructor', '__proto__', '', 'x'.repeat(10_000)]) {
      const { transaction } = await charged(answering(() => ({ kind: 'declined', code: code as DeclineCode })))
      assert.deepEqual([transaction.status, transaction.failure?.code], ['Failed', 'processing_error'])
    }
  })

  test('but a refusal, or silence, in words and with a wait that cannot be kept', async () => {
    const waits = [Number.NaN, Number.POSITIVE_INFINITY, -1, 1e300]
    for (const [index, cause] of Object.values(texts).entries()) {
      const retryAfterMs = waits[index % waits.length] ?? 0
      const refused = { kind: 'not_sent' as const, code: 'gateway_busy' as NotSentCode, cause, retryAfterMs }
      assert.equal((await charged(answering(() => refused))).transaction.status, 'Failed')
      const silent = await charged(answering(() => ({ kind: 'unknown', cause, retryAfterMs })))
      assert.deepEqual([silent.transaction.status, last(silent).outcome], ['Processing', 'unknown'])
      const held = (await claimOperation(bench.sql, shop.merchantId, last(silent).id, 60_000)) ?? assert.fail()
      const noting = { ...bench.ports, openGateway: noted(cause) }
      await askAgain(noting, silent, held)
      assert.equal(last(await loaded(silent.transaction.id)).outcome, 'succeeded')
    }
  })

  test('but a step of the customer’s under a reference that cannot be kept', async () => {
    for (const gatewayRef of Object.values(texts)) {
      const asked = answering(() => ({ kind: 'further_action', gatewayRef, action: 'three_d_secure' }))
      const sale = await charged(asked)
      assert.deepEqual([sale.transaction.status, last(sale).outcome], ['Further Action Required', 'pending'])
    }
  })
})

/** Every exchange is told of in these words. */
function noted(line: string): Ports['openGateway'] {
  return async (...of) => {
    const gateway = await bench.ports.openGateway(...of)
    return {
      ...gateway,
      send: (request, signal, note) => {
        note?.(line)
        return gateway.send(request, signal)
      },
    }
  }
}

test('two refunds under one reference: the second is left to a person, and its money stays reserved', async () => {
  const sale = await charged(bench.ports)
  const chargeRef = last(sale).gatewayRef ?? ''
  const same = answering(succeededAs({ gatewayRef: `same-${sale.transaction.id}` }))
  const ports = { ...same, openGateway: withChargeRef(same, chargeRef) }
  await refunded(ports, sale, '40.00')
  const after = await refunded(ports, sale, '30.00')
  const { outcome, forPerson } = last(after)
  assert.deepEqual(
    [outcome, after.transaction.refundedMinor, after.transaction.refundReservedMinor],
    ['unknown', 4_000n, 3_000n],
  )
  assert.match(forPerson ?? '', /is that of another one/)
})

describe('what a gateway reports by itself', () => {
  const report = ({ transaction, operations }: Sale, some: Partial<ReportedPayment>): ReportedPayment => {
    const charge = operations[0] ?? assert.fail()
    const { id: operationId, gatewayRef, amountMinor, currency } = charge
    return {
      kind: 'payment',
      transactionId: transaction.id,
      operationId,
      gatewayRef: gatewayRef ?? '',
      charge: { kind: 'succeeded', gatewayRef: gatewayRef ?? '', amountMinor, currency, feeMinor: null },
      captured: null,
      released: false,
      refunds: [],
      disputes: [],
      ...some,
    }
  }
  const usd = 'USD' as Currency
  const refund = (some: Partial<ReportedRefund>): ReportedRefund => ({
    ...{
      gatewayRef: 'r',
      operationId: null,
      amountMinor: 100n,
      currency: usd,
      state: 'succeeded',
      reason: null,
      ...some,
    },
  })
  const dispute = (some: Partial<ReportedDispute>): ReportedDispute => ({
    ...{
      gatewayRef: 'd',
      amountMinor: 100n,
      currency: usd,
      status: 'open',
      reason: null,
      openedAt: new Date(),
      ...some,
    },
  })

  test('cannot keep the rest of it from being written', async () => {
    const sale = await charged(bench.ports)
    const amounts = [0n, -1n, 10_001n, 10n ** 15n, 10n ** 40n]
    const names = Object.values(texts)
    const own = (ref: string, index: number) => `${index}-${sale.transaction.id}${ref}`
    const refunds = [
      ...amounts.map((amountMinor, index) => refund({ amountMinor, gatewayRef: own('amount', index) })),
      ...['EUR', 'xxx', ''].map((currency, index) =>
        refund({ currency: currency as Currency, gatewayRef: own('currency', index) }),
      ),
      ...names.map((text, index) => refund({ gatewayRef: own(text, index + 10), reason: text })),
    ]
    const times = [new Date(Number.NaN), new Date(8.64e15), new Date(-8.64e15)]
    const disputes = [
      ...amounts.map((amountMinor, index) => dispute({ amountMinor, gatewayRef: own('amount', index) })),
      ...names.map((text, index) => dispute({ gatewayRef: own(text, index), reason: text })),
      ...times.map((openedAt, index) => dispute({ openedAt, gatewayRef: own('time', index) })),
      dispute({ status: 'nonsense' as 'open', gatewayRef: own('status', 0) }),
      dispute({ status: 'won', gatewayRef: own('the last', 0) }),
    ]
    const { gatewayId } = sale.transaction
    for (let times = 0; times < 2; times++) {
      const now = await loaded(sale.transaction.id)
      assert.equal(await agreeWithGateway(bench.ports, now, gatewayId, report(sale, { refunds, disputes })), 'agreed')
    }
    const after = await loaded(sale.transaction.id)
    assert.equal(after.transaction.refundedMinor, BigInt(names.length * 100), 'what can be, is')
    assert.ok(after.disputes.some(({ status }) => status === 'won'))
    assert.ok(
      after.disputes.some(({ amountMinor }) => amountMinor === 0n),
      'also a dispute of nothing',
    )
    const forPerson = after.operations.filter(each => each.forPerson !== null).map(({ amountMinor }) => amountMinor)
    assert.deepEqual(forPerson, [10_001n, 10n ** 15n, 100n], 'too much, and in another currency')
  })
})
