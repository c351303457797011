// tillbell reconcile: two ledgers that agree are told so; whatever is damaged in ours, or done behind our back at the
// gateway, is shown from both sides. With the sandbox in the service's process, and with one that is really elsewhere.

import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Gateway } from '../src/core/gateway.ts'
import type { GatewayId, MerchantId, OperationId, TransactionId } from '../src/core/ids.ts'
import { defaultCurrency } from '../src/core/money.ts'
import { reconcile, type Span } from '../src/core/reconcile.ts'
import type { Difference } from '../src/core/reconcile-entry.ts'
import type { SandboxControls } from '../src/gateways/sandbox/account.ts'
import type { Entry, VaultCard } from '../src/gateways/sandbox/books.ts'
import { openSandboxOverHttp } from '../src/gateways/sandbox/http-adapter.ts'
import { openSandbox } from '../src/gateways/sandbox/in-process.ts'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { uuidMaker } from '../src/keys/new-ids.ts'
import type { Scope } from '../src/store/database.ts'
import { ourBooks } from '../src/store/reconciliation.ts'
import { sandboxBooks } from '../src/store/sandbox-books.ts'
import { answered } from './support/answers.ts'
import { openFakeBraintree } from './support/braintree/server.ts'
import type { Client } from './support/client.ts'
import { openCommandLine, refusedWith } from './support/command.ts'
import { connectFarGateway } from './support/far-gateway.ts'
import { startTestService, type TestService } from './support/service.ts'
import { connectStripe } from './support/stripe/connected.ts'
import { startStripe } from './support/stripe/server.ts'

const tillbell = openCommandLine()

interface Shop {
  readonly merchantId: MerchantId
  readonly client: Client
  readonly gatewayId: GatewayId
  readonly gateway: Gateway & SandboxControls
  readonly sale: string
}

let service: TestService
const atEnd: (() => unknown)[] = []
let shops: { readonly inProcess: Shop; readonly overHttp: Shop }
before(async () => {
  service = await startTestService()
  atEnd.push(service.stop)
  const [near, distant] = [await service.newMerchant(), await service.newMerchant()]
  const far = await connectFarGateway(distant)
  atEnd.unshift(far.goAway)
  const id = (await near.ask('gateways')).json[0].id as GatewayId
  const books = sandboxBooks<Entry, VaultCard>(service.database.sql)
  const here = openSandbox({ books, account: id, fingerprintKey: Buffer.alloc(32) })
  const there = openSandboxOverHttp({ url: far.url, account: far.id })
  atEnd.unshift(there.close)
  shops = {
    inProcess: await trade(near, near.merchant as MerchantId, id, here),
    overHttp: await trade(distant, distant.merchant as MerchantId, far.id as GatewayId, there),
  }
})
after(async () => {
  for (const end of atEnd) await end()
})

/** One of everything that a gateway lists. */
async function trade(
  client: Client,
  merchantId: MerchantId,
  gatewayId: GatewayId,
  gateway: Shop['gateway'],
): Promise<Shop> {
  const [offer, card] = [await client.makeOffer(), await client.storeCard()]
  const charge = async (more = {}, token = card) =>
    (await client.charge(offer, token, more)).json.transaction.id as string
  const held = { form: { authorization_only: 'true' } }
  const [sale, kept, captured, voided] = [await charge(), await charge(held), await charge(held), await charge(held)]
  answered(await client.ask(`transactions/${captured}/capture`, { form: { amount: '40.00' } }), 200)
  answered(await client.ask(`transactions/${voided}/void`, { method: 'POST' }), 200)
  answered(await client.ask('transactions/refunds', { form: { transaction: sale, amount: '25.00' } }), 200)
  await charge({}, await client.storeCard(testCardThat('card_declined').number))
  await charge({}, await client.storeCard(testCardThat('three_d_secure').number))
  assert.equal(new Set([sale, kept, captured, voided]).size, 4)
  return { merchantId, client, gatewayId, gateway, sale }
}

