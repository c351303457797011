import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { challenge, FakeWorld, silence } from '../../test/support/fake-world.ts'
import {
  after,
  answered,
  card,
  cardToken,
  customer,
  merchantId,
  noon,
  offer,
  offerId,
} from '../../test/support/sale-samples.ts'
import { endUnwanted, goOn, wantedForMs } from './go-on.ts'
import type { EndpointId, LetterId, WorkerId } from './ids.ts'
import { type HeldLetter, signedWithinMs } from './letter.ts'
import type { Offer } from './offer.ts'
import { type LetterFacts, type LetterPorts, payByLetter, type Twin } from './pay-by-letter.ts'
import type { PreSaleEndpoint } from './ports.ts'

const letter: HeldLetter = {
  merchantId,
  offerId,
  id: 'letter' as LetterId,
  receivedAt: noon,
  tokenSha256: null,
  verifies: null,
  onlyCard: null,
  isPersonal: true,
  hasConsent: true,
  isForAnother: false,
  sender: 'ada@example.com',
  isProven: true,
  holder: 'worker' as WorkerId,
  leaseNo: 1,
}
const copy: Twin = {
  id: 'copy' as LetterId,
  isProven: false,
  isDone: true,
  transactionId: null,
  isRefused: false,
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
const box = 'ab'.repeat(32)

class LetterWorld extends FakeWorld {
  closed = 0
  twin: Twin | null = null
  verified = 0
  limits: LetterFacts['limits'] = { amountMaxMinor: 50_000n, dayAmountMaxMinor: 100_000n, dayPaymentsMax: 10 }
  spent = { amountMinor: 0n, payments: 0 }
  mayChargeAtOnce = true
  isTokenSpent = false
  isPaidBefore = false
  onlyIfUnpaid: LetterFacts['onlyIfUnpaid'] = null
  asked: (string | null)[][] = []
  /** Happens while the facts are read. */
  whileRead = async (): Promise<void> => {}

  get letterPorts(): LetterPorts {
    const letters: LetterPorts['letters'] = {
      facts: async () => {
        const { offer, gateway } = this.facts
        assert.ok(offer !== null && gateway !== null)
        await this.whileRead()
        const { limits, spent, mayChargeAtOnce, isTokenSpent, isPaidBefore, onlyIfUnpaid } = this
        const letter = { limits, spent, mayChargeAtOnce, isTokenSpent, isPaidBefore, onlyIfUnpaid }
        return { ...this.facts, offer, gateway, customer, ...letter }
      },
      close: async () => {
        this.closed += 1
      },
      askForConfirmation: async (_, before, after) => {
        this.asked.push([before.actionWants, after.actionWants])
      },
      twin: async () => this.twin,
      verification: async () => {
        this.verified += 1
        return { mailTo: 'mailto:transaction@pay.example?body=%40token%40', boxSha256: box }
      },
    }
    return { ...this.ports, letters }
  }

  async pay(some: Partial<HeldLetter> = {}): Promise<void> {
    await payByLetter(this.letterPorts, { ...letter, ...some })
  }
}

function worldWith(some: Partial<Offer> = {}): LetterWorld {
  const world = new LetterWorld()
  world.facts = { ...world.facts, offer: { ...offer, ...some } }
  return world
}

/** What was written without a charge, and told. */
function unchargedBy(world: LetterWorld) {
  const [only, ...others] = world.uncharged
  assert.ok(only !== undefined && others.length === 0)
  assert.equal(world.calls.length, 0, 'the gateway was not called')
  assert.equal(world.askedPreSale.length, 0, 'nobody was asked before')
  const { kind, mail, details } = only.event
  return { ...only, kind, mail, details: JSON.parse(details) }
}

describe('a letter that does not charge at once waits for its customer’s confirmation', () => {
  const waits = async (some: Partial<HeldLetter>, change: (world: LetterWorld) => void = () => {}) => {
    const world = worldWith()
    change(world)
    await world.pay(some)
    const { after, kind, mail, details } = unchargedBy(world)
    assert.deepEqual(
      [after.actionWants, after.actionMailTo, kind, mail],
      ['confirmation', null, 'far', 'further_action'],
    )
    assert.equal(details.further_action.mail_to, null)
    assert.equal(after.cardToken, null)
  }

  test('its words do not say that its sender wants to pay', () => waits({ hasConsent: false }))
  test('it came before that was asked', () => waits({ hasConsent: null }))
  test('it has waited for longer than 48 hours', () =>
    waits({ receivedAt: new Date(noon.getTime() - signedWithinMs - 1) }))
  test('its offer may have been paid meanwhile', () =>
    waits({}, world => {
      world.isPaidBefore = true
    }))
  test('the merchant has letters of its kind confirmed', () =>
    waits({}, world => {
      world.mayChargeAtOnce = false
    }))
  test('over the limits it is confirmed all the same: the press is the permission', () =>
    waits({ hasConsent: false }, world => {
      world.spent = { amountMinor: 100_000n, payments: 10 }
    }))
})

test('a letter with the token of another customer fails; one whose token its sender has used comes to nothing', async () => {
  const another = worldWith()
  await another.pay({ isForAnother: true })
  assert.equal(unchargedBy(another).after.failure?.code, 'offer_for_another')
  const spent = worldWith()
  spent.isTokenSpent = true
  await spent.pay()
  assert.deepEqual([spent.closed, spent.uncharged.length, spent.calls.length], [1, 0, 0])
  const unproven = worldWith()
  unproven.isTokenSpent = true
  await unproven.pay({ isProven: false })
  assert.equal(unchargedBy(unproven).after.actionWants, 'proof', 'nothing of a customer decides before they are proven')
})

describe('a letter of a proven sender with a card', () => {
  test('is charged like anything else, by mail, and done in the commit that begins it', async () => {
    const world = worldWith()
    world.sending = () => assert.equal(world.created.length, 1)
    await world.pay()
    assert.equal(world.sale.transaction.status, 'Successful')
    assert.equal(world.sale.transaction.source, 'Email Transaction')
    assert.equal(world.created[0]?.letter?.held.id, letter.id)
    assert.deepEqual(world.created[0]?.letter?.limits, world.limits, 'the limits hold in that commit')
    assert.equal(world.lastDetails.type, 'success')
    assert.equal((world.lastDetails.token as { site: boolean }).site, false)
    assert.equal(world.commits.at(-1)?.event?.mail, 'receipt')
  })

  test('asks Pre-Sale first; stopped, its customer is told even where the merchant is not', async () => {
    const world = worldWith()
    world.facts = { ...world.facts, preSaleEndpoints: [endpoint] }
    world.preSaleAnswers = [answered(409)]
    await world.pay()
    assert.equal(world.calls.length, 0)
    const { event, mail, after } = world.commits.at(-1) ?? assert.fail()
    assert.deepEqual([after.failure?.code, event, mail], ['pre_sale_stopped', undefined, 'error'])
  })

  test('that is declined fails, is told, and may be paid on the page', async () => {
    const world = worldWith()
    world.sends = [{ kind: 'declined', code: 'card_declined' }]
    await world.pay()
    const { event } = world.commits.at(-1) ?? assert.fail()
    assert.deepEqual([event?.kind, event?.mail], ['error', 'error'])
    assert.deepEqual(world.lastDetails.further_action, {
      amount: 100,
      email: 'ada@example.com',
      signup_url: `https://pay.example/offers/${offerId}`,
      mail_to: null,
    })
  })

  test('whose bank asks back waits for it, and is told how to go on', async () => {
    const world = worldWith()
    world.sends = [challenge]
    await world.pay()
    const { event, after } = world.commits.at(-1) ?? assert.fail()
    assert.deepEqual([event?.kind, event?.mail, after.actionWants], ['far', 'further_action', null])
  })

  test('stays in doubt where the gateway says nothing, and nobody is told anything', async () => {
    const world = worldWith()
    world.sends = [silence]
    await world.pay()
    assert.equal(world.sale.transaction.status, 'Processing')
    assert.deepEqual(world.eventsSaid, [])
  })

  test('uses its token, whether or not its offer is for one customer: who else may is for the token to say', async () => {
    for (const email of [null, 'ada@example.com']) {
      const world = worldWith({ email })
      await world.pay({ tokenSha256: box })
      assert.deepEqual(world.created[0]?.letter?.uses, [{ boxSha256: box, customerId: customer.id }])
      assert.equal(world.sale.transaction.tokenSha256, box)
    }
  })

  test('whose token was used meanwhile comes to nothing', async () => {
    const world = worldWith()
    world.tooLate = 'token_used'
    await world.pay({ tokenSha256: box })
    assert.deepEqual([world.closed, world.created.length, world.uncharged.length], [1, 0, 0])
  })

  test('that somebody else has by now is left to them', async () => {
    const world = worldWith()
    world.tooLate = 'letter_lost'
    await world.pay()
    assert.deepEqual([world.closed, world.created.length, world.uncharged.length, world.calls.length], [0, 0, 0, 0])
  })
})

describe('a letter that lacks something', () => {
  test('proof: nothing is charged, and no card is named, however many there are', async () => {
    const world = worldWith()
    await world.pay({ isProven: false })
    const { after: waits, kind, mail, details, sale } = unchargedBy(world)
    assert.deepEqual(
      [waits.status, waits.actionWants, kind, mail],
      ['Further Action Required', 'proof', 'far', 'further_action'],
    )
    assert.deepEqual(waits.actionExpiresAt, after(noon, wantedForMs))
    assert.deepEqual([waits.cardToken, details.card, details.payment_method_mask], [null, null, null])
    assert.equal(sale.transaction.status, 'Processing', 'it is born like any other')
    assert.deepEqual(details.further_action, {
      amount: 100,
      email: 'ada@example.com',
      signup_url: `https://pay.example/offers/${offerId}?transaction=${waits.id}`,
      mail_to: null,
    })
  })

  test('a card', async () => {
    const world = worldWith()
    world.facts = { ...world.facts, card: null }
    await world.pay()
    assert.equal(unchargedBy(world).after.actionWants, 'card')
  })

  test('an answer, or an address that is not known; a known address is one', async () => {
    const required = [{ name: 'size', required: true }]
    for (const [some, wants] of [
      [{ customFields: required }, 'field'],
      [{ address: 'shipping' }, 'field'],
      [{ address: 'shipping,billing' }, 'field'],
    ] as const) {
      const world = worldWith(some)
      await world.pay()
      assert.equal(unchargedBy(world).after.actionWants, wants)
    }
    for (const some of [{ address: 'billing' }, { customFields: [{ name: 'size', required: false }] }] as const) {
      const world = worldWith(some)
      await world.pay()
      assert.equal(world.sale.transaction.status, 'Successful')
    }
  })

  test('room within the limits: a token of its own lets it go on', async () => {
    const world = worldWith()
    world.spent = { amountMinor: 0n, payments: 10 }
    await world.pay()
    const { after, verifiedBy, details } = unchargedBy(world)
    assert.deepEqual([after.actionWants, verifiedBy], ['limit', box])
    assert.equal(details.further_action.mail_to, 'mailto:transaction@pay.example?body=%40token%40')
  })

  test('room that another letter took meanwhile', async () => {
    const world = worldWith()
    world.tooLate = 'over_limit'
    const { letterPorts } = world
    const { letters } = letterPorts
    let looks = 0
    const facts: typeof letters.facts = async held => {
      looks += 1
      if (looks === 2) world.spent = { amountMinor: 100_000n, payments: 1 }
      return letters.facts(held)
    }
    await payByLetter({ ...letterPorts, letters: { ...letters, facts } }, letter)
    assert.equal(unchargedBy(world).after.actionWants, 'limit')
    assert.equal(world.verified, 1)
  })
})

describe('a letter for what is meant to be paid once', () => {
  const paidMeanwhile = (world: LetterWorld, atLook: number): LetterPorts => {
    const { letterPorts } = world
    const { letters } = letterPorts
    let looks = 0
    const facts: typeof letters.facts = async held => {
      looks += 1
      world.isPaidBefore = looks >= atLook
      return letters.facts(held)
    }
    return { ...letterPorts, letters: { ...letters, facts } }
  }

  test('is paid only if nothing else has paid, by the time of its commit, since its link was made', async () => {
    const world = worldWith()
    world.onlyIfUnpaid = { since: noon, besides: null }
    await world.pay()
    assert.deepEqual(world.created[0]?.onlyIfUnpaid, { since: noon, besides: null })
  })

  test('is confirmed first, where another payment was made meanwhile', async () => {
    const world = worldWith()
    world.tooLate = 'paid_meanwhile'
    await payByLetter(paidMeanwhile(world, 2), letter)
    assert.equal(unchargedBy(world).after.actionWants, 'confirmation')
    assert.deepEqual([world.created.length, world.calls.length], [0, 0])
  })
})

describe('a letter that asks for what cannot be paid', () => {
  for (const [some, code] of [
    [{ active: false }, 'offer_inactive'],
    [{ expiresAt: noon }, 'offer_expired'],
    [{ stockLeft: 0 }, 'offer_used_up'],
    [{ email: 'bob@example.com' }, 'offer_for_another'],
  ] as const) {
    test(`fails with ${code}, proven or not, and is told`, async () => {
      for (const isProven of [true, false]) {
        const world = worldWith(some)
        await world.pay({ isProven })
        const { after, kind, mail, details } = unchargedBy(world)
        assert.deepEqual([after.status, after.failure?.code, kind, mail], ['Failed', code, 'error', 'error'])
        assert.equal(details.token.active, 'email' in some, 'no unit was taken, so none comes back')
      }
    })
  }

  test('at a gateway that is not active', async () => {
    const world = worldWith()
    const { gateway } = world.facts
    assert.ok(gateway !== null)
    world.facts = { ...world.facts, gateway: { ...gateway, active: false } }
    await world.pay()
    assert.equal(unchargedBy(world).after.failure?.code, 'gateway_inactive')
  })

  test('the last unit of which is sold meanwhile', async () => {
    const world = worldWith({ stockLeft: 1 })
    const { ports } = world
    const { store } = ports
    const create: typeof store.create = async newSale => {
      world.facts = { ...world.facts, offer: { ...offer, stockLeft: 0 } }
      return store.create(newSale)
    }
    await payByLetter({ ...world.letterPorts, store: { ...store, create } }, letter)
    assert.equal(unchargedBy(world).after.failure?.code, 'offer_used_up')
  })
})

describe('a payment that waits for its customer', () => {
  async function waiting(some: Partial<Offer> = {}): Promise<LetterWorld> {
    const world = worldWith(some)
    world.spent = { amountMinor: 0n, payments: 10 }
    await world.pay({ tokenSha256: 'cd'.repeat(32) })
    return world
  }
  const given = (world: LetterWorld) => ({
    ...{ merchantId, transactionId: world.sale.transaction.id, cardToken, entered: null, repetition: null },
    ...{ letter: null, onlyIfUnpaid: null },
  })

  test('goes on as the same transaction, takes its units and its token, and is asked about first', async () => {
    const world = await waiting({ stockLeft: 2 })
    world.facts = { ...world.facts, preSaleEndpoints: [endpoint] }
    world.preSaleAnswers = [answered(200)]
    const before = world.sale.transaction.id
    const sale = await goOn(world.ports, given(world))
    assert.deepEqual([sale?.transaction.id, sale?.transaction.status], [before, 'Successful'])
    assert.equal(world.askedPreSale.length, 1)
    assert.deepEqual(world.wentOn[0]?.uses, [{ boxSha256: 'cd'.repeat(32), customerId: customer.id }])
    assert.equal(world.facts.offer?.stockLeft, 1)
    assert.deepEqual([sale?.transaction.actionWants, sale?.transaction.actionMailTo], [null, null])
  })

  test('goes on once: whoever comes second changes nothing', async () => {
    const world = await waiting()
    const [first, second] = await Promise.all([goOn(world.ports, given(world)), goOn(world.ports, given(world))])
    assert.deepEqual([first?.transaction.status, second], ['Successful', null])
    assert.equal(await goOn(world.ports, given(world)), null)
    assert.equal(world.calls.length, 1)
  })

  test('does not go on when its time is over, the offer is sold, or the card cannot be charged', async () => {
    const late = await waiting()
    late.now = after(noon, wantedForMs)
    assert.equal(await goOn(late.ports, given(late)), null)
    const soldOut = await waiting({ stockLeft: 1 })
    soldOut.facts = { ...soldOut.facts, offer: { ...offer, stockLeft: 0 } }
    assert.equal(await goOn(soldOut.ports, given(soldOut)), null)
    const removed = await waiting()
    removed.facts = { ...removed.facts, card: { ...card, removedAt: noon } }
    assert.equal(await goOn(removed.ports, given(removed)), null)
    for (const world of [late, soldOut, removed]) assert.equal(world.calls.length, 0)
  })

  test('goes on by a copy of its mail that proves its sender, within the limits', async () => {
    const world = worldWith()
    await world.pay({ isProven: false })
    const { id } = world.sale.transaction
    world.twin = { ...copy, transactionId: id }
    await world.pay()
    assert.deepEqual([world.sale.transaction.id, world.sale.transaction.status], [id, 'Successful'])
    assert.deepEqual(world.wentOn[0]?.letter?.limits, world.limits)
    await world.pay()
    assert.deepEqual([world.closed, world.calls.length], [1, 1], 'once')
  })

  test('gives way to a copy that proves its sender and lacks something else, which is asked for anew', async () => {
    const world = worldWith()
    await world.pay({ isProven: false })
    const { id } = world.sale.transaction
    world.twin = { ...copy, transactionId: id }
    world.facts = { ...world.facts, card: null }
    await world.pay()
    const [ended] = world.commits
    assert.deepEqual([ended?.before.id, ended?.after.failure?.code, ended?.event?.mail], [id, 'asked_again', null])
    const { after: waits, event } = world.uncharged.at(-1) ?? assert.fail()
    assert.deepEqual([waits.actionWants, event.mail, world.calls.length], ['card', 'further_action', 0])
  })

  test('is not made by a copy of a mail that was refused, whatever that proved', async () => {
    const world = worldWith()
    world.twin = { ...copy, isRefused: true }
    await world.pay()
    assert.deepEqual([world.closed, world.uncharged.length, world.created.length], [1, 0, 0])
  })

  test('is not made by a copy that proves nothing, beside one that does', async () => {
    const world = worldWith()
    world.twin = { ...copy, isProven: true }
    await world.pay({ isProven: false })
    assert.deepEqual([world.closed, world.uncharged.length, world.created.length], [1, 0, 0])
  })

  test('whose offer ended meanwhile ends with its sender’s word, and they are told', async () => {
    const world = await waiting()
    world.facts = { ...world.facts, offer: { ...offer, active: false } }
    await world.pay({ tokenSha256: box, verifies: world.sale.transaction.id })
    const { after: ended, event } = world.commits.at(-1) ?? assert.fail()
    assert.deepEqual([ended.failure?.code, event?.kind, event?.mail], ['offer_inactive', 'error', 'error'])
    assert.deepEqual([world.closed, world.calls.length], [1, 0])
  })

  test('is confirmed by a link where the offer may have been paid meanwhile', async () => {
    const world = await waiting()
    world.isPaidBefore = true
    const before = world.sale.transaction.actionWants
    await world.pay({ tokenSha256: box, verifies: world.sale.transaction.id })
    assert.deepEqual([world.asked, world.calls.length], [[[before, 'confirmation']], 0])
  })

  test('is confirmed by a link where the word of its sender is not that of the mail’s link', async () => {
    const world = await waiting()
    const before = world.sale.transaction.actionWants
    await world.pay({ tokenSha256: box, verifies: world.sale.transaction.id, hasConsent: false })
    assert.deepEqual(world.asked, [[before, 'confirmation']])
    assert.deepEqual([world.closed, world.calls.length], [0, 0])
  })

  test('asks for a card by a link where the card of its sender is gone', async () => {
    const world = await waiting()
    const before = world.sale.transaction.actionWants
    world.facts = { ...world.facts, card: null }
    await world.pay({ tokenSha256: box, verifies: world.sale.transaction.id })
    assert.deepEqual([world.asked, world.closed, world.calls.length], [[[before, 'card']], 0, 0])
  })

  test('is confirmed by a link where something changed while it went on, and by none once it waits no more', async () => {
    const world = await waiting()
    const { id, actionWants: before } = world.sale.transaction
    world.tooLate = 'token_used'
    await world.pay({ tokenSha256: box, verifies: id })
    assert.deepEqual([world.asked, world.closed, world.calls.length], [[[before, 'confirmation']], 0, 0])
    world.whileRead = () => endUnwanted(world.ports, world.sale)
    await world.pay({ tokenSha256: box, verifies: id })
    assert.deepEqual([world.asked.length, world.closed, world.calls.length], [1, 1, 0])
  })

  test('goes on by the word of its own proven sender alone', async () => {
    for (const [some, charges] of [
      [{}, 1],
      [{ isProven: false }, 0],
      [{ sender: 'bob@example.com' }, 0],
    ] as const) {
      const world = await waiting()
      await world.pay({ tokenSha256: box, verifies: world.sale.transaction.id, ...some })
      assert.equal(world.calls.length, charges)
      assert.equal(world.closed, charges === 1 ? 0 : 1)
      assert.equal(world.sale.transaction.status, charges === 1 ? 'Successful' : 'Further Action Required')
      if (charges === 1) assert.deepEqual(world.wentOn[0]?.uses.at(-1), { boxSha256: box, customerId: customer.id })
    }
  })

  test('ends in time, without giving back what it never took, and without another mail', async () => {
    const world = await waiting({ stockLeft: 1 })
    world.now = after(noon, wantedForMs)
    await endUnwanted(world.ports, world.sale)
    const { after: ended, event, givesBackUnits } = world.commits.at(-1) ?? assert.fail()
    assert.deepEqual([ended.status, ended.failure?.code, ended.actionWants], ['Failed', 'action_expired', null])
    assert.deepEqual([event?.kind, event?.mail, givesBackUnits], ['error', null, undefined])
  })
})
