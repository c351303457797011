// One checkout is one payment: whatever is clicked twice, opened twice or dies half-way. And whoever types somebody's address
// on the page has proven nothing by that.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { chargeOffer } from '../src/core/charge.ts'
import { attemptsMax, mayHavePaid } from '../src/core/checkout.ts'
import type { Gateway } from '../src/core/gateway.ts'
import type { CardToken, CustomerId, OfferId, TransactionId } from '../src/core/ids.ts'
import { type Card, canCustomerUse } from '../src/core/people.ts'
import type { Ports } from '../src/core/ports.ts'
import { tryLimits } from '../src/core/tries.ts'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { checkoutNamed } from '../src/join-checkout-payment.ts'
import { newCardToken } from '../src/keys/new-ids.ts'
import type { CheckoutPorts, FoundOffer, Order, Paid } from '../src/pages/checkout/ports.ts'
import { cardsToPayWith, insertCard } from '../src/store/cards.ts'
import { checkoutName, confirmCardsOf, giveTurnBack, proveCheckout, takeTurn } from '../src/store/checkouts.ts'
import { type Bench, Death, openBench, type Shop } from './support/bench.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

const nobody = { firstName: 'Ada', lastName: 'Lovelace', billing: null, shipping: null, answers: {} }
const good = testCardThat('success').number
const declined = testCardThat('card_declined').number

function typed(number: string, keeps = true): Order['pays'] {
  return { kind: 'new', card: { number, cvc: '123', expiryMonth: 12, expiryYear: 2040 }, keeps }
}

/** One customer in one browser at a shop's offer. */
interface Browsing {
  readonly shop: Shop
  readonly page: CheckoutPorts
  readonly found: FoundOffer
  readonly order: Order
  pay(more?: Partial<Order>, page?: CheckoutPorts): Promise<Paid>
  visit(): ReturnType<CheckoutPorts['visit']>
  statuses(): Promise<string[]>
  /** Charges that the gateway made. */
  ledger(): Promise<number>
  prove(email?: string): Promise<void>
}

/** Whoever was told of it is asked about nothing that was paid before. */
const allThatWasPaid = { id: randomUUID() as TransactionId, at: new Date('2100-01-01') }

async function browse(shop?: Shop): Promise<Browsing> {
  const at = shop ?? (await bench.newShop())
  const page = bench.pageOf(bench.ports)
  const found = (await page.find(at.offer as OfferId)) ?? assert.fail('no offer')
  const { merchantId } = at
  const order: Order = {
    secret: page.newSecret(),
    attempt: 0,
    quantity: 1,
    email: 'ada@example.com',
    entered: nobody,
    pays: typed(good),
    besides: null,
    referrerContext: null,
    resumes: null,
    address: '192.0.2.1',
  }
  return {
    shop: at,
    page,
    found,
    order,
    pay: (more = {}, by = page) => by.pay(found, { ...order, ...more }),
    visit: () => page.visit(found, order.secret),
    async statuses() {
      const rows = await bench.sql<{ status: string }[]>`select status from transaction
        where merchant_id = ${merchantId} order by id`
      return rows.map(({ status }) => status)
    },
    async ledger() {
      const [row] = await bench.sql<{ count: bigint }[]>`select count(distinct operation_id) from sandbox_entry e
        join transaction t on t.id = e.transaction_id where t.merchant_id = ${merchantId} and e.kind = 'charge'
          and e.code is null`
      return Number(row?.count)
    },
    prove: (email = 'ada@example.com') => {
      const named = checkoutNamed(found.offer, order.secret)
      return bench.sql.begin(scope => proveCheckout(scope, named, email, bench.ports.now()))
    },
  }
}

function seen(paid: Paid): TransactionId {
  return paid.kind === 'see' ? paid.transactionId : assert.fail(JSON.stringify(paid, null, 2))
}

/** A process whose gateway does this in place of one call. */
function processThat(does: Partial<Gateway>): CheckoutPorts {
  const openGateway: Ports['openGateway'] = async (...of) => ({ ...(await bench.ports.openGateway(...of)), ...does })
  return bench.pageOf({ ...bench.ports, openGateway })
}

/** Of a process that died: its lease is over. */
async function leasesEnd(): Promise<void> {
  await bench.sql`update checkout set taken_until = now() where taken_until is not null`
}

