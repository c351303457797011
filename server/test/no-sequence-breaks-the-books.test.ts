// Properties of the whole money path on a real database: whatever is asked, in whatever order, with whatever a gateway
// or a crash does in between, no state is reached that the drawing does not have, and the sum of charges less refunds
// at the gateway is the balance here.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { chargeOffer } from '../src/core/charge.ts'
import { followUp } from '../src/core/follow-up.ts'
import type { Gateway } from '../src/core/gateway.ts'
import type { CardToken, MerchantId, OfferId, TransactionId } from '../src/core/ids.ts'
import type { Ports } from '../src/core/ports.ts'
import { arrows, type TransactionStatus } from '../src/core/transaction.ts'
import type { SandboxControls } from '../src/gateways/sandbox/account.ts'
import { audited } from './support/audited.ts'
import { type Bench, Death, openBench } from './support/bench.ts'
import { repetitions } from './support/repetitions.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

/** What happens to one request on its way: nothing, or any of the ways a network and a process fail. */
const fates = [
  ...(['arrives', 'arrives', 'lost', 'answer lost', 'arrives late'] as const),
  ...(['not sent', 'we die before', 'we die after', 'we die and it arrives late'] as const),
]
type Fate = (typeof fates)[number]

const fate = fc.constantFrom(...fates)
const amountMinor = fc.constantFrom(1n, 999n, 2_500n, 10_000n)
const command = fc.oneof(
  fc.record({
    do: fc.constant('charge' as const),
    fate,
    /** What happens to the charge at the next gateway, where there is one. */
    fateAtNext: fate,
    copied: fc.boolean(),
    authorize: fc.boolean(),
    behaviour: fc.constantFrom('4111111111111111', '4012888888881881'),
  }),
  fc.record({
    do: fc.constantFrom('refund' as const, 'capture' as const, 'void' as const),
    fate,
    which: fc.nat(9),
    amountMinor: fc.option(amountMinor),
  }),
  fc.record({ do: fc.constant('wait' as const), fate, minutes: fc.constantFrom(0, 1, 1, 6, 61) }),
  fc.record({ do: fc.constant('deliver' as const), fate }),
  fc.record({ do: fc.constant('together' as const), fate, which: fc.nat(9), amountMinor }),
)
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

/** The real gateway, reached over a bad network by a process that dies. */
function fickle(gateway: Gateway, next: () => Fate, late: (() => Promise<unknown>)[]): Gateway {
  const unknown = { kind: 'unknown', cause: 'a bad network' } as const
  return {
    ...gateway,
    async send(request, signal) {
      const now = next()
      if (now === 'we die before') throw new Death()
      if (now === 'not sent') return { kind: 'not_sent', code: 'gateway_not_reached', cause: 'refused' }
      if (now === 'lost') return unknown
      if (now === 'arrives late' || now === 'we die and it arrives late') {
        late.push(() => gateway.send(request, AbortSignal.timeout(5_000)))
        if (now === 'arrives late') return unknown
        throw new Death()
      }
      const outcome = await gateway.send(request, signal)
      if (now === 'we die after') throw new Death()
      return now === 'answer lost' ? unknown : outcome
    },
  }
}

