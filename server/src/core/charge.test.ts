import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { challenge, FakeWorld, gatewayAccess, silence, success } from '../../test/support/fake-world.ts'
import {
  after,
  answered,
  card,
  cardToken,
  failed,
  gatewayId,
  madeCharge,
  merchantId,
  noon,
  offer,
  offerId,
} from '../../test/support/sale-samples.ts'
import { commitMs } from './call-gateway.ts'
import { type ChargeCommand, chargeOffer } from './charge.ts'
import type { EndpointId, GatewayId } from './ids.ts'
import { notForSaleSays, type Offer } from './offer.ts'
import type { Card } from './people.ts'
import type { ChargeFacts, PreSaleEndpoint } from './ports.ts'
import { failureCodes } from './transaction.ts'

const command: ChargeCommand = {
  merchantId,
  offerId,
  cardToken,
  quantity: 1,
  authorizationOnly: null,
  referrerContext: null,
  entered: null,
  source: 'Web Transaction',
  repetition: null,
}
const endpoint: PreSaleEndpoint = {
  id: 'endpoint' as EndpointId,
  url: 'https://shop.example/presale',
  timeoutMs: 10_000,
  paused: false,
  standardWebhooks: false,
  sendsJson: false,
  keyId: 'key',
}

async function charged(world: FakeWorld, some: Partial<ChargeCommand> = {}) {
  const reply = await chargeOffer(world.ports, { ...command, ...some })
  return { status: reply.status, body: JSON.parse(reply.text) }
}

function worldWith(facts: Partial<ChargeFacts>): FakeWorld {
  const world = new FakeWorld()
  world.facts = { ...world.facts, ...facts }
  return world
}
const withOffer = (some: Partial<Offer>) => worldWith({ offer: { ...offer, ...some } })
const withCard = (some: Partial<Card>) => worldWith({ card: { ...card, ...some } })