const cardsOf = async ({ shop }: Browsing) =>
  bench.sql<{ token: CardToken; removeAt: Date | null; consentedAt: Date | null; email: string }[]>`
    select c.token, c.remove_at, c.consented_at, u.email from card c
      join customer u on u.merchant_id = c.merchant_id and u.id = c.customer_id
    where c.merchant_id = ${shop.merchantId} order by c.created_at`

test('twenty clicks at once, in two processes, are one card and one payment, and all see it', async () => {
  const browsing = await browse()
  const second = bench.pageOf(bench.ports)
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, click) => browsing.pay({}, click % 2 === 0 ? browsing.page : second)),
  )
  assert.equal(new Set(all.map(seen)).size, 1)
  assert.deepEqual(await browsing.statuses(), ['Successful'])
  assert.equal(await browsing.ledger(), 1)
  assert.equal((await cardsOf(browsing)).length, 1)
})

test('a second tab, with another card even, sees the payment of the first', async () => {
  const browsing = await browse()
  const first = seen(await browsing.pay())
  assert.equal(seen(await browsing.pay({ pays: typed(testCardThat('slow').number) })), first)
  const { standing, attempt } = await browsing.visit()
  assert.deepEqual([standing?.transaction.id, attempt], [first, 1])
  assert.equal(await browsing.ledger(), 1)
})

test('a declined card is followed by another; a late second click of the first is told of the decline', async () => {
  const browsing = await browse()
  const failed = await browsing.pay({ pays: typed(declined) })
  assert.ok(failed.kind === 'failed' && failed.attempt === 1)
  const late = await browsing.pay()
  assert.ok(late.kind === 'failed' && late.sale.transaction.id === failed.sale.transaction.id)
  const { standing, attempt } = await browsing.visit()
  assert.deepEqual([standing?.transaction.status, attempt], ['Failed', 1])
  seen(await browsing.pay({ attempt: 1 }))
  assert.deepEqual(await browsing.statuses(), ['Failed', 'Successful'])
  const [first, second] = await cardsOf(browsing)
  assert.ok(first?.removeAt !== null, 'what was declined is not kept')
  assert.ok(second?.removeAt === null && second.consentedAt !== null)
})

test('a process that dies after the card was stored has charged nothing, and the next one charges once', async () => {
  const browsing = await browse()
  const died = () => Promise.reject(new Death('after storing'))
  const create = { ...bench.ports.store, create: died }
  await assert.rejects(browsing.pay({}, bench.pageOf({ ...bench.ports, store: create })), Death)
  assert.deepEqual([await browsing.statuses(), await browsing.ledger()], [[], 0])
  assert.ok((await cardsOf(browsing))[0]?.removeAt, 'the card is not kept')
  await leasesEnd()
  seen(await browsing.pay())
  assert.equal(await browsing.ledger(), 1)
})

test('a process that dies in the call leaves a payment in progress, and nobody begins another', async () => {
  const browsing = await browse()
  const real = await bench.ports.openGateway(browsing.shop.merchantId, await gatewayOf(browsing))
  const chargedAndDead: Gateway['send'] = async (...given) => {
    await real.send(...given)
    throw new Death('after charging')
  }
  await assert.rejects(browsing.pay({}, processThat({ send: chargedAndDead })), Death)
  await leasesEnd()
  const id = seen(await browsing.pay())
  assert.deepEqual(await browsing.statuses(), ['Processing'])
  assert.ok((await cardsOf(browsing))[0]?.removeAt, 'the card is not kept yet')
  await bench.settleAll(bench.ports)
  assert.equal((await cardsOf(browsing))[0]?.removeAt, null)
  assert.equal(seen(await browsing.pay()), id)
  assert.deepEqual([await browsing.statuses(), await browsing.ledger()], [['Successful'], 1])
})

async function gatewayOf({ shop }: Pick<Browsing, 'shop'>) {
  const [row] = await bench.sql<{ id: string }[]>`select id from gateway where merchant_id = ${shop.merchantId}`
  return (row?.id ?? assert.fail()) as Parameters<Ports['openGateway']>[1]
}