async function play(commands: readonly Command[]): Promise<void> {
  const shop = await bench.newShop()
  const next = await bench.addNextGateway(shop)
  let current: Fate = 'arrives'
  let atNext: Fate = 'arrives'
  const late: (() => Promise<unknown>)[] = []
  const deliver = () => Promise.all(late.splice(0).map(send => send()))
  const first = fickle(shop.gateway, () => current, late)
  const second = fickle(next.gateway, () => atNext, late)
  const ports: Ports = { ...bench.ports, openGateway: async (_, id) => (id === next.id ? second : first) }
  const transactions: TransactionId[] = []
  const base = { merchantId: shop.merchantId, repetition: null }
  const survive = async (work: Promise<unknown>) => {
    await work.catch(error => assert.ok(error instanceof Death, error))
  }
  const money = (of: Command & { do: 'refund' | 'capture' | 'void' | 'together' }) => ({
    transactionId: transactions[of.which % Math.max(1, transactions.length)] ?? null,
    amount: of.amountMinor === null ? null : bench.asText(of.amountMinor),
    refundedBy: null,
    refundedReason: null,
  })
  for (const each of commands) {
    current = each.fate
    atNext = each.do === 'charge' ? each.fateAtNext : each.fate
    if (each.do === 'charge') {
      const cardToken = (await shop.card(each.behaviour)) as CardToken
      if (each.copied) await next.copy(cardToken)
      const asked = { offerId: shop.offer as OfferId, cardToken, quantity: 1, authorizationOnly: each.authorize }
      await survive(
        chargeOffer(ports, { ...base, ...asked, referrerContext: null, entered: null, source: 'Web Transaction' }),
      )
      transactions.splice(0, transactions.length, ...(await bench.transactionsOf(shop.merchantId)))
    } else if (each.do === 'deliver') {
      await deliver()
    } else if (each.do === 'wait') {
      await bench.pass(each.minutes, ports)
    } else if (each.do === 'together') {
      const refund = () => survive(followUp(ports, { ...base, ...money(each), kind: 'refund' }))
      await Promise.all([refund(), refund(), refund()])
    } else {
      await survive(followUp(ports, { ...base, ...money(each), kind: each.do }))
    }
    await booksAreSound(shop.merchantId)
  }
  current = 'arrives'
  atNext = 'arrives'
  await bench.settleAll(ports)
  await deliver()
  await booksAgree(shop.merchantId, [shop.gateway, next.gateway])
  await audited(bench.sql, shop.merchantId)
}

/** At every moment: only drawn states, and never more given back than was taken. */
async function booksAreSound(merchantId: MerchantId): Promise<void> {
  const rows = await bench.sql<
    { status: TransactionStatus }[]
  >`select status from transaction where merchant_id = ${merchantId}`
  for (const { status } of rows) assert.ok(status in arrows, status)
  const [over] = await bench.sql<
    { count: bigint }[]
  >`select count(*) from transaction t where merchant_id = ${merchantId} and captured_minor < (
    select coalesce(sum(amount_minor), 0) from operation p where p.merchant_id = t.merchant_id and p.transaction_id = t.id
      and kind = 'refund' and outcome in ('pending', 'unknown', 'succeeded'))`
  assert.equal(over?.count, 0n, 'refunds promised more than was captured')
}

/** In the end: nothing open, and what the gateways hold is what we say they hold. */
async function booksAgree(merchantId: MerchantId, gateways: readonly SandboxControls[]): Promise<void> {
  const open =
    await bench.sql`select id from operation where merchant_id = ${merchantId} and outcome in ('pending', 'unknown')`
  assert.equal(open.length, 0, 'something is still open')
  const ledgers = await Promise.all(gateways.map(gateway => gateway.ledger()))
  const theirs = balances(ledgers.flat().filter(({ state }) => state === 'succeeded'))
  const ours = await bench.sql<{ id: TransactionId; balance: bigint }[]>`
    select id, held_minor + captured_minor - refunded_minor as balance from transaction where merchant_id = ${merchantId}`
  for (const { id, balance } of ours) assert.equal(theirs.get(id) ?? 0n, balance, `the balance of ${id}`)
}

function balances(ledger: Awaited<ReturnType<SandboxControls['ledger']>>): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { transactionId, kind, amountMinor } of ledger) {
    const before = sums.get(transactionId) ?? 0n
    const amount = BigInt(amountMinor)
    if (kind === 'charge') {
      assert.equal(before, 0n, `${transactionId} was charged twice`)
      sums.set(transactionId, amount)
    } else if (kind === 'capture') sums.set(transactionId, amount)
    else sums.set(transactionId, kind === 'void' ? 0n : before - amount)
  }
  return sums
}

test('no sequence of calls, faults and crashes breaks the books', { timeout: 240_000 }, async () => {
  const plays = fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 14 }), play)
  await fc.assert(plays, { numRuns: repetitions(50, 500) })
})
