// A person settles a charge at the moment at which the gateway answers for it. Whoever is first, it is settled once; and
// where the person was, the gateway's success is not lost.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chargeOffer } from '../src/core/charge.ts'
import { sentencesMax, sentencesOf } from '../src/core/for-person.ts'
import type { CardToken, OfferId } from '../src/core/ids.ts'
import type { HeldOperation } from '../src/core/operation.ts'
import { askAgain } from '../src/core/recover.ts'
import type { Decision, OperationPlace, ResolvePorts } from '../src/core/resolution.ts'
import { resolveDoubt } from '../src/core/resolve.ts'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { findDoubt, findNamesake } from '../src/store/doubt.ts'
import { claimOperation, claimOperations } from '../src/store/sweeping.ts'
import { audited } from './support/audited.ts'
import { type Bench, openBench, type Shop } from './support/bench.ts'

let bench: Bench
let shop: Shop
let card: string
before(async () => {
  bench = await openBench()
  shop = await bench.newShop()
  card = await shop.card(testCardThat('reset_after').number)
})
after(() => bench.close())

/** Of a person whose gateway does not answer them: else its word decides. */
function resolvePorts(): ResolvePorts {
  const { sql, ports } = bench
  return {
    ...ports,
    openGateway: async (...of) => ({
      ...(await ports.openGateway(...of)),
      fence: async () => false,
      lookup: async () => ({ kind: 'unknown', cause: 'Silence.' }),
    }),
    findNamesake: operation => findNamesake(sql, operation),
    findTokenUser: async () => null,
  }
}

/** Made at the gateway, and its answer lost; in the hand of one who is about to ask, and whose time is over. */
async function chargeInDoubt() {
  const { ports, sql } = bench
  const { merchantId } = shop
  await chargeOffer(ports, {
    merchantId,
    offerId: shop.offer as OfferId,
    cardToken: card as CardToken,
    quantity: 1,
    authorizationOnly: null,
    referrerContext: null,
    entered: null,
    source: 'Web Transaction',
    repetition: null,
  })
  const transactionId = (await bench.transactionsOf(merchantId)).at(-1) ?? assert.fail()
  const sale = (await ports.store.load(merchantId, transactionId)) ?? assert.fail()
  const operation = sale.operations[0] ?? assert.fail()
  const held: HeldOperation = (await claimOperation(sql, merchantId, operation.id, 60_000)) ?? assert.fail()
  const place: OperationPlace = { merchantId, transactionId, operationId: operation.id }
  const expire = () => sql`update operation set lease_until = now() where id = ${operation.id}`
  return { sale, held, place, expire }
}

const decision = (verdict: Decision['verdict'], gatewayRef: string | null = null): Decision => ({
  verdict,
  by: 'Ada',
  note: 'Seen.',
  gatewayRef,
  answers: null,
})

async function endOf({ merchantId, transactionId, operationId }: OperationPlace) {
  const { operation, resolutions } = (await findDoubt(bench.sql, operationId)) ?? assert.fail()
  const sale = (await bench.ports.store.load(merchantId, transactionId)) ?? assert.fail()
  const { outcome, forPerson } = operation
  return { status: sale.transaction.status, outcome, forPerson, verdicts: resolutions.map(({ verdict }) => verdict) }
}

const rounds = 20

test('said to be not made while a success arrives: one of them settles it, and the other is heard', async () => {
  const firsts = { person: 0, gateway: 0 }
  for (let round = 0; round < rounds; round++) {
    const { sale, held, place, expire } = await chargeInDoubt()
    await expire()
    const resolve = () => resolveDoubt(resolvePorts(), place, decision('not_made'))
    const ask = () => askAgainLate(sale, held)
    const resolved = await inOrder(round, resolve, ask)
    const end = await endOf(place)
    if (resolved.kind === 'resolved') {
      firsts.person += 1
      assert.deepEqual([end.status, end.outcome, end.verdicts], ['Failed', 'not_sent', ['not_made']])
      assert.match(end.forPerson ?? '', /reports a success for a charge that was settled as not_sent/)
      const accepted = await resolveDoubt(resolvePorts(), place, decision('succeeded'))
      assert.equal(accepted.kind, 'resolved', 'under the name that the gateway gave')
      assert.equal((await endOf(place)).status, 'Successful')
    } else {
      firsts.gateway += 1
      assert.match(resolved.sentence, /settled already: it succeeded/)
      assert.deepEqual([end.status, end.outcome, end.verdicts], ['Successful', 'succeeded', []])
    }
  }
  assert.ok(firsts.person > 0 && firsts.gateway > 0, JSON.stringify(firsts))
  await audited(bench.sql)
})

