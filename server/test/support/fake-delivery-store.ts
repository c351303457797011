// The deliveries of a database in memory, with holders, claims and closed lanes as the SQL has them.

import type { AttemptResult, Claiming, HeldDelivery, LaneName, Outbox } from '../../src/core/delivery.ts'
import type { ClaimId, DeliveryId, EndpointId, MerchantId, WorkerId } from '../../src/core/ids.ts'
import type { DeliveryStore, Sending } from '../../src/hooks/deliverer-world.ts'
import { heldFor, noon } from './delivery-samples.ts'

export interface FakeRow {
  held: HeldDelivery
  holder: WorkerId | null
  /** What it was taken up by. */
  claimId: ClaimId | null
  dueAt: Date | null
  parked: boolean
  attempts: number
}

const bite = 10

export class FakeStore implements DeliveryStore {
  readonly rows = new Map<DeliveryId, FakeRow>()
  readonly closed = new Map<EndpointId, 'paused' | 'deleted'>()
  readonly living = new Map<WorkerId, bigint>()
  /** The most that were in hand at the same time. */
  heldMax = 0
  looks = 0
  claims = 0

  readonly workers = {
    register: async (id: WorkerId) => void this.living.set(id, 0n),
    beat: async (id: WorkerId) => {
      const beats = this.living.get(id)
      if (beats !== undefined) this.living.set(id, beats + 1n)
      return beats !== undefined
    },
    list: async () => [...this.living].map(([id, beats]) => ({ id, beats })),
    bury: async ({ id, beats }: { id: WorkerId; beats: bigint }) => {
      if (this.living.get(id) === beats) this.living.delete(id)
    },
    retire: async (id: WorkerId) => void this.living.delete(id),
    findDeadHolders: async () =>
      [...this.rows.values()].flatMap(({ holder, held: { merchantId } }) =>
        holder === null || this.living.has(holder) ? [] : [{ holder, merchantId }],
      ),
    free: async (merchantId: MerchantId, holder: WorkerId) => {
      const own = this.#where(row => row.holder === holder && row.held.merchantId === merchantId).slice(0, bite)
      for (const row of own) this.#free(row)
      for (const [id, claim] of this.inClaims) if (claim.holder === holder) this.inClaims.delete(id)
      return own.length
    },
  }

  owe(endpoint: string, count: number, dueAt = noon): FakeRow[] {
    return Array.from({ length: count }, () => this.#insert(endpoint, null, dueAt))
  }

  /** A charge of this process commits, and hands over. */
  bear(outbox: Outbox, endpoint: string): FakeRow {
    const row = this.commit(outbox, endpoint)
    outbox.born(row.holder === null ? [] : [{ ...row.held }], row.holder === null)
    return row
  }

  /** The commit alone. */
  commit(outbox: Outbox, endpoint: string): FakeRow {
    const { merchantId, endpointId } = heldFor(endpoint)
    const isFull = outbox.fullLanes(merchantId).includes(endpointId)
    return this.#insert(endpoint, isFull ? null : outbox.holder(), noon)
  }

  #insert(endpoint: string, holder: WorkerId | null, dueAt: Date): FakeRow {
    const held = heldFor(endpoint, { ...(holder !== null && { holder }) })
    const row = { held, holder, claimId: null, dueAt, parked: false, attempts: 0 }
    this.rows.set(held.id, row)
    return row
  }