describe('a charge', () => {
  test('commits its row before it leaves, and leaves under that row’s id', async () => {
    const world = new FakeWorld()
    world.sending = () => assert.equal(world.created.length, 1, 'nothing was committed when it left')
    const { status, body } = await charged(world)
    assert.deepEqual([status, body.transaction.status, body.errors], [200, 'Successful', null])
    const [created] = world.created
    assert.deepEqual([created?.operation?.outcome, created?.operation?.sendings], ['pending', 1])
    const { id, transactionId } = created?.operation ?? assert.fail()
    const request = { kind: 'charge', id, transactionId, amountMinor: 10_000n, currency: 'USD' }
    assert.deepEqual(world.calls, [{ do: 'send', request: { ...request, cardRef: 'vault_1', capture: true } }])
  })

  test('at another gateway than the card’s own names the copy in that vault', async () => {
    const elsewhere = { id: 'gw_other' as GatewayId, access: gatewayAccess, active: true, cardRef: 'vault_copy' }
    for (const preSaleEndpoints of [[], [endpoint]]) {
      const world = worldWith({ gateway: elsewhere, preSaleEndpoints })
      world.preSaleAnswers = [answered(200)]
      const { body } = await charged(world)
      assert.deepEqual([body.transaction.status, body.transaction.gateway], ['Successful', 'gw_other'])
      const [call] = world.calls
      assert.equal(call?.request.kind === 'charge' && call.request.cardRef, 'vault_copy')
      assert.equal(world.sale.operations[0]?.cardRef, 'vault_copy', 'what is asked again after a crash is the same')
    }
  })

  test('takes unit price times quantity', async () => {
    const world = new FakeWorld()
    world.sends = [success({ amountMinor: 30_000n })]
    const { body } = await charged(world, { quantity: 3 })
    assert.equal(body.transaction.amount, '300.00')
    assert.equal(world.calls[0]?.request.amountMinor, 30_000n)
  })

  test('authorises only when the request says so, or the offer where the request says nothing', async () => {
    const captures = async (asked: boolean | null, offered: boolean) => {
      const world = withOffer({ authorizationOnly: offered })
      await charged(world, { authorizationOnly: asked })
      const [call] = world.calls
      return call?.request.kind === 'charge' && call.request.capture
    }
    assert.deepEqual([await captures(null, false), await captures(null, true)], [true, false])
    assert.deepEqual([await captures(true, false), await captures(false, true)], [false, true])
  })

  test('that is declined is 402, not sent 502, in doubt 202, with further action 202', async () => {
    const outcomes = [
      [{ kind: 'declined', code: 'lost_card' }, 402, 'Failed'],
      [{ kind: 'not_sent', code: 'gateway_not_reached', cause: 'refused' }, 502, 'Failed'],
      [silence, 202, 'Processing'],
      [challenge, 202, 'Further Action Required'],
    ] as const
    for (const [outcome, status, state] of outcomes) {
      const world = new FakeWorld()
      world.sends = [outcome]
      const answer = await charged(world)
      assert.deepEqual([answer.status, answer.body.transaction.status], [status, state])
    }
  })

  test('in doubt is asked again after 5 s', async () => {
    const world = new FakeWorld()
    world.sends = [silence]
    await charged(world)
    const [operation] = world.sale.operations
    assert.deepEqual([operation?.outcome, operation?.nextAskAt], ['unknown', after(noon, 5_000)])
  })

  test('of which the gateway reports another amount alerts, stays Processing and waits for a person', async () => {
    const world = new FakeWorld()
    world.sends = [success({ amountMinor: 9_999n })]
    const { status, body } = await charged(world)
    assert.deepEqual([status, body.transaction.status, body.errors], [202, 'Processing', null])
    const sentence = 'The gateway reports $99.99 where $100.00 was asked.'
    assert.deepEqual(world.alerts, [sentence])
    const [operation] = world.sale.operations
    assert.deepEqual([operation?.forPerson, operation?.nextAskAt, operation?.settledAt], [sentence, null, null])
    assert.deepEqual(world.eventsSaid, [])
  })

  test('whose process was stopped until another settled it answers what that one settled', async () => {
    const world = new FakeWorld()
    world.sending = () =>
      world.takeOver(
        { ...madeCharge, id: world.sale.operations[0]?.id ?? assert.fail() },
        { status: 'Successful', capturedMinor: 10_000n },
      )
    const { status, body } = await charged(world)
    assert.deepEqual([status, body.transaction.status, world.commits], [200, 'Successful', []])
  })

  test('of the last unit says in its hook that the offer is used up', async () => {
    const world = withOffer({ stockLeft: 1 })
    await charged(world)
    assert.equal((world.lastDetails.token as { active: boolean }).active, false)
  })

  test('that fails says in its hook that the last unit is there again', async () => {
    const world = withOffer({ stockLeft: 1 })
    world.sends = [{ kind: 'declined', code: 'lost_card' }]
    await charged(world)
    assert.equal((world.lastDetails.token as { active: boolean }).active, true)
  })
})

