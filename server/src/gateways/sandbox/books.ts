// Where the sandbox writes what it did. A book holds the entries of one root: a charge and everything that follows it.
// Everything is plain rows, so that a database can keep them; this file has the version in memory.

import type { CardType, DeclineCode, OperationKind } from '../../core/gateway.ts'
import type { OperationId, TransactionId } from '../../core/ids.ts'
import type { Currency } from '../../core/money.ts'
import type { BehaviourName } from './test-cards.ts'

/** How an operation begins. `waiting` is for 3-D Secure; `fenced` is a tombstone, and nothing ever happens under it. */
export type FirstStep = 'succeeded' | 'declined' | 'waiting' | 'fenced'
/** How waiting ends. */
export type LaterStep = 'passed' | 'failed' | 'cancelled'
export type Step = FirstStep | LaterStep

/** One step of one operation. The last entry of an operation tells its state: each entry repeats the facts. */
export interface Entry {
  /** The charge's operation id, for a charge as for what follows it. */
  readonly rootId: OperationId
  readonly operationId: OperationId
  /** 0, 1, … within the operation. */
  readonly seq: number
  readonly step: Step
  readonly transactionId: TransactionId
  readonly kind: OperationKind
  /** True for a charge that takes the money at once. */
  readonly capture: boolean
  readonly cardRef: string | null
  readonly askedMinor: bigint
  /** What moved, or would have: differs from what was asked where the sandbox is told to be wrong. */
  readonly bookedMinor: bigint
  readonly currency: Currency
  /** Set for `declined`, null for every other step. */
  readonly code: DeclineCode | null
}

/** A card without its number: what it does, and what may be shown of it. */
export interface VaultCard {
  readonly cardRef: string
  readonly behaviour: BehaviourName
  readonly mask: string
  readonly type: CardType
  readonly expiryMonth: number
  readonly expiryYear: number
  readonly fingerprint: string
}

export interface Draft<T> {
  readonly append: readonly Entry[]
  readonly result: T
}
/** Taken: an operation id that `append` would begin stands under another root of the account; nothing was written. */
export type Transacted<T> = { readonly kind: 'written'; readonly result: T } | { readonly kind: 'taken' }

/** An account is one gateway account. Ids of one account mean nothing in another. */
export interface SandboxBooks {
  /**
   * Shows `work` the entries of one root, in the order written, and writes what it appends, with nobody in between:
   * what it returns is durable. `work` is pure, and may be called again with newer entries.
   * (account, operationId, seq) is unique across all roots.
   */
  transact<T>(
    account: string,
    rootId: OperationId,
    work: (entries: readonly Entry[]) => Draft<T>,
  ): Promise<Transacted<T>>
  /** Every entry of the account, in the order written. */
  entries(account: string): Promise<readonly Entry[]>
  putCard(account: string, card: VaultCard): Promise<void>
  card(account: string, cardRef: string): Promise<VaultCard | null>
  /** Removing what is not there is no error. */
  removeCard(account: string, cardRef: string): Promise<void>
}

interface MemoryAccount {
  readonly entries: Entry[]
  readonly roots: Map<OperationId, Entry[]>
  readonly rootOf: Map<OperationId, OperationId>
  readonly cards: Map<string, VaultCard>
}

export function memoryBooks(): SandboxBooks {
  const accounts = new Map<string, MemoryAccount>()
  const open = (name: string): MemoryAccount => {
    const known = accounts.get(name)
    if (known !== undefined) return known
    const fresh = { entries: [], roots: new Map(), rootOf: new Map(), cards: new Map() }
    accounts.set(name, fresh)
    return fresh
  }
  return {
    // Nothing is awaited between reading and writing: the event loop is the lock.
    transact: async (account, rootId, work) => write(open(account), rootId, work),
    entries: async account => [...open(account).entries],
    putCard: async (account, card) => void open(account).cards.set(card.cardRef, card),
    card: async (account, cardRef) => open(account).cards.get(cardRef) ?? null,
    removeCard: async (account, cardRef) => void open(account).cards.delete(cardRef),
  }
}

function write<T>(
  account: MemoryAccount,
  rootId: OperationId,
  work: (entries: readonly Entry[]) => Draft<T>,
): Transacted<T> {
  const before = account.roots.get(rootId) ?? []
  const { append, result } = work(before)
  const isTaken = (entry: Entry): boolean => (account.rootOf.get(entry.operationId) ?? rootId) !== rootId
  if (append.some(isTaken)) return { kind: 'taken' }
  // A new array: the one that `work` saw must not grow under whoever kept it.
  account.roots.set(rootId, [...before, ...append])
  for (const entry of append) account.rootOf.set(entry.operationId, rootId)
  account.entries.push(...append)
  return { kind: 'written', result }
}
