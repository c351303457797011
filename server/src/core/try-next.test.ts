import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { challenge, FakeWorld, silence, success } from '../../test/support/fake-world.ts'
import { answered, cardToken, gatewayId, merchantId, offer, offerId } from '../../test/support/sale-samples.ts'
import { type ChargeCommand, chargeOffer } from './charge.ts'
import type { DeclineCode, GatewayOutcome } from './gateway.ts'
import type { EndpointId, GatewayId } from './ids.ts'
import type { CardVault } from './people.ts'
import { askAgain } from './recover.ts'

const second = 'gw_second' as GatewayId
const third = 'gw_third' as GatewayId
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
const declined = (code: DeclineCode = 'card_declined'): GatewayOutcome => ({ kind: 'declined', code })
const notSent: GatewayOutcome = { kind: 'not_sent', code: 'gateway_not_reached', cause: 'refused' }
const copies: readonly CardVault[] = [
  { gatewayId: second, cardRef: 'vault_2' },
  { gatewayId: third, cardRef: 'vault_3' },
]

/** A world in which the card is stored at so many more gateways, which are tried in turn. */
function worldThatSays(sends: GatewayOutcome[], fallbacks: readonly CardVault[] = copies.slice(0, 1)): FakeWorld {
  const world = new FakeWorld()
  world.facts = { ...world.facts, offer: { ...offer, stockLeft: 5 }, fallbacks }
  world.sends = sends
  return world
}

async function charged(world: FakeWorld) {
  const reply = await chargeOffer(world.ports, command)
  return { status: reply.status, body: JSON.parse(reply.text) }
}

const refsAsked = ({ calls }: FakeWorld) =>
  calls.map(({ request }) => (request.kind === 'charge' ? request.cardRef : request.kind))
const outcomes = ({ sale }: FakeWorld) => sale.operations.map(({ gatewayId: at, outcome }) => [at, outcome])

