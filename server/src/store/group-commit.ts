// Commits that come at the same time are made together: one transaction on one connection, its statements one behind the other. Most of
// what a statement costs PostgreSQL under load is that it finds everything cold, and most of what a commit costs is the wait for it. What
// comes alone goes alone, and at once.
//
// All of a group are committed, or none. Where one fails, each is done again by itself and ends as it would have without the others. In a
// group none waits long for a lock: who must, waits alone.

export interface GroupWorld<Scope> {
  /** One transaction: committed when the work is done, undone when it throws. */
  begin<T>(work: (scope: Scope) => Promise<T>): Promise<T>
  /** What follows fails where it waits long for a lock. Begins at once. */
  waitBrieflyForLocks(scope: Scope): Promise<unknown>
  /** Nobody knows whether it was committed: it is not for us to do it again. */
  isInDoubt(error: unknown): boolean
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
/** One that takes longer keeps no place from the next. */
const slowAfterMs = 200

interface Waiting<Scope> {
  readonly work: (scope: Scope) => Promise<unknown>
  readonly alone: () => Promise<unknown>
  readonly over: PromiseWithResolvers<unknown>
}

interface Queue<Scope> {
  readonly waiting: Waiting<Scope>[]
  running: number
}

/** Only what has the same name is done together: a merchant whose rows are locked stops itself alone. */
export function createGroups<Scope>(world: GroupWorld<Scope>): Together<Scope> {
  const queues = new Map<string, Queue<Scope>>()

  async function runOut(name: string, queue: Queue<Scope>): Promise<void> {
    queue.running += 1
    while (queue.waiting.length > 0) await overOrSlow(run(queue.waiting.splice(0, groupMax)))
    queue.running -= 1
    if (queue.running === 0) queues.delete(name)
  }

  async function run(group: readonly Waiting<Scope>[]): Promise<void> {
    const [only] = group
    if (only !== undefined && group.length === 1) return runAlone(only, only.alone)
    try {
      const values = await world.begin(scope => runAll(scope, group))
      for (const [index, { over }] of group.entries()) over.resolve(values[index])
    } catch (error) {
      for (const each of group) {
        if (world.isInDoubt(error)) each.over.reject(error)
        else void runAlone(each, () => world.begin(each.work))
      }
    }
  }

  /** Waits for each, whatever becomes of the others: none may still be writing when the transaction ends. */
  async function runAll(scope: Scope, group: readonly Waiting<Scope>[]): Promise<unknown[]> {
    const waits = world.waitBrieflyForLocks(scope)
    const [, ...ended] = await Promise.allSettled([waits, ...group.map(({ work }) => work(scope))])
    return ended.map(each => {
      if (each.status === 'rejected') throw each.reason
      return each.value
    })
  }

  function runAlone({ over }: Waiting<Scope>, alone: () => Promise<unknown>): Promise<void> {
    return alone().then(over.resolve, over.reject)
  }

  return <T>(name: string, work: (scope: Scope) => Promise<T>, alone = () => world.begin(work)) => {
    const over = Promise.withResolvers<unknown>()
    const queue = queues.get(name) ?? { waiting: [], running: 0 }
    queues.set(name, queue)
    queue.waiting.push({ work, alone, over })
    if (queue.running < groupsAtOnce) void runOut(name, queue)
    return over.promise as Promise<T>
  }
}

async function overOrSlow(work: Promise<void>): Promise<void> {
  const slow = Promise.withResolvers<void>()
  const timer = setTimeout(slow.resolve, slowAfterMs)
  await Promise.race([work, slow.promise])
  clearTimeout(timer)
}
