// The world that the rules need, in memory: one merchant, its sales, a gateway that says what it is told to say, and a
// clock that stands still. The store refuses what the real one refuses: lost leases, old versions, broken constraints.

import assert from 'node:assert/strict'
import { withSentence } from '../../src/core/for-person.ts'
import type {
  Gateway,
  GatewayOutcome,
  GatewayPromises,
  LookupOutcome,
  OperationRequest,
  ReferenceOwner,
  ReportedDispute,
  Succeeded,
  Unknown,
} from '../../src/core/gateway.ts'
import type { EventId, GatewayId, OperationId, TransactionId } from '../../src/core/ids.ts'
import { type Json, withUnitsTaken } from '../../src/core/offer.ts'
import { type HeldOperation, isOpen, type Operation } from '../../src/core/operation.ts'
import type {
  Change,
  ChargeFacts,
  Committed,
  Created,
  EarlierRequest,
  FirstCommit,
  GoingOn,
  NewSale,
  Ports,
  PreSaleAnswer,
  PreSaleEndpoint,
  Recheck,
  Repetition,
  UnchargedBecause,
  UnchargedSale,
} from '../../src/core/ports.ts'
import { type Sale, withOperation } from '../../src/core/sale.ts'
import { brokenConstraint, card, customer, gatewayId, merchant, noon, offer, service, usd } from './sale-samples.ts'

export const hourMs = 3_600_000
export const allPromises: GatewayPromises = { idempotentForMs: 24 * hourMs, lookup: true, fence: true }

export function success(some: Partial<Succeeded> = {}): Succeeded {
  return { kind: 'succeeded', gatewayRef: 'gateway_1', amountMinor: 10_000n, currency: usd, feeMinor: null, ...some }
}
export const silence = { kind: 'unknown', cause: 'no answer' } as const
export const challenge = { kind: 'further_action', gatewayRef: 'gateway_1', action: 'three_d_secure' } as const

interface Call {
  readonly do: 'send' | 'lookup' | 'fence' | 'listUnderId' | 'checkReference'
  readonly request: OperationRequest
}

export const gatewayAccess = { type: 'test', credentialsSealed: new Uint8Array() }

export class FakeWorld {
  now = noon
  promises = allPromises
  facts: ChargeFacts = {
    merchant,
    offer,
    card,
    customer,
    gateway: { id: gatewayId, access: gatewayAccess, active: true, cardRef: card.cardRef },
    fallbacks: [],
    preSaleEndpoints: [],
  }
  /** What the gateway says next; the last is said again. */
  sends: GatewayOutcome[] = [success()]
  lookups: LookupOutcome[] = [{ kind: 'absent' }]
  fences = true
  /** Whose the gateway says that a reference is. */
  owner: ReferenceOwner = silence
  /** All that the gateway has carried out under the id of an operation. */
  underId: readonly Succeeded[] | Unknown = []
  notices: Gateway['notices'] = null
  /** What the adapter of this release would send. */
  wire: Json | null = null
  preSaleAnswers: PreSaleAnswer[] = []
  /** Of what the gateway was asked. */
  readonly deadlines = new Set<AbortSignal>()
  /** Happens before the next commit, once: what others do meanwhile. */
  meanwhile: (() => void) | null = null
  sending: (() => void) | null = null
  /** Whether other processes are at the open operations just now. */
  othersAreAtIt = false

  readonly calls: Call[] = []
  readonly opened: GatewayId[] = []
  readonly created: NewSale[] = []
  readonly uncharged: UnchargedSale[] = []
  readonly wentOn: GoingOn[] = []
  /** What the next first commit of a letter finds too late. */
  tooLate: UnchargedBecause | null = null
  readonly commits: Change[] = []
  readonly refusedCommits: Committed[] = []
  readonly alerts: string[] = []
  readonly notSent: string[] = []
  readonly released: { readonly id: OperationId; readonly nextAskAt: Date; readonly cause: string }[] = []
  readonly rechecks: Recheck[] = []
  readonly kept: { readonly operation: Operation; readonly sentence: string }[] = []
  readonly askedPreSale: { readonly endpoints: readonly PreSaleEndpoint[]; readonly details: string }[] = []
  readonly earlier = new Map<string, EarlierRequest>()
  readonly #sales = new Map<TransactionId, Sale>()
  readonly #leases = new Map<OperationId, number>()
  #ids = 0