describe('the next gateway', () => {
  for (const [what, failure, outcome] of [
    ['a decline', declined(), 'declined'],
    ['a charge that was not sent', notSent, 'not_sent'],
  ] as const) {
    test(`is tried after ${what}, with the card’s name there and under an id of its own`, async () => {
      const world = worldThatSays([failure, success()])
      const { status, body } = await charged(world)
      assert.deepEqual([status, body.transaction.status, body.transaction.gateway], [200, 'Successful', second])
      assert.deepEqual(refsAsked(world), ['vault_1', 'vault_2'])
      assert.deepEqual(outcomes(world), [
        [gatewayId, outcome],
        [second, 'succeeded'],
      ])
      assert.deepEqual(world.opened, [gatewayId, second])
      assert.notEqual(world.calls[0]?.request.id, world.calls[1]?.request.id)
    })
  }

  test('is called only when the failure and its own row are committed, in one commit that tells nobody', async () => {
    const world = worldThatSays([declined(), success()])
    const seen: number[] = []
    world.sending = () => void seen.push(world.commits.length)
    await charged(world)
    assert.deepEqual(seen, [0, 1])
    const [between, end] = world.commits
    assert.equal(between?.settles?.operation.outcome, 'declined')
    assert.deepEqual([between?.begins?.operation.gatewayId, between?.begins?.operation.sendings], [second, 1])
    assert.deepEqual([between?.after.status, between?.after.gatewayId], ['Processing', second])
    assert.deepEqual([between?.event, between?.answer, between?.givesBackUnits], [undefined, undefined, undefined])
    assert.deepEqual([end?.answer?.status, end?.event?.kind], [200, 'transaction'])
  })

  test('is never tried after silence, a challenge or another amount than was asked', async () => {
    for (const outcome of [silence, challenge, success({ amountMinor: 9_999n })]) {
      const world = worldThatSays([outcome, success()])
      const { status } = await charged(world)
      assert.deepEqual([status, refsAsked(world)], [202, ['vault_1']])
      assert.deepEqual([world.opened, world.refusedCommits], [[gatewayId], []], 'nor is it thought of')
    }
  })

  test('is never tried with a card that is lost, stolen or suspected', async () => {
    for (const code of ['lost_card', 'stolen_card', 'fraud_suspected'] as const) {
      const world = worldThatSays([declined(code), success()])
      const { status, body } = await charged(world)
      assert.deepEqual([status, body.transaction.error_code, refsAsked(world)], [402, code, ['vault_1']])
    }
  })

  test('that fails too leaves its own failure, one Error, and the units given back once', async () => {
    const world = worldThatSays([notSent, declined(), declined('insufficient_funds')], copies)
    const { status, body } = await charged(world)
    assert.deepEqual([status, body.transaction.error_code], [402, 'insufficient_funds'])
    assert.equal(body.transaction.gateway, third)
    assert.deepEqual(refsAsked(world), ['vault_1', 'vault_2', 'vault_3'])
    assert.deepEqual(world.eventsSaid, [{ kind: 'error', type: 'error' }])
    assert.deepEqual(
      world.commits.map(({ givesBackUnits }) => givesBackUnits),
      [undefined, undefined, 1],
    )
  })

  test('that does not answer leaves the sale in doubt there, and nobody is tried after it', async () => {
    const world = worldThatSays([declined(), silence, success()], copies)
    const { status, body } = await charged(world)
    assert.deepEqual([status, body.transaction.status], [202, 'Processing'])
    assert.deepEqual(outcomes(world), [
      [gatewayId, 'declined'],
      [second, 'unknown'],
    ])
  })

  test('is not asked for Pre-Sale again', async () => {
    const world = worldThatSays([declined(), success()])
    const id = 'endpoint' as EndpointId
    const endpoint = {
      id,
      url: 'https://shop.example/',
      timeoutMs: 10_000,
      paused: false,
      standardWebhooks: false,
      sendsJson: false,
      keyId: 'key',
    }
    world.facts = { ...world.facts, preSaleEndpoints: [endpoint] }
    world.preSaleAnswers = [answered(200)]
    const { status } = await charged(world)
    assert.deepEqual([status, world.askedPreSale.length, world.calls.length], [200, 1, 2])
  })

  test('is not begun when the time for the request is over: the failure stands', async t => {
    const over = new AbortController()
    t.mock.method(AbortSignal, 'timeout', () => over.signal)
    const world = worldThatSays([declined(), success()])
    world.sending = () => over.abort()
    const { status, body } = await charged(world)
    assert.deepEqual([status, body.transaction.error_code, world.calls.length], [402, 'card_declined', 1])
  })

  test('is not called when the time ran out in the commit: whoever sweeps sends what the row says', async t => {
    const over = new AbortController()
    t.mock.method(AbortSignal, 'timeout', () => over.signal)
    const world = worldThatSays([declined(), success()])
    world.meanwhile = () => over.abort()
    const { status, body } = await charged(world)
    assert.deepEqual([status, body.transaction.status, world.calls.length], [202, 'Processing', 1])
    t.mock.restoreAll()
    await askAgain(world.ports, world.sale, world.claim())
    assert.deepEqual(refsAsked(world), ['vault_1', 'vault_2'])
    assert.equal(world.sale.transaction.status, 'Successful')
  })

  test('is not begun by a process that lost the first charge to another', async () => {
    const world = worldThatSays([declined(), success()])
    world.sending = () => world.takeOver()
    const { status, body } = await charged(world)
    assert.deepEqual([status, body.transaction.status], [202, 'Processing'])
    assert.deepEqual([world.calls.length, world.commits.length], [1, 0])
  })

  test('is not begun when the sale changed meanwhile: the failure is told over the change', async () => {
    const world = worldThatSays([declined(), success()])
    world.meanwhile = () => world.change({})
    const { status, body } = await charged(world)
    assert.deepEqual([status, body.transaction.error_code, world.calls.length], [402, 'card_declined', 1])
  })

  test('that cannot be opened is not begun: the failure stands, and somebody hears of it', async () => {
    const world = worldThatSays([declined(), success()])
    const ports = {
      ...world.ports,
      openGateway: async (merchant: typeof merchantId, id: GatewayId) => {
        if (id === second) throw new Error('no credentials')
        return world.ports.openGateway(merchant, id)
      },
    }
    const { status, text } = await chargeOffer(ports, command)
    const { error_code: code, gateway } = JSON.parse(text).transaction
    assert.deepEqual([status, code, gateway], [402, 'card_declined', gatewayId])
    assert.deepEqual(outcomes(world), [[gatewayId, 'declined']])
    assert.deepEqual(world.eventsSaid, [{ kind: 'error', type: 'error' }])
    assert.deepEqual(world.alerts, ['The gateway to be tried next cannot be opened.'])
  })

  test('is not begun by the sweeper', async () => {
    const world = worldThatSays([silence, declined(), success()])
    await charged(world)
    await askAgain(world.ports, world.sale, world.claim())
    assert.deepEqual([world.sale.transaction.status, refsAsked(world)], ['Failed', ['vault_1', 'vault_1']])
  })
})