const today = () => ({ from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 3_600_000) })

interface Asked {
  readonly sql?: Scope
  readonly span?: Span
  readonly begunAt?: Date
}

async function compare({ merchantId, gatewayId, gateway }: Shop, asked: Asked = {}) {
  const { sql = service.database.sql, span = today(), begunAt = new Date(Date.now() + 1_000) } = asked
  return reconcile(ourBooks(sql, merchantId, gatewayId), gateway, span, begunAt, AbortSignal.timeout(10_000))
}

const said = ({ what, ours, theirs }: Difference) => `${what}: ${(ours ?? theirs)?.kind}`

for (const name of ['inProcess', 'overHttp'] as const) {
  test(`${name}: one of everything agrees, to the last entry`, async () => {
    const { differences, checked, open, foreign } = await compare(shops[name])
    assert.deepEqual([differences, checked, open, foreign], [[], { theirs: 7, ours: 5 }, 1, []])
  })
}

class Undo extends Error {}

/** What is found when our rows are damaged; the damage is undone. */
async function afterDamage(shop: Shop, statement: string, asked: Asked = {}): Promise<readonly Difference[]> {
  let found: readonly Difference[] | null = null
  const work = service.database.sql.begin(async scope => {
    await scope`alter table operation disable trigger operation_arrows`
    const { count } = await scope.unsafe(statement.replace('OURS', `merchant_id = '${shop.merchantId}'`))
    assert.equal(count, 1, `it damages one row: ${statement}`)
    found = (await compare(shop, { ...asked, sql: scope })).differences
    throw new Undo()
  })
  await assert.rejects(work, Undo)
  return found ?? assert.fail('nothing was compared')
}

for (const [damage, statement, expected] of [
  ['an amount', "update operation set amount_minor = 1 where OURS and kind = 'refund'", ['amount_differs: refund']],
  ['a currency', "update operation set currency = 'EUR' where OURS and kind = 'refund'", ['amount_differs: refund']],
  [
    'a captured amount',
    "update operation set amount_minor = 1 where OURS and kind = 'capture'",
    ['amount_differs: charge'],
  ],
  [
    'a decline that was none',
    "update operation set outcome = 'succeeded', gateway_ref = 'sandbox_charge_' || id, decline_code = null where OURS and decline_code is not null",
    ['state_differs: charge'],
  ],
  [
    'a success taken for a decline',
    "update operation set outcome = 'declined', decline_code = 'card_declined' where OURS and kind = 'refund'",
    ['state_differs: refund'],
  ],
  [
    'a capture forgotten',
    "update operation set outcome = 'declined', decline_code = 'wrong_state' where OURS and kind = 'capture'",
    ['state_differs: charge'],
  ],
  [
    'a void in doubt',
    "update operation set outcome = 'unknown', settled_at = null where OURS and kind = 'void'",
    ['settles_doubt: charge'],
  ],
  [
    'a refund in doubt',
    "update operation set outcome = 'unknown', settled_at = null where OURS and kind = 'refund'",
    ['settles_doubt: refund'],
  ],
  [
    'nothing, where somebody asks just now',
    `update operation set outcome = 'unknown', settled_at = null, lease_until = now() + interval '1 minute'
      where OURS and kind = 'refund'`,
    [],
  ],
  [
    'nothing, where somebody voids just now',
    `update operation set outcome = 'pending', settled_at = null, lease_until = now() + interval '1 minute'
      where OURS and kind = 'void'`,
    [],
  ],
  [
    'a refund under other names',
    "update operation set id = (left(id::text, 32) || 'ffff')::uuid, gateway_ref = 'made up' where OURS and kind = 'refund'",
    ['only_there: refund', 'only_here: refund'],
  ],
  [
    'nothing, where the reference alone is the same',
    "update operation set id = (left(id::text, 32) || 'ffff')::uuid where OURS and kind = 'refund'",
    [],
  ],
] as const) {
  test(`found: ${damage}`, async () => {
    for (const shop of [shops.inProcess, shops.overHttp]) {
      assert.deepEqual((await afterDamage(shop, statement)).map(said), expected, shop.gatewayId)
    }
  })
}