describe('refused before anything is written', () => {
  async function refused(world: FakeWorld, some: Partial<ChargeCommand> = {}) {
    const { status, body } = await charged(world, some)
    assert.equal(body.transaction, null)
    assert.deepEqual([world.created, world.calls, world.askedPreSale], [[], [], []])
    return [status, body.errors]
  }

  test('an unknown offer, an unknown card, or both', async () => {
    const offerSays = { service_offer: 'service_offer is not known.' }
    const cardSays = { token: 'token is not known.' }
    assert.deepEqual(await refused(worldWith({ offer: null })), [404, offerSays])
    assert.deepEqual(await refused(worldWith({ card: null, customer: null })), [404, cardSays])
    const neither = worldWith({ offer: null, card: null, customer: null })
    assert.deepEqual(await refused(neither), [404, { ...offerSays, ...cardSays }])
  })

  test('an offer that is inactive, expired, used up or for another customer', async () => {
    const says = async (some: Partial<Offer>) => (await refused(withOffer(some)))[1].service_offer
    assert.equal(await says({ active: false }), 'service_offer is not active any more.')
    assert.equal(await says({ expiresAt: noon }), 'service_offer has expired.')
    assert.equal(await says({ stockLeft: 0 }), `service_offer ${notForSaleSays.used_up}`)
    assert.equal(await says({ email: 'grace@example.com' }), 'service_offer is for another customer.')
  })

  test('a card that is removed, expired or stored at another gateway', async () => {
    const says = async (some: Partial<Card>) => await refused(withCard(some))
    assert.deepEqual(await says({ removedAt: noon }), [422, { token: 'token names a card that was removed.' }])
    const expired = { expiryYear: 2026, expiryMonth: 10 }
    assert.deepEqual(await says(expired), [422, { token: 'token names a card that has expired.' }])
    const elsewhere = worldWith({
      gateway: { id: 'gw_other' as GatewayId, access: gatewayAccess, active: true, cardRef: null },
    })
    const notThere = "token names a card that is not stored at the offer's gateway."
    assert.deepEqual(await refused(elsewhere), [422, { token: notThere }])
  })

  test('a gateway that is gone or deactivated', async () => {
    const inactive = { id: gatewayId, access: gatewayAccess, active: false, cardRef: 'vault_1' }
    for (const gateway of [null, inactive]) {
      const named = worldWith({ gateway, offer: { ...offer, gatewayId } })
      assert.deepEqual(await refused(named), [422, { service_offer: "service_offer's gateway is not active." }])
      const unnamed = worldWith({ gateway, offer: { ...offer, gatewayId: null } })
      assert.deepEqual(await refused(unnamed), [422, { token: 'token names a card whose gateway is not active.' }])
    }
  })

  test('a quantity that makes the total larger than any amount', async () => {
    const world = withOffer({ amountMinor: 500_000_000_000n })
    assert.deepEqual(await refused(world, { quantity: 2 }), [422, { quantity: 'quantity makes the total too large.' }])
  })

  test('everything that is wrong, at once', async () => {
    const world = worldWith({ offer: { ...offer, active: false }, card: { ...card, removedAt: noon } })
    const [status, errors] = await refused(world)
    assert.deepEqual([status, Object.keys(errors)], [422, ['service_offer', 'token']])
  })

  test('units that somebody else took between the look and the commit', async () => {
    const world = withOffer({ stockLeft: 1 })
    const { ports } = world
    const store = { ...ports.store, create: async () => 'sold_out' as const }
    const reply = await chargeOffer({ ...ports, store }, command)
    assert.equal(reply.status, 422)
    assert.deepEqual(JSON.parse(reply.text).errors, { service_offer: `service_offer ${notForSaleSays.used_up}` })
    assert.deepEqual(world.calls, [])
  })
})