  get ports(): Ports {
    return {
      store: {
        chargeFacts: async () => this.facts,
        create: async newSale => this.#create(newSale),
        createUncharged: async uncharged => this.#createUncharged(uncharged),
        goOn: async going => this.#goOn(going),
        commit: async change => this.#commit(change),
        load: async (_, id) => this.#sales.get(id) ?? null,
        loadForCustomer: async (_, id) => this.#sales.get(id) ?? null,
        findEarlier: async (_, repetition) => this.earlier.get(keyOf(repetition)) ?? null,
        claimOperation: async operation => (this.othersAreAtIt ? null : this.claim(operation)),
        countSending: async held => this.#countSending(held),
        releaseOperation: async (held, next) => void this.released.push({ id: held.id, ...next }),
        recordRecheck: async (held, recheck) => this.#recordRecheck(held, recheck),
        keepContrary: async (operation, sentence) =>
          this.#wasDecided(operation) &&
          this.#isNews(operation, sentence) &&
          this.kept.push({ operation, sentence }) > 0,
        keepForPerson: async (operation, sentence) =>
          this.#isNews(operation, sentence) && this.kept.push({ operation, sentence }) > 0,
        keepLateSuccess: async (operation, sentence) =>
          this.#isNews(operation, sentence) && this.kept.push({ operation, sentence }) > 0,
      },
      service,
      now: () => this.now,
      newTransactionId: () => this.#newId<TransactionId>('transaction'),
      newOperationId: () => this.#newId<OperationId>('operation'),
      newEventId: () => this.#newId<EventId>('event'),
      openGateway: async (_, id) => {
        this.opened.push(id)
        return this.gateway
      },
      askPreSale: async (_, endpoints, details, askBy) => {
        if (askBy.aborted) return null
        this.askedPreSale.push({ endpoints, details })
        return this.preSaleAnswers
      },
      alert: sentence => void this.alerts.push(sentence),
      notSent: ({ id, cause }, code) => void this.notSent.push(`${id} ${code}: ${cause}`),
    }
  }

  get gateway(): Gateway {
    const said = <Said>(list: Said[]): Said =>
      (list.length > 1 ? list.shift() : list[0]) ?? assert.fail('nothing to say')
    return {
      promises: this.promises,
      prepare: () => this.wire,
      send: async (request, _, note) => {
        this.calls.push({ do: 'send', request })
        this.sending?.()
        const outcome = said(this.sends)
        note?.(`send -> ${outcome.kind}`)
        return outcome
      },
      lookup: async (request, signal, note) => {
        this.deadlines.add(signal)
        this.calls.push({ do: 'lookup', request })
        const found = said(this.lookups)
        note?.(`lookup -> ${found.kind}`)
        return found
      },
      fence: async (request, signal, note) => {
        this.deadlines.add(signal)
        this.calls.push({ do: 'fence', request })
        note?.(`fence -> ${this.fences}`)
        return this.fences
      },
      listUnderId: async (request, signal) => {
        this.deadlines.add(signal)
        this.calls.push({ do: 'listUnderId', request })
        return this.underId
      },
      checkReference: async (request, _, __, note) => {
        this.calls.push({ do: 'checkReference', request })
        note?.(`reference -> ${this.owner.kind}`)
        return this.owner
      },
      cardFields: { kind: 'none' },
      storeCard: () => assert.fail(),
      describeCard: () => assert.fail(),
      removeCard: () => assert.fail(),
      removeOwnCard: () => assert.fail(),
      customerStep: null,
      notices: this.notices,
      list: () => assert.fail(),
      close: () => {},
    }
  }

  /** Puts a sale there as somebody else left it; its operations are held under this number. */
  put(sale: Sale, leaseNo = 1): Sale {
    this.#sales.set(sale.transaction.id, sale)
    for (const { id } of sale.operations) this.#leases.set(id, leaseNo)
    return sale
  }

  get sale(): Sale {
    const [only, ...others] = this.#sales.values()
    assert.ok(only !== undefined && others.length === 0, 'one sale')
    return only
  }