test('what was settled here since the list was begun is not judged', async () => {
  const damage = "update operation set amount_minor = 1 where OURS and kind = 'refund'"
  assert.deepEqual(await afterDamage(shops.inProcess, damage, { begunAt: new Date(0) }), [])
  const captured = "update operation set amount_minor = 1 where OURS and kind = 'capture'"
  const sinceCharges = new Date(Date.now() - 3_600_000)
  assert.deepEqual(await afterDamage(shops.inProcess, captured, { begunAt: sinceCharges }), [])
})

test('a refund that was in doubt for hours is found where the gateway dates it', async () => {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  const asked = "update operation set created_at = now() - interval '3 hours' where OURS and kind = 'refund'"
  assert.deepEqual(await afterDamage(shops.inProcess, asked, { span: { from: ago(4), to: ago(2) } }), [])
})

test('what the gateway did long after it was settled here is found by the span of one of the two', async () => {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  const settled = `update operation set created_at = now() - interval '4 hours', outcome = 'declined', decline_code = 'wrong_state',
      settled_at = now() - interval '3 hours 50 minutes' where OURS and kind = 'refund'`
  const spans = [
    { from: ago(5), to: ago(2) },
    { from: ago(2), to: ago(-1) },
  ]
  const found = spans.map(span => afterDamage(shops.inProcess, settled, { span }))
  assert.deepEqual(
    (await Promise.all(found)).map(each => each.map(said)),
    [[], ['state_differs: refund']],
  )
})

test('a payment at Braintree that was voided the next day agrees on both days', async t => {
  const braintree = await openFakeBraintree()
  t.after(braintree.close)
  const client = await service.newMerchant()
  const connect = { type: 'braintree', credentials: braintree.credentials, default: true }
  const gateway = answered(await client.ask('gateways', { json: connect }), 200).json.gateway.id
  const form = { email: 'ada@example.com', reference: 'fake-valid-visa-nonce' }
  const card = answered(await client.ask('credit_cards', { form }), 200).json.card.service_token
  const { id } = answered(await client.charge(await client.makeOffer(), card), 200).json.transaction
  const [row] = await service.database.sql<{ gatewayRef: string }[]>`
    update operation set created_at = created_at - interval '1 day', settled_at = settled_at - interval '1 day'
    where transaction_id = ${id} returning gateway_ref`
  const { createdAt } = braintree.entry(row?.gatewayRef ?? assert.fail('no charge'))
  createdAt.setTime(createdAt.getTime() - 86_400_000)
  answered(await client.ask('transactions/refunds', { form: { transaction: id } }), 200)

  const noon = Date.now() - 43_200_000
  for (const from of [noon - 86_400_000, noon]) {
    const span = ['--from', new Date(from).toISOString(), '--to', new Date(from + 86_400_000).toISOString()]
    const { code, stdout } = await tillbell(t, ['reconcile', '--gateway', gateway, ...span], environment())
    assert.deepEqual([code, /with 1 successes of ours/.test(stdout)], [0, true], stdout)
  }
})

test('each gateway of a merchant has its own list', async () => {
  const { client, merchantId } = shops.overHttp
  const { id } = (await client.ask('gateways')).json.at(-1)
  assert.notEqual(id, shops.overHttp.gatewayId)
  const empty = {
    ...shops.overHttp,
    merchantId,
    gatewayId: id,
    gateway: { ...shops.overHttp.gateway, async *list() {} },
  }
  const { differences, checked } = await compare(empty)
  assert.deepEqual([differences, checked], [[], { theirs: 0, ours: 0 }])
})

const newId = uuidMaker(() => new Date())