test('a card given for one payment pays for it, and for nothing else', async () => {
  const browsing = await browse()
  const id = seen(await browsing.pay({ pays: typed(good, false) }))
  const [card] = await cardsOf(browsing)
  assert.ok(card !== undefined && card.removeAt !== null && card.consentedAt === null)
  const { offer } = browsing.found
  const command = { merchantId: offer.merchantId, offerId: offer.id, cardToken: card.token, quantity: 1 }
  const rest = { authorizationOnly: null, referrerContext: null, source: 'Web Transaction', repetition: null } as const
  const { status, text } = await chargeOffer(bench.ports, { ...command, ...rest, entered: null })
  assert.equal(status, 422)
  assert.match(text, /token names a card that was given for one payment only\./)
  await browsing.prove()
  assert.deepEqual((await browsing.visit()).proven?.cards, [])
  const again = await browse(browsing.shop)
  await again.prove()
  assert.equal((await again.pay({ pays: { kind: 'stored', token: card.token } })).kind, 'card_not_usable')
  assert.deepEqual(await bench.transactionsOf(offer.merchantId), [id])
})

test('who has not proven an address changes nothing of that customer, and the payment still says what they entered', async () => {
  const known = await browse()
  await known.prove()
  const home = { street: '1 Home St', city: 'Town' }
  seen(await known.pay({ entered: { ...nobody, shipping: home, billing: home } }))
  const stranger = await browse(known.shop)
  const elsewhere = { street: '9 Other St', city: 'Far' }
  const entered = { ...nobody, firstName: 'Eve', lastName: null, shipping: elsewhere, answers: { Size: 'L' } }
  const id = seen(await stranger.pay({ entered, pays: typed(testCardThat('answer_twice').number) }))
  const [customer] = await bench.sql`select first_name, last_name, shipping from customer
    where merchant_id = ${known.shop.merchantId}`
  assert.deepEqual({ ...customer }, { firstName: 'Ada', lastName: 'Lovelace', shipping: home })
  const sale = await bench.ports.store.load(known.shop.merchantId, id)
  assert.deepEqual(sale?.transaction.entered, entered)
  assert.equal((await stranger.visit()).proven, null)
})

test('a stored card is shown and used after proof alone, and by its own customer', async () => {
  const owner = await browse()
  await owner.prove()
  seen(await owner.pay())
  const [card] = await cardsOf(owner)
  const pays = { kind: 'stored', token: card?.token ?? assert.fail() } as const
  const eve = await browse(owner.shop)
  assert.equal((await eve.pay({ pays, besides: allThatWasPaid })).kind, 'card_not_usable', 'nothing is proven')
  await eve.prove('eve@example.com')
  assert.equal((await eve.pay({ pays, besides: allThatWasPaid })).kind, 'card_not_usable', 'another address is proven')
  assert.equal((await eve.pay({ pays, besides: allThatWasPaid, email: 'eve@example.com' })).kind, 'card_not_usable')
  assert.deepEqual((await eve.visit()).proven?.cards, [])
  const ada = await browse(owner.shop)
  await ada.prove()
  const { proven } = await ada.visit()
  assert.deepEqual([proven?.customer?.firstName, proven?.cards.map(({ mask }) => mask)], ['Ada', [good.slice(-4)]])
  seen(await ada.pay({ pays, besides: allThatWasPaid }))
  assert.equal(await owner.ledger(), 2)
})

test('a card that was saved under an address that was only typed is shown to nobody, and pays for nobody', async () => {
  const payer = await browse()
  seen(await payer.pay())
  const [card] = await cardsOf(payer)
  const pays = { kind: 'stored', token: card?.token ?? assert.fail() } as const
  const mailboxOwner = await browse(payer.shop)
  await mailboxOwner.prove()
  assert.deepEqual((await mailboxOwner.visit()).proven?.cards, [])
  assert.equal((await mailboxOwner.pay({ pays, besides: allThatWasPaid })).kind, 'card_not_usable')
  assert.equal(await payer.ledger(), 1)
})

test('the same card in another browser is asked first, and pays when that was meant', async () => {
  const browsing = await browse()
  seen(await browsing.pay())
  const other = await browse(browsing.shop)
  const asked = await other.pay()
  assert.ok(asked.kind === 'paid_before')
  assert.deepEqual([await browsing.statuses(), await browsing.ledger()], [['Successful'], 1])
  seen(await other.pay({ besides: asked.payment }))
  assert.equal(await browsing.ledger(), 2)
  await bench.pass(11, bench.ports)
  seen(await (await browse(browsing.shop)).pay())
})