/** One after the other, the other way round, and then at the same time, whoever begins. */
async function inOrder<Said>(round: number, resolve: () => Promise<Said>, ask: () => Promise<void>): Promise<Said> {
  if (round === 0) {
    const said = await resolve()
    await ask()
    return said
  }
  if (round === 1 || round % 2 === 0) {
    const asking = ask()
    if (round === 1) await asking
    const [said] = await Promise.all([resolve(), asking])
    return said
  }
  const [said] = await Promise.all([resolve(), ask()])
  return said
}

/** As one who was stopped after he had counted his sending: he has no lease any more, and brings what he heard. */
function askAgainLate(sale: Parameters<typeof askAgain>[1], held: HeldOperation): Promise<void> {
  const { ports } = bench
  return askAgain({ ...ports, store: { ...ports.store, countSending: async () => true } }, sale, held)
}

test('said to be not made while the gateway can be asked: its own word settles it', async () => {
  const { place, expire } = await chargeInDoubt()
  await expire()
  const said = await resolveDoubt({ ...resolvePorts(), ...bench.ports }, place, decision('not_made'))
  assert.deepEqual(said, { kind: 'refused', sentence: 'The gateway says that the charge succeeded: it is settled so.' })
  const end = await endOf(place)
  assert.deepEqual([end.status, end.outcome, end.verdicts], ['Successful', 'succeeded', []])
  await audited(bench.sql)
})

test('two people at once: one of them settles it', async () => {
  for (let round = 0; round < rounds; round++) {
    const { place, expire } = await chargeInDoubt()
    await expire()
    const said = await Promise.all([
      resolveDoubt(resolvePorts(), place, decision('not_made')),
      resolveDoubt(resolvePorts(), place, decision('succeeded', `sandbox_charge_${place.operationId}`)),
    ])
    assert.deepEqual(said.map(({ kind }) => kind).sort(), ['refused', 'resolved'])
    assert.equal((await endOf(place)).verdicts.length, 1)
  }
  await audited(bench.sql)
})

test('what somebody holds is not taken from him', async () => {
  const { sale, held, place } = await chargeInDoubt()
  const refused = await resolveDoubt(resolvePorts(), place, decision('not_made'))
  assert.deepEqual(refused, {
    kind: 'refused',
    sentence: 'It is under way or being asked about just now; try again in a moment.',
  })
  await askAgain(bench.ports, sale, held)
  assert.equal((await endOf(place)).status, 'Successful')
})

test('an ask that was overtaken, and brings a success, is kept beside the one that overtook it', async () => {
  const { sql, ports } = bench
  const { sale, held, place, expire } = await chargeInDoubt()
  await expire()
  const overtaking = (await claimOperation(sql, place.merchantId, place.operationId, 60_000)) ?? assert.fail()
  const silent: typeof ports.openGateway = async (...of) => ({
    ...(await ports.openGateway(...of)),
    send: async (_request, _signal, note) => {
      note?.('send -> silence')
      return { kind: 'unknown', cause: 'Silence.' }
    },
  })
  await askAgain({ ...ports, openGateway: silent }, sale, overtaking)
  await askAgainLate(sale, held)
  const { asked, operation } = (await findDoubt(sql, place.operationId)) ?? assert.fail()
  assert.equal(operation.outcome, 'succeeded')
  const kept = asked.map(({ number, heard }) => [number, ...heard.filter(line => line.startsWith('send'))])
  assert.deepEqual(kept, [
    [1, 'send -> silence'],
    [2, 'send -> succeeded'],
  ])
})