/** Somebody charges a card of the account, and gives a part of it back, without us. */
async function chargeBehindOurBack({ gateway }: Shop) {
  const [transactionId, currency] = [newId() as TransactionId, defaultCurrency]
  const card = { number: '4111111111111111', cvc: null, expiryMonth: 12, expiryYear: 2040 }
  const signal = AbortSignal.timeout(10_000)
  const stored = await gateway.storeCard(card, signal)
  assert.ok(stored.kind === 'stored')
  const charge = { id: newId() as OperationId, transactionId, amountMinor: 700n, currency }
  const done = await gateway.send({ ...charge, kind: 'charge', cardRef: stored.cardRef, capture: true }, signal)
  assert.ok(done.kind === 'succeeded')
  const refund = { ...charge, id: newId() as OperationId, amountMinor: 200n }
  const chargeRef = done.gatewayRef
  const back = await gateway.send({ ...refund, kind: 'refund', chargeId: charge.id, chargeRef }, signal)
  assert.equal(back.kind, 'succeeded')
  return { charge, refund, chargeRef }
}

function environment() {
  return { DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'error' }
}

const words = ({ gatewayId }: Pick<Shop, 'gatewayId'>, ...more: string[]) => {
  const { from, to } = today()
  return ['reconcile', '--gateway', gatewayId, '--from', from.toISOString(), '--to', to.toISOString(), ...more]
}

test('the command says that nothing differs, and ends with 0; what was done behind our back, and ends with 1', async t => {
  const shop = shops.overHttp
  const clean = await tillbell(t, words(shop), environment())
  assert.deepEqual([clean.code, clean.stderr], [0, ''])
  assert.match(
    clean.stdout,
    /^Compared 7 of the gateway's entries with 5 successes of ours at gw_\S+ \(test\), from \S+ to \S+\.\n1 is still open[^\n]+\nNothing differs\.\n$/,
  )
  const { charge, refund, chargeRef } = await chargeBehindOurBack(shop)
  const [text, json] = [
    await tillbell(t, words(shop), environment()),
    await tillbell(t, words(shop, '--json'), environment()),
  ]
  assert.deepEqual([text.code, text.stderr, json.code], [1, '', 1])
  const line = (of: typeof charge, kind: string) =>
    `  here:  nothing\n  there: ${kind} of $${of.amountMinor / 100n}.00, succeeded, `
  assert.ok(text.stdout.startsWith(`there and not here:\n${line(charge, 'charge')}`), text.stdout)
  assert.ok(text.stdout.includes(`there and not here:\n${line(refund, 'refund')}`), text.stdout)
  assert.match(text.stdout, /\n2 things differ\.\n$/)
  const { differences, checked, clock_moved, foreign } = JSON.parse(json.stdout)
  assert.deepEqual([checked, clock_moved, foreign], [{ theirs: 9, ours: 5 }, false, 0])
  const { at, ...there } = differences[1].there
  assert.match(at, /^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/)
  assert.deepEqual([differences[1].what, differences[1].here], ['only_there', null])
  assert.deepEqual(there, {
    kind: 'refund',
    operation: refund.id,
    gateway_ref: `sandbox_refund_${refund.id}`,
    charge_ref: chargeRef,
    state: 'succeeded',
    amount: '2.00',
    currency: 'USD',
  })
})