test('declines are counted, by card and by address; what was paid is not', async () => {
  const shop = await bench.newShop()
  for (let bought = 0; bought < 8; bought++) seen(await (await browse(shop)).pay({ besides: allThatWasPaid }))
  const tester = await browse(shop)
  const kinds: string[] = []
  for (let attempt = 0; attempt < 7; attempt++) {
    kinds.push((await tester.pay({ attempt, pays: typed(declined) })).kind)
  }
  assert.deepEqual(kinds, [...Array(5).fill('failed'), 'too_many_tries', 'too_many_tries'])
  const elsewhere = await (await browse(shop)).pay({ pays: typed(declined), address: '198.51.100.7' })
  assert.equal(elsewhere.kind, 'too_many_tries', 'the card is known wherever it comes from')
  seen(await (await browse(shop)).pay({ besides: allThatWasPaid }))
})

test('whoever is asked over and over, under ever new addresses, makes no customers and cards without end', async () => {
  const shop = await bench.newShop()
  seen(await (await browse(shop)).pay())
  const many = tryLimits.waiting.atOnce - 3
  await Promise.all(Array.from({ length: many }, () => bench.tries.take(shop.merchantId, 'waiting', '192.0.2.1')))
  const kinds: string[] = []
  for (let asked = 0; asked < 5; asked++)
    kinds.push((await (await browse(shop)).pay({ email: `${asked}@example.com` })).kind)
  assert.deepEqual(kinds, [...Array(3).fill('paid_before'), 'too_many_tries', 'too_many_tries'])
  const elsewhere = await (await browse(shop)).pay({ address: '198.51.100.7' })
  assert.equal(elsewhere.kind, 'paid_before', 'another network is asked')
  const customers = await bench.sql`select from customer where merchant_id = ${shop.merchantId}`
  assert.equal(customers.count, 4)
})

test('where the gateway says after all that a failed payment was made, nobody is asked to pay again', async () => {
  const browsing = await browse()
  const failed = await browsing.pay({ pays: typed(declined) })
  const [charge] = failed.kind === 'failed' ? failed.sale.operations : []
  assert.equal(await bench.ports.store.keepLateSuccess(charge ?? assert.fail(), 'It succeeded after all.'), true)
  const { standing } = await browsing.visit()
  assert.deepEqual([standing?.transaction.status, standing && mayHavePaid(standing)], ['Failed', true])
  assert.equal(seen(await browsing.pay({ attempt: 1 })), standing?.transaction.id)
  assert.deepEqual(await browsing.statuses(), ['Failed'])
})

test('the name of a stored card in its vault is no proof: it pays for nobody, and the card stays', async () => {
  const owner = await browse()
  seen(await owner.pay())
  const [card] = await cardsOf(owner)
  const [row] = await bench.sql<{ cardRef: string; fingerprint: string }[]>`
    select card_ref, fingerprint from card where token = ${card?.token ?? ''}`
  const { cardRef, fingerprint } = row ?? assert.fail()
  const described = { mask: '1111', type: 'visa', expiryMonth: 12, expiryYear: 2040 } as const
  const attached = processThat({ storeCard: async () => ({ kind: 'stored', cardRef, fingerprint, ...described }) })
  const pays = { kind: 'new', card: { fieldsToken: cardRef }, keeps: true } as const
  for (const besides of [allThatWasPaid, null]) {
    assert.equal((await (await browse(owner.shop)).pay({ pays, besides }, attached)).kind, 'card_refused')
  }
  assert.equal(await owner.ledger(), 1)
  assert.equal((await cardsOf(owner))[0]?.removeAt, null)
})

test('the same card in two browsers at the same moment: one pays, the other is asked', async () => {
  const shop = await bench.newShop()
  const both = await Promise.all([browse(shop), browse(shop)])
  const paid = await Promise.all(both.map(browsing => browsing.pay()))
  assert.deepEqual(paid.map(({ kind }) => kind).sort(), ['paid_before', 'see'])
  assert.equal(await both[0]?.ledger(), 1)
})

