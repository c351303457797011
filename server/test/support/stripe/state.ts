// One Stripe account, in memory: its objects, and what is to be told about them.

import { randomBytes } from 'node:crypto'
import type { Bank } from './cards.ts'
import type { Kind, Kinds, StripeObject } from './objects.ts'

export interface News {
  readonly type: string
  /** As it was at that moment. */
  readonly object: object
}

export interface State {
  readonly accountId: string
  add<K extends Kind>(object: Kinds[K]): Kinds[K]
  find<K extends Kind>(kind: K, id: string | null): Kinds[K] | null
  /** Newest first. */
  all<K extends Kind>(kind: K): readonly Kinds[K][]
  /** Those of them that a list shows. */
  listed<K extends Kind>(kind: K): readonly Kinds[K][]
  anything(id: string): StripeObject | null
  tell(type: string, object: object): void
  /** What was told since this was last asked. */
  takeNews(): readonly News[]
  /** Done when the request under way has been answered. */
  later(work: () => void): void
  doWhatWasLeft(): void
  newId(prefix: string): string
  nowS(): number
  /** How the banks of single payment methods answer, where it is not as their test card says. */
  readonly banks: Map<string, Bank>
  readonly detached: Set<string>
  /** Null: money settles in the currency that it was charged in. */
  settlesIn: string | null
  /** As in an account whose own API version is before 2025-03-31.basil. */
  releasesAreRefunds: boolean
  /** While lists lag behind, they do not show what was made since they began to. */
  listsLag: boolean
  /** Where the pages of the cards' banks are. */
  pagesUrl: string
}

export function newState(): State {
  const byId = new Map<string, StripeObject>()
  const byKind = new Map<Kind, StripeObject[]>()
  const madeDuringLag = new Set<string>()
  let news: News[] = []
  let left: (() => void)[] = []

  function anything(id: string): StripeObject | null {
    return byId.get(id) ?? null
  }
  const all = <K extends Kind>(kind: K) => (byKind.get(kind) ?? []).toReversed() as unknown as Kinds[K][]
  const state: State = {
    accountId: `acct_${randomText(16)}`,
    banks: new Map(),
    detached: new Set(),
    settlesIn: null,
    releasesAreRefunds: false,
    listsLag: false,
    pagesUrl: '',
    anything,
    add(object) {
      byId.set(object.id, object)
      if (state.listsLag) madeDuringLag.add(object.id)
      const others = byKind.get(object.object)
      if (others === undefined) byKind.set(object.object, [object])
      else others.push(object)
      return object
    },
    find<K extends Kind>(kind: K, id: string | null) {
      const found = id === null ? null : anything(id)
      return found?.object === kind ? (found as Kinds[K]) : null
    },
    all,
    listed: kind => all(kind).filter(({ id }) => !state.listsLag || !madeDuringLag.has(id)),
    tell(type, object) {
      news.push({ type, object: structuredClone(object) })
    },
    takeNews() {
      const taken = news
      news = []
      return taken
    },
    later(work) {
      left.push(work)
    },
    doWhatWasLeft() {
      const work = left
      left = []
      for (const each of work) each()
    },
    newId: prefix => `${prefix}_${randomText(24)}`,
    nowS: () => Math.floor(Date.now() / 1000),
  }
  return state
}

export function randomText(characters: number): string {
  return randomBytes(characters).toString('base64url').replace(/[-_]/g, 'x').slice(0, characters)
}