  #where(isMeant: (row: FakeRow) => boolean): FakeRow[] {
    return [...this.rows.values()].filter(isMeant)
  }

  #free(row: FakeRow): void {
    row.holder = null
    row.claimId = null
  }

  get held(): FakeRow[] {
    return this.#where(({ holder }) => holder !== null)
  }

  get areAllDelivered(): boolean {
    return this.#where(({ held }) => held.state !== 'delivered').length === 0
  }

  get pending(): FakeRow[] {
    return this.#where(({ held }) => held.state === 'pending')
  }

  async listLanes() {
    this.looks += 1
    const lanes = new Map<EndpointId, LaneName & { dueAt: Date; closed: 'paused' | 'deleted' | null }>()
    for (const { held, holder, dueAt, parked } of this.rows.values()) {
      if (dueAt === null || holder !== null || parked) continue
      const { merchantId, endpointId } = held
      const known = lanes.get(endpointId)
      if (known !== undefined && known.dueAt <= dueAt) continue
      lanes.set(endpointId, { merchantId, endpointId, dueAt, closed: this.closed.get(endpointId) ?? null })
    }
    return [...lanes.values()]
  }

  async claim({ merchantId, endpointId }: LaneName, { id, holder, now, limit, goesOn }: Claiming) {
    this.claims += 1
    const ofLane = this.#where(row => row.held.endpointId === endpointId)
    const ends = [...this.inClaims.values()].map(claim => (claim.endpointId === endpointId ? claim.end : 0))
    const end = goesOn ? Math.max(0, ...ends) : 0
    const due = ofLane
      .slice(end)
      .filter(row => row.dueAt !== null && row.dueAt <= now && row.holder === null && !row.parked)
    const taken = this.closed.has(endpointId) ? [] : due.slice(0, limit)
    for (const row of taken) {
      Object.assign(row, { holder, claimId: id })
      row.held = { ...row.held, holder, claimId: id, attempts: row.attempts }
    }
    const last = taken.at(-1)
    if (last !== undefined) this.inClaims.set(id, { merchantId, endpointId, holder, end: ofLane.indexOf(last) + 1 })
    this.heldMax = Math.max(this.heldMax, this.held.length)
    return taken.map(({ held }) => ({ ...held }))
  }

  /** What the merchant changed since. */
  readonly changed = new Map<EndpointId, Partial<Sending>>()

  async findSending({ id, holder, claimId, endpointId }: HeldDelivery) {
    const row = this.rows.get(id)
    if (row === undefined || row.holder !== holder || row.claimId !== claimId) return null
    if (this.closed.has(endpointId)) return null
    const { url, timeoutMs, standardWebhooks, sendsJson, keyId } = row.held
    return { url, timeoutMs, standardWebhooks, sendsJson, keyId, ...this.changed.get(endpointId) }
  }

  async setLaneAside({ endpointId }: LaneName, closed: 'paused' | 'deleted') {
    const waiting = this.#where(
      row => row.held.endpointId === endpointId && row.dueAt !== null && row.holder === null && !row.parked,
    )
    for (const row of waiting.slice(0, bite)) {
      if (closed === 'paused') row.parked = true
      else Object.assign(row, { dueAt: null, held: { ...row.held, state: 'canceled' } })
    }
    return Math.min(bite, waiting.length)
  }

  async mend() {
    const inVain = this.#where(row => row.parked && !this.closed.has(row.held.endpointId)).slice(0, bite)
    for (const row of inVain) row.parked = false
    return inVain.length
  }

  isAway(error: unknown) {
    return error instanceof Error && error.message === 'away'
  }

  async settle(_: MerchantId, holder: WorkerId, results: readonly AttemptResult[]) {
    const ids: DeliveryId[] = []
    for (const { held, after } of results) {
      const row = this.rows.get(held.id)
      if (row === undefined || row.holder !== holder || row.claimId !== held.claimId) continue
      const { dueAt, ...schedule } = after
      row.held = { ...row.held, ...schedule }
      Object.assign(row, { holder: null, claimId: null, dueAt, attempts: row.attempts + 1 })
      ids.push(held.id)
    }
    return { ids, paused: [] as { endpointId: EndpointId; url: string }[] }
  }

  async listNewborn(holder: WorkerId) {
    const own = this.#where(row => row.holder === holder && row.claimId === null)
    return own.map(({ held: { merchantId, id } }) => ({ merchantId, id, count: 1 }))
  }

  async freeNewborn(_: MerchantId, holder: WorkerId, ids: readonly DeliveryId[]) {
    for (const row of this.#where(each => each.holder === holder && ids.includes(each.held.id))) this.#free(row)
  }

  /** Those that were not ended. `end`: behind the last that was taken up, in the order of the lane. */
  readonly inClaims = new Map<ClaimId, LaneName & { readonly holder: WorkerId; readonly end: number }>()

  async listClaims(holder: WorkerId) {
    const own = [...this.inClaims].filter(([, claim]) => claim.holder === holder)
    return own.map(([id, { merchantId }]) => ({
      ...{ merchantId, id },
      count: this.#where(({ claimId }) => claimId === id).length,
    }))
  }

  async endClaims(_: MerchantId, ids: readonly ClaimId[]) {
    for (const id of ids) this.inClaims.delete(id)
    for (const row of this.#where(({ claimId }) => claimId !== null && ids.includes(claimId))) this.#free(row)
  }

  async cutClaims(_: MerchantId, __: readonly ClaimId[], ids: readonly DeliveryId[]) {
    for (const row of this.#where(({ held }) => ids.includes(held.id))) this.#free(row)
  }
}