test('what was done in Stripe’s dashboard, and never told, is found; what is none of ours is counted', async t => {
  const merchant = await service.newMerchant()
  const stripe = await startStripe()
  t.after(stripe.close)
  const connected = await connectStripe(merchant, stripe, [])
  const [offer, card] = [await merchant.makeOffer(), await connected.card()]
  const sell = async (form = {}) => answered(await merchant.charge(offer, card, { form }), 200).json.transaction.id
  const [sale, held] = [await sell(), await sell({ authorization_only: 'true' })]
  answered(await merchant.ask('transactions/refunds', { form: { transaction: sale, amount: '10.00' } }), 200)
  const shop = { gatewayId: connected.gateway as GatewayId }
  const clean = await tillbell(t, words(shop), environment())
  assert.match(
    clean.stdout,
    /^Compared 3 of the gateway's entries with 3 successes of ours[^\n]+\nNothing differs\.\n$/,
  )

  const back = await stripe.dashboard.refund(connected.intentOf(sale).id, 500)
  await stripe.dashboard.cancel(connected.intentOf(held).id)
  stripe.state.add<'payment_intent'>({ ...connected.intentOf(sale), id: 'pi_of_another_shop', metadata: {} })
  const found = await tillbell(t, words(shop, '--json', '--foreign'), environment())
  assert.equal(found.code, 1, found.stderr)
  const { differences, foreign, foreign_entries } = JSON.parse(found.stdout)
  const said = differences.map(({ what, here, there }: { [side: string]: { [name: string]: string } | null }) =>
    [what, here?.state, here?.transaction, there?.state, there?.gateway_ref, there?.amount].join(' '),
  )
  assert.deepEqual(said.sort(), [
    `only_there   succeeded ${back} 5.00`,
    `state_differs authorized ${held} voided ${connected.intentOf(held).id} 100.00`,
  ])
  assert.deepEqual([foreign, foreign_entries.length, foreign_entries[0].gateway_ref], [1, 1, 'pi_of_another_shop'])

  const agreed = await tillbell(t, words(shop, '--agree'), environment())
  assert.deepEqual([agreed.code, agreed.stderr], [0, ''])
  assert.match(
    agreed.stdout,
    /^Looked at 2 payments again\. What still differs:\nCompared [\s\S]+\nNothing differs\.\n$/,
  )
  const record = async (id: string) => answered(await merchant.ask(`transactions/${id}`), 200).json.transaction
  const { status, refunds } = await record(sale)
  const amounts = refunds.map((refund: { refunded_amount: string }) => refund.refunded_amount)
  assert.deepEqual([status, amounts, (await record(held)).status], ['Partially Refunded', ['10.00', '5.00'], 'Voided'])
  const types = await service.database.sql<{ type: string }[]>`select type from event
    where transaction_id in (${sale}, ${held}) and kind = 'update' order by type`
  assert.deepEqual(
    types.map(({ type }) => type),
    ['refund', 'refund', 'void'],
    'each is owed its hook, as if it had been told',
  )

  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 1 } }), 200)
  const warned = await tillbell(t, words(shop), environment())
  assert.match(warned.stdout, /^warning: the sandbox clock was moved/)
})

test('a list that cannot be read is a failure, and never a result', async t => {
  const merchant = await service.newMerchant()
  const gone = await connectFarGateway(merchant)
  await gone.goAway()
  const ended = await tillbell(t, words({ gatewayId: gone.id as GatewayId }), environment())
  refusedWith(ended, 1, /There is no result\. The sandbox did not show its ledger\./)
})

test('what makes no sense is refused before anything is asked', async t => {
  const refusedAs = async (t: TestContext, code: number, says: RegExp, given: { [name: string]: string }) => {
    const all = { gateway: shops.inProcess.gatewayId, from: '2026-11-01', to: '2026-11-02', ...given }
    const options = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value])
    refusedWith(await tillbell(t, ['reconcile', ...options], environment()), code, says)
  }
  await Promise.all([
    refusedAs(t, 2, /--to must be later than --from/, { to: '2026-11-01' }),
    refusedAs(t, 2, /--from must be a day such as/, { from: '2026-02-30' }),
    refusedAs(t, 2, /--to must be a day such as/, { to: '2026-11-02T10:00:00' }),
    refusedAs(t, 4, /There is no gateway gw_nobody/, { gateway: 'gw_nobody' }),
  ])
  refusedWith(await tillbell(t, words(shops.inProcess, '--agree'), environment()), 1, /--agree is not for it/)
})