test('however many unusable cards are newer, a customer’s own card is found, on the page and by email', async () => {
  const ada = await browse()
  await ada.prove()
  seen(await ada.pay({ pays: typed(testCardThat('answer_twice').number) }))
  await bench.sql`insert into card (merchant_id, token, customer_id, gateway_id, card_ref, fingerprint, mask, type,
      expiry_month, expiry_year, created_at, consented_at, confirmed_at, remove_at)
    select merchant_id, kind || n, customer_id, gateway_id, card_ref || kind || n, fingerprint, '0000', type, 12,
      case kind when 'expired' then 2020 else 2040 end, now() + interval '1 minute', now(),
      case kind when 'unconfirmed' then null else now() end, case kind when 'once' then now() + interval '1 hour' end
    from card, generate_series(1, 60) n, unnest(array['unconfirmed', 'expired', 'once']) kind
    where merchant_id = ${ada.shop.merchantId}`
  const [own] = await cardsOf(ada)
  assert.deepEqual(
    (await ada.visit()).proven?.cards.map(({ token }) => token),
    [own?.token],
  )
  const toConfirm = await ada.page.proofs.cardToConfirm(ada.found, 'ada@example.com', null)
  assert.equal(toConfirm?.token, own?.token)
  const wanted = { merchantId: ada.shop.merchantId, email: 'ada@example.com', gatewayId: null, limit: 1 }
  const namedBy = async (onlyCard: string) =>
    cardsToPayWith(bench.sql, { ...wanted, now: bench.ports.now(), onlyCard: onlyCard as CardToken })
  assert.equal((await namedBy(own?.token ?? '')).length, 1)
  assert.deepEqual(await namedBy('unconfirmed1'), [], 'a token for this card pays with no other')
})

test('the database and the rule agree which cards a customer can use', async () => {
  const { shop, found } = await browse()
  const [given, at] = [new Date('2026-05-01T00:00:00Z'), new Date('2026-06-01T11:59:59Z')]
  const { merchantId } = found.offer
  const email = 'every-kind@example.com'
  const customerId = randomUUID() as CustomerId
  await bench.sql`insert into customer (merchant_id, id, email, created_at)
    values (${merchantId}, ${customerId}, ${email}, ${given})`
  const gatewayId = await gatewayOf({ shop })
  const times = [null, given]
  const cards = times.flatMap(removedAt =>
    times.flatMap(removeAt =>
      times.flatMap(consentedAt =>
        times.flatMap(confirmedAt =>
          [
            { expiryMonth: 4, expiryYear: 2026 },
            { expiryMonth: 5, expiryYear: 2026 },
            { expiryMonth: 12, expiryYear: 2025 },
            { expiryMonth: 1, expiryYear: 2027 },
          ].map(expiry => ({ removedAt, removeAt, consentedAt, confirmedAt, ...expiry })),
        ),
      ),
    ),
  )
  const stored: Card[] = cards.map((some, index) => ({
    ...{ ...some, token: newCardToken(), customerId, gatewayId, cardRef: `ref-${index}` },
    ...{ mask: '1111', type: 'visa', createdAt: given },
  }))
  for (const card of stored) await bench.sql.begin(scope => insertCard(scope, merchantId, card, ''))
  for (const now of [at, new Date('2026-06-01T12:00:00Z')]) {
    const wanted = { merchantId, email, gatewayId: null, onlyCard: null, now, limit: 100 }
    const found = (await cardsToPayWith(bench.sql, wanted)).map(({ token }) => token)
    const usable = stored.filter(card => canCustomerUse(card, now)).map(({ token }) => token)
    assert.deepEqual(found.sort(), usable.sort())
    assert.ok(usable.length > 0)
  }
})

test('a card entered again by somebody who has proven nothing changes nothing of the confirmed one', async () => {
  const ada = await browse()
  await ada.prove()
  seen(await ada.pay())
  const rowOf = async (token: CardToken | undefined) =>
    (await bench.sql`select * from card where merchant_id = ${ada.shop.merchantId} and token = ${token ?? ''}`)[0]
  const [own] = await cardsOf(ada)
  const before = await rowOf(own?.token)
  const stranger = await browse(ada.shop)
  seen(await stranger.pay({ besides: allThatWasPaid }))
  assert.deepEqual(await rowOf(own?.token), before)
  const [, entered] = await cardsOf(ada)
  assert.deepEqual(
    [(await rowOf(entered?.token))?.fingerprint, (await rowOf(entered?.token))?.confirmedAt],
    [before?.fingerprint, null],
  )
})

/** A mailed link to this address was pressed in this browser, some days later. */
async function confirmCards({ found, order }: Browsing, email = 'ada@example.com', days = 0): Promise<void> {
  const now = new Date(bench.ports.now().getTime() + days * 86_400_000)
  await bench.sql.begin(scope => confirmCardsOf(scope, checkoutNamed(found.offer, order.secret), email, now))
}

