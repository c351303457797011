// One gateway exchange after another, each failing at another byte, until the whole exchange is gone through. The rules
// are the real ones on a store in memory, the adapter and the sockets are real, and in the end two ledgers are compared.

import assert from 'node:assert/strict'
import { chargeOffer } from '../../src/core/charge.ts'
import { chargeRollsForwardForMs } from '../../src/core/doubt.ts'
import { followUp } from '../../src/core/follow-up.ts'
import type { Gateway, OperationKind } from '../../src/core/gateway.ts'
import type { CardToken, MerchantId, OfferId, OperationId, TransactionId } from '../../src/core/ids.ts'
import { isOpen } from '../../src/core/operation.ts'
import type { Ports } from '../../src/core/ports.ts'
import { askAgain } from '../../src/core/recover.ts'
import { balanceMinor } from '../../src/core/transaction.ts'
import { type Counted, type CuttingProxy, type Fault, openCuttingProxy, type Way } from './cutting-proxy.ts'
import { FakeWorld } from './fake-world.ts'

/** A gateway at the other end of a line that can be cut. */
export interface FarEnd {
  readonly port: number
  /** A new card there; its name in the vault. */
  card(): Promise<string>
  /** The adapter, turned to a port of this machine. */
  open(port: number): Gateway
  /** What the gateway itself says that it holds or has taken, less what it gave back; it throws where it charged twice. */
  balanceOf(transactionId: TransactionId, chargeId: OperationId): Promise<bigint> | bigint
  /** What the gateway does by itself in time, before a charge can be given back. */
  settle?(transactionId: TransactionId): Promise<void> | void
  close(): Promise<void>
}

export interface Case {
  readonly kind: OperationKind
  readonly way: Way
  readonly atByte: number
  /** `die`: the line is reset, and the process ends with it: nothing of the answer is kept. */
  readonly fault: Fault | 'die'
}

/** So long a held request is waited for. */
const impatientMs = 40
const asksMax = 10
class Death extends Error {}

/** A few at a time: each lane has a line and an adapter of its own. */
const lanes = 16
/** A gateway that has seen many payments is slower to ask; a fresh one takes over then. */
const casesPerGateway = 400

export async function goThrough(open: () => Promise<FarEnd>, cases: readonly Case[]): Promise<void> {
  for (let from = 0; from < cases.length; from += casesPerGateway) {
    const left = cases.slice(from, from + casesPerGateway).values()
    await withFarEnd(open, far => Promise.all(Array.from({ length: lanes }, () => runLane(far, left))))
  }
}

async function runLane(far: FarEnd, cases: Iterable<Case>): Promise<void> {
  const cardRef = await far.card()
  await withLine(far, async (proxy, adapter) => {
    for (const each of cases) await goWrong(far, proxy, openShop(far, adapter, cardRef), each)
  })
}

/** What an exchange of this kind has each way, when nothing goes wrong. */
export async function measured(
  open: () => Promise<FarEnd>,
  kind: OperationKind,
): Promise<{ readonly [way in Way]: Counted }> {
  return withFarEnd(open, far =>
    withLine(far, async (proxy, adapter) => {
      const shop = openShop(far, adapter, await far.card())
      await shop.prepare(kind)
      proxy.disarm()
      await shop.ask(kind)
      assert.ok(!shop.sale.operations.some(isOpen), 'an exchange on a good line leaves nothing open')
      return proxy.counted
    }),
  )
}

async function withFarEnd<Result>(
  open: () => Promise<FarEnd>,
  work: (far: FarEnd) => Promise<Result>,
): Promise<Result> {
  const far = await open()
  try {
    return await work(far)
  } finally {
    await far.close()
  }
}

async function withLine<Result>(
  far: FarEnd,
  work: (proxy: CuttingProxy, adapter: Gateway) => Promise<Result>,
): Promise<Result> {
  const proxy = await openCuttingProxy(far.port)
  const adapter = far.open(proxy.port)
  try {
    return await work(proxy, adapter)
  } finally {
    adapter.close()
    await proxy.close()
  }
}

