// Commits that come at the same time are made together: one transaction on one connection, its statements one behind the other. Most of
// what a statement costs PostgreSQL under load is that it finds everything cold, and most of what a commit costs is the wait for it. What
// comes alone goes alone, and at once.
//
// All of a group are committed, or none. Where some fail they are done again, each by itself, and the others as a group without them: each
// ends as it would have alone. In a group none waits long for a lock: who must, waits alone.

import { overOrSlow } from './over-or-slow.ts'

export interface GroupWorld<Scope> {
  /** One transaction: committed when the work is done, undone when it throws. */
  begin<T>(work: (scope: Scope) => Promise<T>): Promise<T>
  /** What follows fails where it waits long for a lock. Begins at once. */
  waitBrieflyForLocks(scope: Scope): Promise<unknown>
  /** Nobody knows whether it was committed: it is not for us to do it again. */
  isInDoubt(error: unknown): boolean
  /** It failed for no reason of its own: something before it in the transaction had. */
  isSpoiled(error: unknown): boolean
}

/** `alone`: how it is done where nothing else is there. */
export type Together<Scope> = <T>(
  name: string,
  work: (scope: Scope) => Promise<T>,
  alone?: () => Promise<T>,
) => Promise<T>

/** With one name. One is executed while another waits for the disk. */
const groupsAtOnce = 2
const groupMax = 32

interface Waiting<Scope> {
  readonly work: (scope: Scope) => Promise<unknown>
  readonly alone: () => Promise<unknown>
  readonly over: PromiseWithResolvers<unknown>
  /** Was part of a group of which others failed. */
  wasUndone: boolean
}

interface Queue<Scope> {
  readonly waiting: Waiting<Scope>[]
  running: number
}

/** Only what has the same name is done together: a merchant whose rows are locked stops itself alone. */
export function createGroups<Scope>(world: GroupWorld<Scope>): Together<Scope> {
  const queues = new Map<string, Queue<Scope>>()

  function enter(name: string, some: readonly Waiting<Scope>[]): void {
    if (some.length === 0) return
    const queue = queues.get(name) ?? { waiting: [], running: 0 }
    queues.set(name, queue)
    queue.waiting.push(...some)
    if (queue.running < groupsAtOnce) void runOut(name, queue)
  }

  async function runOut(name: string, queue: Queue<Scope>): Promise<void> {
    queue.running += 1
    while (queue.waiting.length > 0) await overOrSlow(run(name, queue.waiting.splice(0, groupMax)))
    queue.running -= 1
    if (queue.running === 0) queues.delete(name)
  }

  async function run(name: string, group: readonly Waiting<Scope>[]): Promise<void> {
    const [only] = group
    if (only !== undefined && group.length === 1) return runAlone(only)
    let ended: readonly PromiseSettledResult<unknown>[] = []
    try {
      const values = await world.begin(async scope => {
        ended = await runAll(scope, group)
        return ended.map(valueIn)
      })
      for (const [index, { over }] of group.entries()) over.resolve(values[index])
    } catch (error) {
      if (world.isInDoubt(error)) for (const { over } of group) over.reject(error)
      else again(name, group, ended)
    }
  }

  /** Waits for each, whatever becomes of the others: none may still be writing when the transaction ends. */
  async function runAll(
    scope: Scope,
    group: readonly Waiting<Scope>[],
  ): Promise<readonly PromiseSettledResult<unknown>[]> {
    const waits = world.waitBrieflyForLocks(scope)
    const works = group.map(async ({ work }) => work(scope))
    // Where it could not be said how long to wait, the transaction is spoiled, and each of them with it.
    const [, ...ended] = await Promise.allSettled([waits, ...works])
    return ended
  }

  /** By then this group's place may be another's, and its queue over. */
  function again(
    name: string,
    group: readonly Waiting<Scope>[],
    ended: readonly PromiseSettledResult<unknown>[],
  ): void {
    const failed = new Set(group.filter((_, index) => hasFailed(ended[index])))
    const innocent = group.filter(each => failed.size > 0 && !failed.has(each) && !each.wasUndone)
    for (const each of group) if (!innocent.includes(each)) void runAlone(each)
    for (const each of innocent) each.wasUndone = true
    enter(name, innocent)
  }

  function hasFailed(ended: PromiseSettledResult<unknown> | undefined): boolean {
    return ended?.status === 'rejected' && !world.isSpoiled(ended.reason)
  }

  function runAlone({ alone, over }: Waiting<Scope>): Promise<void> {
    return alone().then(over.resolve, over.reject)
  }

  return <T>(name: string, work: (scope: Scope) => Promise<T>, alone = () => world.begin(work)) => {
    const over = Promise.withResolvers<unknown>()
    enter(name, [{ work, alone, over, wasUndone: false }])
    return over.promise as Promise<T>
  }
}

function valueIn(ended: PromiseSettledResult<unknown>): unknown {
  if (ended.status === 'rejected') throw ended.reason
  return ended.value
}