test('a proof confirms the card that this very checkout saved under the address and paid with, and no other', async () => {
  const confirmedOf = async ({ shop }: Browsing) =>
    bench.sql<{ mask: string; confirmedAt: Date | null }[]>`select mask, confirmed_at from card
      where merchant_id = ${shop.merchantId} order by created_at, token`
  const isConfirmed = async (browsing: Browsing) => (await confirmedOf(browsing)).map(card => card.confirmedAt !== null)
  const payer = await browse()
  seen(await payer.pay())
  const sameAddress = await browse(payer.shop)
  seen(await sameAddress.pay({ pays: typed('5555555555554444') }))
  const sameBrowser = { ...(await browse()), order: payer.order }
  seen(await sameBrowser.page.pay(sameBrowser.found, payer.order))
  await confirmCards(payer, 'bea@example.com')
  await confirmCards(await browse(payer.shop))
  assert.deepEqual(await isConfirmed(payer), [false, false], 'another address, another browser')
  await confirmCards(payer)
  assert.deepEqual(await isConfirmed(payer), [true, false])
  assert.deepEqual(await isConfirmed(sameBrowser), [false], 'at another merchant the same secret is another checkout')
  const before = await confirmedOf(payer)
  await confirmCards(payer, 'ada@example.com', 1)
  assert.deepEqual(await confirmedOf(payer), before, 'confirmed once')

  const declinedFirst = await browse()
  assert.equal((await declinedFirst.pay({ pays: typed(declined) })).kind, 'failed')
  await bench.sql`update card set remove_at = null where merchant_id = ${declinedFirst.shop.merchantId}`
  seen(await declinedFirst.pay({ attempt: 1 }))
  await confirmCards(declinedFirst)
  assert.deepEqual(await isConfirmed(declinedFirst), [false, true], 'a card that paid for nothing')

  const once = await browse()
  seen(await once.pay({ pays: typed(good, false) }))
  const removed = await browse()
  seen(await removed.pay())
  await bench.sql`update card set removed_at = now() where merchant_id = ${removed.shop.merchantId}`
  for (const browsing of [once, removed]) {
    await confirmCards(browsing)
    assert.deepEqual(await isConfirmed(browsing), [false])
  }
})

test('payments that wait for the bank lock nobody out, and a stranger’s guesses at an offer’s customer do', async () => {
  const shop = await bench.newShop()
  const { number } = testCardThat('three_d_secure')
  for (let waiting = 0; waiting < 7; waiting++)
    seen(await (await browse(shop)).pay({ pays: typed(number), besides: allThatWasPaid }))
  await bench.sql`update offer set email = 'ada@example.com' where id = ${shop.offer}`
  const kinds: string[] = []
  for (let guess = 0; guess < 17; guess++)
    kinds.push((await (await browse(shop)).pay({ email: `${guess}@a.example` })).kind)
  assert.deepEqual(kinds, [...Array(15).fill('not_for_sale'), 'too_many_tries', 'too_many_tries'])
})

test('who lost the turn does not give it away for who has it now', async () => {
  const { found, order } = await browse()
  const named = checkoutNamed(found.offer, order.secret)
  const late = (await takeTurn(bench.sql, named, bench.ports.now(), -1)) ?? assert.fail()
  const now = (await takeTurn(bench.sql, named, bench.ports.now(), 60_000)) ?? assert.fail()
  await giveTurnBack(bench.sql, late)
  assert.equal(await takeTurn(bench.sql, named, bench.ports.now(), 60_000), null)
  await giveTurnBack(bench.sql, now)
  assert.notEqual(await takeTurn(bench.sql, named, bench.ports.now(), 60_000), null)
})

test('a checkout that was refused often enough is over', async () => {
  const browsing = await browse()
  const failed = await browsing.pay({ pays: typed(declined) })
  assert.ok(failed.kind === 'failed')
  const name = checkoutName(checkoutNamed(browsing.found.offer, browsing.order.secret))
  await bench.sql`insert into idempotency_key (merchant_id, operation, key, arguments_hash, transaction_id, created_at)
    select ${browsing.shop.merchantId}, 'page', ${`${name}.`} || n, 'page', ${failed.sale.transaction.id}, now()
    from generate_series(1, ${attemptsMax - 1}) n`
  assert.equal((await browsing.pay({ attempt: attemptsMax })).kind, 'too_many_tries')
  assert.equal(await browsing.ledger(), 0)
})