  /** Another process takes an operation over, and may settle it its own way. */
  takeOver(some: Partial<Operation> = {}, transaction: Partial<Sale['transaction']> = {}): void {
    const sale = this.sale
    const operation = sale.operations.at(-1) ?? assert.fail('no operation')
    this.#leases.set(operation.id, (this.#leases.get(operation.id) ?? 0) + 1)
    const version = sale.transaction.version + 1
    const moved = { ...sale, transaction: { ...sale.transaction, ...transaction, version } }
    this.#sales.set(sale.transaction.id, withOperation(moved, { ...operation, ...some }))
  }

  /** Another commit of the same transaction goes first. */
  change(transaction: Partial<Sale['transaction']>): void {
    const sale = this.sale
    const version = sale.transaction.version + 1
    this.#sales.set(sale.transaction.id, { ...sale, transaction: { ...sale.transaction, ...transaction, version } })
  }

  /** As the sweeper gets it: the lease taken over, the number raised. */
  claim(one?: Operation): HeldOperation {
    const { operations } = this.sale
    const operation = operations.find(({ id }) => id === one?.id) ?? operations.at(-1) ?? assert.fail('no operation')
    const leaseNo = (this.#leases.get(operation.id) ?? 0) + 1
    this.#leases.set(operation.id, leaseNo)
    return { ...operation, leaseNo }
  }

  get eventsSaid(): { readonly kind: string; readonly type: string }[] {
    return this.commits.flatMap(({ event }) => (event === undefined ? [] : [{ kind: event.kind, type: event.type }]))
  }

  get lastDetails(): { [name: string]: unknown } {
    return JSON.parse(this.commits.at(-1)?.event?.details ?? assert.fail('no event'))
  }

  #wasDecided({ id }: Operation): boolean {
    return this.commits.some(({ resolution: said }) => said?.operationId === id && said.verdict === 'succeeded')
  }

