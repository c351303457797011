// Which of several servers to connect to: the one that takes writes. It is looked for when something went wrong at the one that is known, at all of
// them at the same time, so that one that is silent delays nobody.
//
// A server that was taken over may still run, and take writes, if nobody has ended it. So of two that do, the one counts whose history began later
// (its timeline: each promotion begins one), and none that is older than one seen before. That cannot help a process that never reaches the newer
// one: to end the old one is for whoever promotes.

import { setTimeout as delay } from 'node:timers/promises'
import { ConnectionLostError, isCrowded } from './loss.ts'

/** Of a server that takes writes. */
export interface Seen {
  /** The same for a server and its standbys. */
  readonly system: string
  readonly timeline: number
}

export interface Whereabouts<Host> {
  /** The one that is used; the last one known, while it is looked for. */
  readonly at: Host
  /** Rejects where none of them takes writes. */
  find(): Promise<Host>
  /** Something went wrong there: whoever needs a connection looks first. */
  doubt(host: Host): void
  /** Looks at all of them, although nothing is known to be wrong. */
  lookAround(): Promise<void>
}

export interface World<Host> {
  readonly hosts: readonly [Host, ...Host[]]
  readonly nameOf: (host: Host) => string
  /** Rejects where it takes no writes, or is not there. */
  readonly look: (host: Host) => Promise<Seen>
  /** Another is used from now on. */
  readonly moved: (to: Host) => void
}

/** For the others, when one has answered that takes writes, and everybody waits. */
const othersMs = 200
/** Where nobody waits: longer than a look may take. A server that was promoted may be slower to answer than the one that it was promoted over. */
const othersAtLeisureMs = 5_000
/** Nobody is asked more often, however many wait. */
const restMs = 100

export function createWhereabouts<Host>({ hosts, nameOf, look, moved }: World<Host>): Whereabouts<Host> {
  let at = hosts[0]
  let isCertain = hosts.length === 1
  let newest: Seen | null = null
  let searching: Promise<Host> | null = null
  /** Since the search began: what it heard of this one may be older. */
  let doubted: Host | null = null

  async function search(forOthersMs: number): Promise<Host> {
    doubted = null
    const answers = hosts.map(async host => ({ host, ...(await look(host)) }))
    const found = await Promise.any(answers).then(
      () => heardWithin(forOthersMs, answers),
      async ({ errors }: AggregateError) => {
        await delay(restMs)
        // Too many are at it to look at it: that is no reason to leave what we have there.
        if (newest !== null && isCrowded(errors[hosts.indexOf(at)])) return null
        throw none(errors)
      },
    )
    if (found === null) return at
    // The first of the latest, in the order given.
    const best = found.reduce((one, other) => (isLater(other, one) ? other : one))
    if (newest !== null && isLater(newest, best)) {
      await delay(restMs)
      throw takenOver(nameOf(best.host))
    }
    newest = best
    isCertain = best.host !== doubted
    if (at !== best.host) {
      at = best.host
      moved(at)
    }
    return at
  }

  function searchOnce(forOthersMs: number): Promise<Host> {
    searching ??= search(forOthersMs).finally(() => {
      searching = null
    })
    return searching
  }

  function none(errors: readonly unknown[]): ConnectionLostError {
    const each = hosts.map((host, index) => `${nameOf(host)}: ${(errors[index] as Error).message}`)
    return new ConnectionLostError(`none of the ${hosts.length} servers takes writes (${each.join('; ')})`, {
      cause: errors[0],
    })
  }

  return {
    get at() {
      return at
    },
    // The first time nothing is known of anybody: a server that is heard 200 ms later may be the one.
    find: async () => (isCertain ? at : searchOnce(newest === null ? othersAtLeisureMs : othersMs)),
    doubt(host) {
      if (host !== at || hosts.length === 1) return
      isCertain = false
      doubted = host
    },
    async lookAround() {
      if (hosts.length > 1) await searchOnce(othersAtLeisureMs)
    },
  }
}

/** Another history says nothing: somebody has moved to a database that is not a standby of this one. */
function isLater(one: Seen, other: Seen): boolean {
  return one.system === other.system && one.timeline > other.timeline
}

function takenOver(name: string): ConnectionLostError {
  return new ConnectionLostError(`${name} takes writes, but another server was promoted in its place`)
}

/** What came by then. */
async function heardWithin<Answer>(ms: number, asked: readonly Promise<Answer>[]): Promise<[Answer, ...Answer[]]> {
  const heard: (Answer | null)[] = asked.map(() => null)
  const all = Promise.allSettled(
    asked.map(async (each, index) => {
      heard[index] = await each
    }),
  )
  const waiting = new AbortController()
  await Promise.race([all, delay(ms, null, { signal: waiting.signal }).catch(() => null)])
  waiting.abort()
  return heard.filter(each => each !== null) as [Answer, ...Answer[]]
}