test('a success settles it, and what was listed since its bearer read it stays listed', async () => {
  const { sql } = bench
  const { sale, held, place, expire } = await chargeInDoubt()
  await expire()
  const said = ['The gateway reports $99.99 where $100.00 was asked.', 'The gateway reports something else.']
  await sql`update operation set for_person = ${said[0] ?? ''}, more_for_person = ${said.slice(1)}::text[]
    where id = ${place.operationId}`
  await askAgainLate(sale, held)
  const { operation } = (await findDoubt(sql, place.operationId)) ?? assert.fail()
  assert.deepEqual([operation.outcome, sentencesOf(operation)], ['succeeded', said])
})

/** Dismisses what is listed, one after the other, until nothing is. Gives what was dismissed. */
async function dismissAll(place: OperationPlace): Promise<string[]> {
  const dismissed: string[] = []
  for (;;) {
    const { operation } = (await findDoubt(bench.sql, place.operationId)) ?? assert.fail()
    const [sentence] = sentencesOf(operation)
    if (sentence === undefined) return dismissed
    const said = await resolveDoubt(resolvePorts(), place, { ...decision('dismissed'), answers: sentence })
    if (said.kind === 'resolved') dismissed.push(sentence)
  }
}

test('reports that come at once, while a person dismisses: each is dismissed once, or counted with the rest', async () => {
  const { sql, ports } = bench
  const { place, expire } = await chargeInDoubt()
  await expire()
  assert.equal((await resolveDoubt(resolvePorts(), place, decision('not_made'))).kind, 'resolved')
  const { operation } = (await findDoubt(sql, place.operationId)) ?? assert.fail()
  const reports = Array.from({ length: sentencesMax * 2 }, (_, number) => `The gateway reports payment ${number}.`)
  const [kept, dismissed] = await Promise.all([
    Promise.all(reports.map(report => ports.store.keepForPerson(operation, report))),
    dismissAll(place),
  ])
  assert.deepEqual(new Set(kept), new Set([true]))
  const all = [...dismissed, ...(await dismissAll(place))]
  const single = all.filter(sentence => reports.includes(sentence))
  const rest = all.map(sentence => Number(/only in the log: (\d+)\./.exec(sentence)?.[1] ?? 0))
  assert.equal(new Set(single).size, single.length)
  assert.equal(single.length + rest.reduce((sum, count) => sum + count), reports.length)
  assert.equal(await ports.store.keepForPerson(operation, single[0] ?? assert.fail()), false, 'it was answered')
  await audited(sql)
})

test('a dismissal while the gateway is just being asked: it is asked once more', async () => {
  const { sql, ports } = bench
  const { place, expire } = await chargeInDoubt()
  await expire()
  assert.equal((await resolveDoubt(resolvePorts(), place, decision('not_made'))).kind, 'resolved')
  const { operation } = (await findDoubt(sql, place.operationId)) ?? assert.fail()
  await ports.store.keepForPerson(operation, 'The gateway reports something.')
  await sql`update operation set next_ask_at = now() - interval '1 second' where id = ${place.operationId}`
  const due = await claimOperations(sql, place.merchantId, { now: new Date(), limit: 100, leaseMs: 60_000 })
  const held = due.find(({ id }) => id === place.operationId) ?? assert.fail('it is not due')
  const answers = 'The gateway reports something.'
  assert.equal((await resolveDoubt(resolvePorts(), place, { ...decision('dismissed'), answers })).kind, 'resolved')
  const ask = { operationId: held.id, number: held.asks + 1, at: new Date(), step: 'look_up', heard: [] } as const
  await ports.store.recordRecheck({ ...held, asks: held.asks + 1 }, { nextAskAt: null, ask, forPerson: null })
  const [row] = await sql<{ isDue: boolean }[]>`select next_ask_at <= now() and lease_until <= now() as is_due
    from operation where id = ${place.operationId}`
  assert.equal(row?.isDue, true)
  const again = (await claimOperations(sql, place.merchantId, { now: new Date(), limit: 100, leaseMs: 60_000 })).find(
    ({ id }) => id === place.operationId,
  )
  await ports.store.recordRecheck(again ?? assert.fail(), { nextAskAt: null, ask, forPerson: null })
  const ended = (await findDoubt(sql, place.operationId)) ?? assert.fail()
  assert.equal(ended.operation.nextAskAt, null, 'and then no more')
})
