// What the deliverer needs of the world: the database's side of deliveries, the wire, the clock, and somebody who is told.

import type { Attempt, AttemptResult, Claiming, HeldDelivery, LaneName } from '../core/delivery.ts'
import type { ClaimId, DeliveryId, EndpointId, MerchantId, WorkerId } from '../core/ids.ts'
import type { WorkerStore } from './heart.ts'
import type { StrayWorld } from './strays.ts'

export interface DeliveryStore {
  readonly workers: WorkerStore
  /** Every lane with something to claim, and its earliest. */
  listLanes(): Promise<readonly (LaneName & { readonly dueAt: Date; readonly closed: 'paused' | 'deleted' | null })[]>
  claim(lane: LaneName, claiming: Claiming): Promise<HeldDelivery[]>
  /** Of this worker, in the database. */
  listClaims: StrayWorld<ClaimId>['list']
  endClaims(merchantId: MerchantId, ids: readonly ClaimId[]): Promise<void>
  /** Takes these out of their claims. */
  cutClaims(merchantId: MerchantId, claims: readonly ClaimId[], ids: readonly DeliveryId[]): Promise<void>
  /** What was born in this worker's hand. */
  listNewborn: StrayWorld<DeliveryId>['list']
  freeNewborn: StrayWorld<DeliveryId>['free']
  /** How one that waited in memory is to be sent now; null: its endpoint is closed, or somebody else has it. */
  findSending(held: HeldDelivery): Promise<Sending | null>
  /** Of a paused or deleted endpoint: a bounded number of them; how many. */
  setLaneAside(lane: LaneName, closed: 'paused' | 'deleted'): Promise<number>
  /** Mends what a process left half done that resumed or deleted an endpoint: a bounded number; how many. */
  mend(): Promise<number>
  /** The database could not be reached: it refused nothing. */
  isAway(error: unknown): boolean
  settle(
    merchantId: MerchantId,
    holder: WorkerId,
    results: readonly AttemptResult[],
  ): Promise<{
    readonly ids: readonly DeliveryId[]
    readonly paused: readonly { readonly endpointId: EndpointId; readonly url: string }[]
  }>
}

/** What a merchant can change while a delivery waits. */
export type Sending = Pick<HeldDelivery, 'url' | 'timeoutMs' | 'standardWebhooks' | 'sendsJson' | 'keyId'>

export interface DelivererWorld {
  readonly store: DeliveryStore
  readonly attempt: (held: HeldDelivery) => Promise<Attempt>
  /** Ends what is on the wire. */
  readonly cutOff: () => void
  /** Somebody waits for an answer of this process just now: it is to have time for them between hooks. */
  readonly isAwaited: () => boolean
  readonly now: () => Date
  readonly newWorkerId: () => WorkerId
  readonly newClaimId: () => ClaimId
  /** Tells the workers of other processes that there is something to claim. */
  readonly wakeOthers: () => void
  readonly observe: {
    attempted(held: HeldDelivery, attempt: Attempt): void
    /** After the last attempt of the schedule. */
    dropped(held: HeldDelivery): void
    paused(merchantId: MerchantId, endpoint: { readonly endpointId: EndpointId; readonly url: string }): void
    /** Results of deliveries that are not in this worker's hand any more: another has them, or they were written before. */
    tooLate(count: number): void
    freed(count: number): void
    failed(error: unknown): void
  }
}
