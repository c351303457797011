// One gateway account at the sandbox: the rules joined to the books and the vault. Both ways in, in the process and
// over HTTP, are this; they differ in how an answer travels.

import { createHmac, randomBytes } from 'node:crypto'
import type {
  CardDetails,
  CardReference,
  OperationKind,
  OperationRequest,
  RefusedCard,
  StoredCard,
} from '../../core/gateway.ts'
import type { OperationId, TransactionId } from '../../core/ids.ts'
import type { Currency } from '../../core/money.ts'
import type { Entry, SandboxBooks } from './books.ts'
import * as engine from './engine.ts'
import { cardRefusals, type NamedCard, testCardNamed, testCardOf } from './test-cards.ts'

export type LedgerState = 'succeeded' | 'declined' | 'waiting' | 'cancelled' | 'fenced'

/** One operation as it stands now. Text and no more, so that it reads the same in the process and over HTTP. */
export interface LedgerRow {
  readonly operationId: OperationId
  readonly transactionId: TransactionId
  readonly kind: OperationKind
  /** The charge that it is, or follows. */
  readonly chargeId: OperationId
  /** True for a charge that takes the money at once. */
  readonly capture: boolean
  readonly gatewayRef: string
  /** What moved or would have, in minor units, as decimal text. */
  readonly amountMinor: string
  readonly currency: Currency
  readonly state: LedgerState
}

export type ChallengeOutcome = 'settled' | 'not_waiting' | 'unknown'

/** What only a sandbox has: the customer's bank, and a look into the books. */
export interface SandboxControls {
  challenge(operationId: OperationId, result: engine.ChallengeResult): Promise<ChallengeOutcome>
  /** Operations in the order in which they were first booked. */
  ledger(): Promise<readonly LedgerRow[]>
}

export interface AccountOptions {
  readonly books: SandboxBooks
  readonly account: string
  /** Keys the cards' fingerprints: without it a fingerprint could be searched by trying every number. */
  readonly fingerprintKey: Uint8Array
}

export interface SandboxAccount {
  send(request: OperationRequest): Promise<engine.Sent>
  /** Null for the root where only the id is known: every book is searched, so that absent means absent. */
  lookup(operationId: OperationId, rootId: OperationId | null): Promise<engine.Found>
  /** False: the id stands under another charge. */
  fence(request: OperationRequest): Promise<boolean>
  challenge(operationId: OperationId, result: engine.ChallengeResult): Promise<boolean>
  storeCard(card: CardDetails | CardReference): Promise<StoredCard | RefusedCard>
  describeCard(cardRef: string): Promise<StoredCard | RefusedCard>
  removeCard(cardRef: string): Promise<void>
  ledger(): Promise<readonly LedgerRow[]>
}

export function openAccount({ books, account, fingerprintKey }: AccountOptions): SandboxAccount {
  return {
    async send(request) {
      const card = request.kind === 'charge' ? await books.card(account, request.cardRef) : null
      const behaviour = card?.behaviour ?? null
      const done = await books.transact(account, engine.rootOf(request), entries =>
        engine.send(entries, request, behaviour),
      )
      return done.kind === 'written' ? done.result : { answer: engine.takenConflict, travel: { kind: 'prompt' } }
    },
    async lookup(operationId, rootId) {
      if (rootId === null) return engine.lookup(await books.entries(account), operationId)
      const done = await books.transact(account, rootId, entries => ({
        append: [],
        result: engine.lookup(entries, operationId),
      }))
      return done.kind === 'written' ? done.result : { kind: 'absent' }
    },
    async fence(request) {
      const done = await books.transact(account, engine.rootOf(request), entries => engine.fence(entries, request))
      return done.kind === 'written'
    },
    async challenge(operationId, result) {
      // Only a charge is ever challenged, and a charge is its own root.
      const done = await books.transact(account, operationId, entries => engine.challenge(entries, operationId, result))
      return done.kind === 'written' && done.result
    },
    async storeCard(card) {
      const named = 'reference' in card ? testCardNamed(card.reference) : cardByNumber(card)
      if (named === null) {
        const sentence = 'reference' in card ? cardRefusals.reference : cardRefusals.unknownNumber
        return { kind: 'refused', sentence }
      }
      if (!isMonth(named.expiryMonth, named.expiryYear)) return { kind: 'refused', sentence: cardRefusals.expiry }
      const { behaviour, ...shown } = {
        ...named,
        cardRef: `card_${randomBytes(16).toString('base64url')}`,
        fingerprint: fingerprintOf(fingerprintKey, account, 'reference' in card ? card.reference : card.number),
      }
      await books.putCard(account, { ...shown, behaviour })
      return { kind: 'stored', ...shown }
    },
    async describeCard(cardRef) {
      const card = await books.card(account, cardRef)
      if (card === null) return { kind: 'refused', sentence: cardRefusals.unknownCard }
      const { behaviour: _, ...shown } = card
      return { kind: 'stored', ...shown }
    },
    removeCard: cardRef => books.removeCard(account, cardRef),
    ledger: async () => ledgerOf(await books.entries(account)),
  }
}

function cardByNumber({ number, expiryMonth, expiryYear }: CardDetails): NamedCard | null {
  const known = testCardOf(number)
  if (known === null) return null
  return { behaviour: known.behaviour, type: known.type, mask: number.slice(-4), expiryMonth, expiryYear }
}

function isMonth(month: number, year: number): boolean {
  const isBetween = (value: number, from: number, to: number): boolean =>
    Number.isInteger(value) && from <= value && value <= to
  return isBetween(month, 1, 12) && isBetween(year, 2000, 2199)
}

function fingerprintOf(key: Uint8Array, account: string, card: string): string {
  // The account is part of it: a fingerprint says nothing about a card in another account.
  return createHmac('sha256', key).update(`${account}\n${card}`).digest('hex')
}

const ledgerStates = {
  succeeded: 'succeeded',
  passed: 'succeeded',
  declined: 'declined',
  failed: 'declined',
  waiting: 'waiting',
  cancelled: 'cancelled',
  fenced: 'fenced',
} as const satisfies Record<Entry['step'], LedgerState>

function ledgerOf(entries: readonly Entry[]): LedgerRow[] {
  // A map keeps the place of a key's first entry and the value of its last.
  const last = new Map(entries.map(entry => [entry.operationId, entry]))
  return [...last.values()].map(entry => ({
    operationId: entry.operationId,
    transactionId: entry.transactionId,
    kind: entry.kind,
    chargeId: entry.rootId,
    capture: entry.capture,
    gatewayRef: engine.gatewayRefOf(entry),
    amountMinor: entry.bookedMinor.toString(),
    currency: entry.currency,
    state: ledgerStates[entry.step],
  }))
}