  #isNews({ id }: Operation, sentence: string): boolean {
    return !this.commits.some(({ resolution: said }) => said?.operationId === id && said.answers === sentence)
  }

  #newId<Id extends string>(what: string): Id {
    this.#ids += 1
    return `${what}_${String(this.#ids).padStart(4, '0')}` as Id
  }

  #createUncharged(uncharged: UnchargedSale): 'created' {
    assert.equal(brokenConstraint(uncharged.after), null)
    this.uncharged.push(uncharged)
    this.#sales.set(uncharged.after.id, { ...uncharged.sale, transaction: { ...uncharged.after, version: 2 } })
    return 'created'
  }

  #goOn(going: GoingOn): Created | 'stale' {
    const { before, first } = going
    const { tooLate } = this
    this.tooLate = null
    if (tooLate !== null) return tooLate
    if (this.#sales.get(before.id)?.transaction.version !== before.version) return 'stale'
    assert.equal(brokenConstraint(first.sale.transaction), null)
    assert.equal(first.sale.transaction.version, before.version + 1)
    this.wentOn.push(going)
    return this.#begin(first)
  }

  #create(newSale: NewSale): Created {
    const { tooLate } = this
    this.tooLate = null
    if (tooLate !== null) return tooLate
    const begun = this.#begin(newSale)
    if (begun === 'begun') this.created.push(newSale)
    return begun
  }

  #begin({ sale, operation }: FirstCommit): 'begun' | 'sold_out' {
    const left = this.facts.offer?.stockLeft ?? null
    if (left !== null && left < sale.transaction.quantity) return 'sold_out'
    assert.equal(brokenConstraint(sale.transaction), null)
    if (this.facts.offer !== null) {
      this.facts = { ...this.facts, offer: withUnitsTaken(this.facts.offer, sale.transaction.quantity) }
    }
    const stored = { ...sale, offer: this.facts.offer ?? sale.offer }
    this.#sales.set(sale.transaction.id, stored)
    if (operation !== null) this.#leases.set(operation.id, 1)
    return 'begun'
  }

  #commit(change: Change): Committed {
    const { meanwhile } = this
    this.meanwhile = null
    meanwhile?.()
    const refused = this.#whyNot(change)
    if (refused !== null) {
      this.refusedCommits.push(refused)
      return refused
    }
    assert.equal(brokenConstraint(change.after), null)
    this.commits.push(change)
    const { before, after, begins, settles, revises, reported = [], dispute } = change
    const transaction = { ...after, version: before.version + 1 }
    let sale: Sale = { ...(this.#sales.get(before.id) ?? assert.fail()), transaction }
    if (begins !== undefined) {
      sale = withOperation(sale, begins.operation)
      this.#leases.set(begins.operation.id, 1)
    }
    if (settles !== undefined) sale = withOperation(sale, settles.operation)
    if (revises !== undefined) sale = withOperation(sale, revises.operation)
    sale = reported.reduce(withOperation, sale)
    if (dispute !== undefined) sale = withDispute(sale, dispute)
    this.#sales.set(before.id, sale)
    return 'committed'
  }

  #whyNot({ before, begins, settles, revises, reported = [] }: Change): Committed | null {
    const sale = this.#sales.get(before.id) ?? assert.fail('no such transaction')
    if (settles !== undefined && !this.#maySettle(settles)) return 'lease_lost'
    const stands = sale.operations.find(({ id }) => id === revises?.before.id)
    if (stands?.outcome !== revises?.before.outcome) return 'lease_lost'
    if (stands?.forPerson !== revises?.before.forPerson) return 'lease_lost'
    if (stands?.moreForPerson.join() !== revises?.before.moreForPerson.join()) return 'lease_lost'
    if (stands?.gatewayRef !== revises?.before.gatewayRef) return 'lease_lost'
    if (sale.transaction.version !== before.version || sale.transaction.status !== before.status) return 'stale'
    if (begins?.operation.kind === 'charge' && hasCharge(sale, settles?.operation)) return 'lease_lost'
    const isOther = (kind: string) => kind === 'capture' || kind === 'void'
    const taken = sale.operations.some(one => isOther(one.kind) && (isOpen(one) || one.outcome === 'succeeded'))
    const isSame = (one: Operation) => (other: Operation) =>
      other.kind === 'refund' && other.gatewayRef === one.gatewayRef
    if (reported.some(one => one.kind === 'refund' && sale.operations.some(isSame(one)))) return 'repeated'
    const written = [...reported, ...(begins === undefined ? [] : [begins.operation])]
    return written.some(({ kind }) => isOther(kind)) && taken ? 'operation_open' : null
  }

  /** A success is proof, whoever brings it. */
  #maySettle({ held, operation }: NonNullable<Change['settles']>): boolean {
    return operation.outcome === 'succeeded' ? this.#isOpen(held) : this.#holds(held)
  }

  #holds(held: HeldOperation): boolean {
    return this.#isOpen(held) && this.#leases.get(held.id) === held.leaseNo
  }

  #isOpen(held: Operation): boolean {
    const now = this.#sales.get(held.transactionId)?.operations.find(({ id }) => id === held.id)
    return now !== undefined && isOpen(now)
  }

  #recordRecheck(held: HeldOperation, recheck: Recheck): boolean {
    const sale = this.#sales.get(held.transactionId) ?? assert.fail()
    const now = sale.operations.find(({ id }) => id === held.id) ?? assert.fail()
    if (this.#leases.get(held.id) !== held.leaseNo || now.outcome !== held.outcome) return false
    this.rechecks.push(recheck)
    const { nextAskAt, forPerson } = recheck
    const isNews = forPerson !== null && this.#isNews(now, forPerson)
    const listed = isNews ? withSentence(now, now.kind, forPerson) : null
    this.#sales.set(held.transactionId, withOperation(sale, { ...now, ...listed, asks: held.asks, nextAskAt }))
    return listed !== null
  }

  #countSending(held: HeldOperation): boolean {
    if (!this.#holds(held)) return false
    const sale = this.#sales.get(held.transactionId) ?? assert.fail()
    const { leaseNo: _, ...operation } = held
    const now = sale.operations.find(({ id }) => id === held.id) ?? assert.fail()
    this.#sales.set(held.transactionId, withOperation(sale, { ...now, sendings: operation.sendings }))
    return true
  }
}

function withDispute(sale: Sale, dispute: ReportedDispute): Sale {
  const others = sale.disputes.filter(({ gatewayRef }) => gatewayRef !== dispute.gatewayRef)
  return { ...sale, disputes: [...others, dispute] }
}

/** Once this operation is settled: one that is open, or made. */
function hasCharge(sale: Sale, settled?: Operation): boolean {
  const { operations } = settled === undefined ? sale : withOperation(sale, settled)
  return operations.some(one => one.kind === 'charge' && (isOpen(one) || one.outcome === 'succeeded'))
}

export function keyOf({ operation, key }: Repetition): string {
  return `${operation} ${key}`
}
