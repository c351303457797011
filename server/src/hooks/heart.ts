// A worker's life among others. It beats; it counts the others' beats; one that has not beaten for some rounds of ours is
// buried, and what it held is freed. Rounds, not times: no clock that jumps makes a living worker dead, and a process that
// was stopped for an hour looks again before it judges.

import type { MerchantId, WorkerId } from '../core/ids.ts'

export interface WorkerStore {
  register(id: WorkerId): Promise<void>
  /** False: others have buried it. */
  beat(id: WorkerId): Promise<boolean>
  list(): Promise<readonly { readonly id: WorkerId; readonly beats: bigint }[]>
  bury(seen: { readonly id: WorkerId; readonly beats: bigint }): Promise<void>
  retire(id: WorkerId): Promise<void>
  findDeadHolders(): Promise<readonly { readonly holder: WorkerId; readonly merchantId: MerchantId }[]>
  /** A bounded number of them; how many. */
  free(merchantId: MerchantId, holder: WorkerId): Promise<number>
}

export interface Heart {
  readonly id: WorkerId
  /** Begins to beat. */
  start(): Promise<void>
  stop(): Promise<void>
}

export interface HeartWorld {
  readonly store: WorkerStore
  readonly newId: () => WorkerId
  /** It was taken for dead: what it held is in other hands. */
  readonly lost: () => void
  readonly freed: (count: number) => void
  readonly failed: (error: unknown) => void
}

const everyMs = 2_000
/** Rounds without a beat after which a worker is dead. */
const silentRoundsMax = 5

export function createHeart(world: HeartWorld): Heart {
  const { store } = world
  let id = world.newId()
  let timer: NodeJS.Timeout | null = null
  let going: Promise<void> = Promise.resolve()
  let watching: Promise<void> | null = null
  let stopped = false
  const seen = new Map<WorkerId, { beats: bigint; rounds: number }>()

  async function beat(): Promise<void> {
    if (await store.beat(id)) return
    world.lost()
    id = world.newId()
    await store.register(id)
  }

  async function watchOthers(): Promise<void> {
    const others = (await store.list()).filter(other => other.id !== id)
    for (const known of seen.keys()) if (!others.some(other => other.id === known)) seen.delete(known)
    for (const other of others) {
      const before = seen.get(other.id)
      const rounds = before?.beats === other.beats ? before.rounds + 1 : 0
      seen.set(other.id, { beats: other.beats, rounds })
      if (rounds >= silentRoundsMax) await store.bury(other)
    }
  }

  async function freeWhatTheDeadHold(): Promise<void> {
    for (const { holder, merchantId } of await store.findDeadHolders()) {
      for (let count = 1; count > 0 && !stopped; ) {
        count = await store.free(merchantId, holder)
        if (count > 0) world.freed(count)
      }
    }
  }

  /** On its own: to free what many held takes longer than a heart may stand still. */
  function watch(): void {
    watching ??= watchOthers()
      .then(freeWhatTheDeadHold)
      .catch(world.failed)
      .finally(() => {
        watching = null
      })
  }

  function round(): void {
    going = beat()
      .then(watch)
      .catch(world.failed)
      .then(() => {
        if (!stopped) timer = setTimeout(round, everyMs)
      })
  }

  return {
    get id() {
      return id
    },
    async start() {
      await store.register(id)
      round()
    },
    async stop() {
      stopped = true
      if (timer !== null) clearTimeout(timer)
      await going
      await watching
      await store.retire(id).catch(world.failed)
    },
  }
}
