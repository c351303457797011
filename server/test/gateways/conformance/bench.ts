// What a gateway's tests need: the gateway, cards that behave as named, and ways to ask.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import type {
  CardDetails,
  CardReference,
  ChargeRequest,
  EnteredCard,
  FollowUpRequest,
  Gateway,
  OperationRequest,
  Succeeded,
} from '../../../src/core/gateway.ts'
import type { OperationId, TransactionId } from '../../../src/core/ids.ts'
import type { Currency } from '../../../src/core/money.ts'

/** A card as this gateway takes it in: by its number, or by the name that its own fields gave it. */
export type BenchCard = CardDetails | (CardReference & ShownCard)
/** What may be shown of a card that comes by a name. */
export interface ShownCard {
  readonly mask: string
  readonly expiryMonth: number
  readonly expiryYear: number
}

/** A gateway to be tested, and what the tests need to know about it. */
export interface ConformanceBench {
  readonly gateway: Gateway
  readonly cards: {
    /** A plain card: whatever is asked of it succeeds. */
    readonly succeeding: BenchCard
    readonly declined: BenchCard
    /** A number that the gateway refuses to store. */
    readonly refused: BenchCard
    /** Null: the gateway has no such thing. */
    readonly challenged: BenchCard | null
  }
  /** Every text that may name a stored card at the gateway, or the object that it belongs to there. */
  readonly namesOf: (cardRef: string) => readonly string[]
  /** A card as a page passes it on, just entered; required where pages have fields for this gateway. */
  readonly enteredCard?: () => Promise<EnteredCard>
  /** The reference of a card that is in the vault and was not put there by this gateway's adapter. */
  readonly cardOfMerchant?: () => Promise<string>
  /** Plays the customer at the card's bank. */
  readonly challenge?: (charge: ChargeRequest, result: 'pass' | 'fail') => Promise<void>
  /** What the gateway does by itself in time, before a charge can be given back (a settlement overnight). */
  readonly settle?: (charge: ChargeRequest, gatewayRef: string) => Promise<void>
  /** Secrets of the account: they may stand in no outcome and in no note. */
  readonly secrets?: readonly string[]
  /** How many charges the gateway's own records hold for a transaction, where they can be read. */
  readonly chargesOf?: (transactionId: TransactionId) => Promise<number>
  /** For an adapter that crosses a network: the same adapter, turned to a peer that misbehaves. */
  readonly network?: {
    /** Nobody listens there. */
    readonly refusing: () => Promise<Gateway>
    /** Takes the request, and never answers. */
    readonly silent: () => Promise<Gateway>
    /** Takes the request, and resets the connection. */
    readonly resetting: () => Promise<Gateway>
    /** The gateway itself, over a line that holds up the first request, and delivers it when told to. */
    readonly delayed: () => Promise<{ readonly gateway: Gateway; deliver(): Promise<void> }>
  }
  /** What to ask for, so that the gateway takes another amount than it was asked for. */
  readonly otherAmount?: () => Promise<Partial<ChargeRequest>>
  close(): Promise<void>
}

export type OpenBench = () => Promise<ConformanceBench>
/** What a gateway may lack, and a promise may need to be tested. */
export type Need =
  | 'idempotency'
  | 'lookup'
  | 'fence'
  | '3-D Secure'
  | 'network'
  | 'wrong amounts'
  | 'cards of the merchant'
  | 'card fields'
/** The bench in use: what the gateway says is watched. */
export type BenchInUse = ConformanceBench & { readonly notes: readonly string[] }
export type Promised = (says: string, needs: readonly Need[], body: (bench: BenchInUse) => Promise<void>) => void

export function has(
  { gateway, cards, cardOfMerchant, challenge, network, otherAmount }: ConformanceBench,
  need: Need,
): boolean {
  switch (need) {
    case 'idempotency':
      return gateway.promises.idempotentForMs > 0
    case 'lookup':
      return gateway.promises.lookup
    case 'fence':
      return gateway.promises.fence
    case '3-D Secure':
      return cards.challenged !== null && challenge !== undefined
    case 'network':
      return network !== undefined
    case 'wrong amounts':
      return otherAmount !== undefined
    case 'cards of the merchant':
      return cardOfMerchant !== undefined
    case 'card fields':
      return gateway.cardFields.kind !== 'none'
  }
}

/** What a card is shown as. */
export function shownOf(card: BenchCard): ShownCard {
  const { expiryMonth, expiryYear } = card
  return { mask: 'number' in card ? card.number.slice(-4) : card.mask, expiryMonth, expiryYear }
}

/** The text that no answer may repeat. */
export function secretOf(card: BenchCard): string {
  return 'number' in card ? card.number : card.reference
}

export const inTime = (): AbortSignal => AbortSignal.timeout(30_000)
export const amountMinor = 25_00n

export async function chargeWith(
  gateway: Gateway,
  card: BenchCard,
  more: Partial<ChargeRequest> = {},
): Promise<ChargeRequest> {
  const stored = await gateway.storeCard(card, inTime())
  assert.equal(stored.kind, 'stored')
  return {
    kind: 'charge',
    id: randomUUID() as OperationId,
    transactionId: randomUUID() as TransactionId,
    amountMinor,
    currency: 'USD' as Currency,
    cardRef: stored.cardRef,
    capture: true,
    ...more,
  }
}

export function followUp(
  kind: FollowUpRequest['kind'],
  charge: ChargeRequest,
  done: Succeeded,
  ofMinor: bigint,
): FollowUpRequest {
  const { id: chargeId, transactionId, currency } = charge
  const id = randomUUID() as OperationId
  return { kind, id, transactionId, amountMinor: ofMinor, currency, chargeId, chargeRef: done.gatewayRef }
}

export async function mustSucceed(gateway: Gateway, request: OperationRequest): Promise<Succeeded> {
  const outcome = await gateway.send(request, inTime())
  assert.equal(outcome.kind, 'succeeded', inspect(outcome))
  return outcome
}

export async function mustBeDeclined(gateway: Gateway, request: FollowUpRequest, code: string): Promise<void> {
  assert.deepEqual(await gateway.send(request, inTime()), { kind: 'declined', code })
}