describe('Pre-Sale', () => {
  function asking(...statuses: readonly (number | null)[]): FakeWorld {
    const world = worldWith({ preSaleEndpoints: statuses.map(() => endpoint) })
    world.preSaleAnswers = statuses.map(answered)
    return world
  }

  test('is asked once, after it was recorded and before the gateway is called', async () => {
    const world = asking(200)
    world.sending = () => assert.equal(world.askedPreSale.length, 1)
    const { status } = await charged(world)
    assert.equal(status, 200)
    const [created] = world.created
    assert.deepEqual([created?.operation, created?.sale.transaction.preSale], [null, 'asked'])
    assert.deepEqual(created?.preSale?.endpoints, [endpoint])
    assert.equal(created?.preSale?.details, world.askedPreSale[0]?.details)
    assert.deepEqual([world.askedPreSale.length, world.calls.length], [1, 1])
    const asked = JSON.parse(world.askedPreSale[0]?.details ?? '')
    assert.deepEqual([asked.type, asked.balance, asked.transaction], ['pre_sale', '0.00', world.sale.transaction.id])
    assert.equal(world.sale.transaction.preSale, 'passed')
  })

  test('that passes commits the charge’s row, and what was answered, before the gateway is called', async () => {
    const world = asking(200, 204)
    world.sending = () => assert.equal(world.sale.operations.length, 1)
    await charged(world)
    const [step] = world.commits
    assert.deepEqual(step?.preSaleAnswers, world.preSaleAnswers)
    assert.equal(step?.begins?.operation.kind, 'charge')
  })

  test('holds the sale as long as its slowest endpoint may take, and the commit after it', async () => {
    const world = asking(200, 200)
    world.facts = { ...world.facts, preSaleEndpoints: [endpoint, { ...endpoint, timeoutMs: 30_000 }] }
    await charged(world)
    assert.equal(world.created[0]?.leaseMs, 30_000 + commitMs)
  })

  const verdicts = [
    [[404], 409, 'pre_sale_stopped', 'stopped', []],
    [[302], 409, 'pre_sale_stopped', 'stopped', []],
    [[404, 404], 409, 'pre_sale_stopped', 'stopped', []],
    [[200, 404], 409, 'pre_sale_stopped', 'stopped', ['error']],
    [[500], 424, 'pre_sale_error', 'error', ['error']],
    [[null], 424, 'pre_sale_error', 'error', ['error']],
    [[404, 503], 424, 'pre_sale_error', 'error', ['error']],
    [[200, null], 424, 'pre_sale_error', 'error', ['error']],
  ] as const
  for (const [statuses, status, code, preSale, events] of verdicts) {
    const owed = events.length > 0 ? 'Error hooks' : 'no hook'
    test(`answered ${statuses.join(' and ')} is ${status}, owes ${owed} and never calls the gateway`, async () => {
      const world = asking(...statuses)
      const answer = await charged(world)
      assert.deepEqual([answer.status, answer.body.transaction.error_code], [status, code])
      assert.deepEqual(answer.body.errors, { general: failureCodes[code] })
      assert.deepEqual([world.calls, world.sale.transaction.preSale], [[], preSale])
      assert.deepEqual(
        world.eventsSaid.map(({ kind }) => kind),
        events,
      )
      const [change] = world.commits
      assert.deepEqual([change?.givesBackUnits, change?.answer?.status], [1, status])
      assert.deepEqual(change?.preSaleAnswers, world.preSaleAnswers, 'the evidence is kept')
    })
  }

  test('that answers after another process ended the sale charges nothing', async () => {
    const world = asking(200)
    world.meanwhile = () => world.change({ status: 'Failed', failure: failed.failure })
    const { status, body } = await charged(world)
    assert.deepEqual([status, body.transaction.status], [402, 'Failed'])
    assert.deepEqual([world.calls, world.refusedCommits], [[], ['stale']])
  })
})

describe('a request that comes again', () => {
  const repetition = { operation: 'transactions', key: 'k', argumentsHash: 'h' }

  test('while the first was being written is answered like the first, and charges nothing', async () => {
    const world = new FakeWorld()
    const first = await chargeOffer(world.ports, command)
    const { ports } = world
    const store = {
      ...ports.store,
      create: async () => {
        const answer = { kind: 'answer', status: first.status, text: first.text } as const
        const found = { argumentsHash: 'h', transactionId: world.sale.transaction.id, first: answer }
        world.earlier.set('transactions k', found)
        return 'repeated' as const
      },
    }
    const again = await chargeOffer({ ...ports, store }, { ...command, repetition })
    assert.deepEqual(again, { ...first, replayed: true })
    assert.equal(world.calls.length, 1)
  })

  test('is answered though its gateway cannot be opened any more', async () => {
    const world = new FakeWorld()
    const first = await chargeOffer(world.ports, command)
    const answer = { kind: 'answer', status: first.status, text: first.text } as const
    const found = { argumentsHash: 'h', transactionId: world.sale.transaction.id, first: answer }
    world.earlier.set('transactions k', found)
    const openGateway = () => Promise.reject(new Error('its credentials do not open'))
    const again = await chargeOffer({ ...world.ports, openGateway }, { ...command, repetition })
    assert.deepEqual(again, { ...first, replayed: true })
  })
})

describe('a process that wakes up after its lease', () => {
  test('asks no Pre-Sale endpoint, charges nothing, and says how the sale stands', async t => {
    const world = worldWith({ preSaleEndpoints: [endpoint] })
    t.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort())
    const { status, text } = await chargeOffer(world.ports, command)
    assert.deepEqual(world.askedPreSale, [])
    const body = JSON.parse(text)
    assert.deepEqual([status, body.transaction.status], [202, 'Processing'])
    assert.deepEqual(world.calls, [])
  })

  test('sends no charge whose row it committed before it was stopped', async t => {
    const world = new FakeWorld()
    t.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort())
    const { status, body } = await charged(world)
    assert.deepEqual([status, body.transaction.status], [202, 'Processing'])
    assert.deepEqual(world.calls, [])
  })
})