async function goWrong(far: FarEnd, proxy: CuttingProxy, shop: Shop, each: Case): Promise<void> {
  const { kind, way, atByte, fault } = each
  await shop.prepare(kind)
  shop.dies = fault === 'die'
  shop.impatient = fault === 'hold'
  proxy.arm(way, atByte, fault === 'die' ? 'reset' : fault)
  await shop.ask(kind).catch(error => assert.ok(error instanceof Death, error))
  shop.impatient = false
  proxy.disarm()
  // Where nothing keeps a late one out, it must not come later than the last look.
  if (!shop.hasFence) await proxy.deliver()
  // Every other one is asked about only when it is too late to send it again, and the gateway has to be fenced.
  if (atByte % 2 === 1) shop.pass(chargeRollsForwardForMs)
  await shop.settle()
  await proxy.deliver()
  const { transaction, operations } = shop.sale
  const said = `${kind}, ${fault} at byte ${atByte} of the ${way}: ${transaction.status}`
  const doubt = operations.find(isOpen)
  // What no look found waits for a person, who finds nothing there either: what we hold is what they hold.
  if (doubt !== undefined) assert.ok(!shop.hasFence && doubt.forPerson !== null, `${said}, still open`)
  const chargeId = operations[0]?.id ?? assert.fail('no charge')
  assert.equal(await far.balanceOf(transaction.id, chargeId), balanceMinor(transaction), said)
}

let ids = 0
/** Ids that grow, as the real ones do. */
function nextId(): string {
  ids += 1
  return `01900000-0000-7000-8000-${ids.toString(16).padStart(12, '0')}`
}

type Shop = ReturnType<typeof openShop>

function openShop(far: FarEnd, adapter: Gateway, cardRef: string) {
  const world = new FakeWorld()
  const { card, offer } = world.facts
  assert.ok(card !== null && offer !== null)
  world.facts = { ...world.facts, card: { ...card, cardRef } }
  world.promises = adapter.promises
  const shop = {
    hasFence: adapter.promises.fence,
    /** At the next sending. */
    dies: false,
    impatient: false,
    get sale() {
      return world.sale
    },
    /** What must be there before an operation of this kind. */
    async prepare(kind: OperationKind) {
      if (kind === 'charge') return
      await charge(kind !== 'refund')
      assert.ok(['Successful', 'Authorized'].includes(world.sale.transaction.status), world.sale.transaction.status)
      if (kind === 'refund') await far.settle?.(world.sale.transaction.id)
    },
    ask: (kind: OperationKind) => (kind === 'charge' ? charge(false) : follow(kind)),
    pass(ms: number) {
      world.now = new Date(world.now.getTime() + ms)
    },
    /** As the sweeper does it: whenever an ask falls due, until it is settled or a person's. */
    async settle() {
      for (let asks = 0; ; asks += 1) {
        const open = world.sale.operations.find(isOpen)
        if (open === undefined || open.forPerson !== null) return
        assert.ok(asks < asksMax, 'asked without end')
        world.now = new Date(Math.max(world.now.getTime(), open.nextAskAt?.getTime() ?? 0))
        // What three looks did not find, seventy more would not: the rest of the time for asking passes at once.
        if (asks === 3) shop.pass(3 * 86_400_000)
        await askAgain(ports, world.sale, world.claim())
      }
    },
  }
  const gateway: Gateway = {
    ...adapter,
    async send(request, signal, note) {
      const outcome = await adapter.send(request, shop.impatient ? AbortSignal.timeout(impatientMs) : signal, note)
      if (!shop.dies) return outcome
      shop.dies = false
      throw new Death()
    },
  }
  const ports: Ports = {
    ...world.ports,
    newTransactionId: () => nextId() as TransactionId,
    newOperationId: () => nextId() as OperationId,
    openGateway: async () => gateway,
  }
  const merchantId = 'm_1' as MerchantId
  const charge = (authorizationOnly: boolean) =>
    chargeOffer(ports, {
      merchantId,
      offerId: offer.id as OfferId,
      cardToken: card.token as CardToken,
      quantity: 1,
      authorizationOnly,
      referrerContext: null,
      entered: null,
      source: 'Web Transaction',
      repetition: null,
    })
  const follow = (kind: Exclude<OperationKind, 'charge'>) =>
    followUp(ports, {
      merchantId,
      transactionId: world.sale.transaction.id,
      kind,
      amount: null,
      refundedBy: null,
      refundedReason: null,
      repetition: null,
    })
  return shop
}
