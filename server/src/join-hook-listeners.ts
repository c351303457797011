// Joins the routes of listeners to the world.

import type { ListenerPorts, Poll, Polled } from './api/ports.ts'
import type { HookListener } from './core/hook-listener.ts'
import type { EndpointId, ListenerId } from './core/ids.ts'
import type { Foundation } from './foundation.ts'
import type { Joined } from './join-core.ts'
import type { Logger } from './observe/log.ts'
import { type Bell, createBell } from './store/bell.ts'
import {
  backfill,
  beginOfEnded,
  beginPoll,
  endListener,
  endPoll,
  findListener,
  insertListener,
  othersAreOver,
  relayRequests,
} from './store/hook-listeners.ts'
import { answerRequest, giveBack, takeRequests } from './store/hook-relay.ts'

export function listenerPorts(foundation: Foundation, log: Logger, joined: Pick<Joined, 'wakeWorkers'>): ListenerPorts {
  const { sql, clock, newUuid } = foundation
  const bell = createBell(sql, relayRequests, error => log.error({ err: error }, 'listeners hear of hooks late'))
  // Nobody need hear it: workers look by themselves, only a little later.
  const wakeWorkers = () => joined.wakeWorkers().catch(() => {})
  return {
    async start(merchantId, { name, kinds, backfillS, replaces }) {
      const now = clock.now()
      const listener: HookListener = { merchantId, id: newUuid() as ListenerId, name, kinds, createdAt: now }
      const written = await sql.begin(scope => insertListener(scope, listener, () => newUuid() as EndpointId))
      if (written === 'too many') return 'too many'
      const before = replaces === null ? null : await beginOfEnded(sql, merchantId, replaces)
      if (backfillS === 0 && before === null) return { listener, backfilled: 0 }
      // Not in the same commit: what is sold meanwhile is owed to the listener by then, or found.
      await othersAreOver(sql)
      // From where the earlier one began: how long it was away, no clock but ours could tell, and the sandbox's is moved.
      const since = new Date(Math.min(now.getTime() - backfillS * 1_000, before?.getTime() ?? now.getTime()))
      const replaced = before === null ? null : replaces
      const backfilled = await backfill(sql, listener, { since, replaced, now, moment: newUuid() })
      if (backfilled > 0) await wakeWorkers()
      return { listener, backfilled }
    },
    poll: asked => poll(foundation, bell, asked),
    answer: (merchantId, listenerId, id, answer) => answerRequest(sql, { merchantId, listenerId, id }, answer),
    async end(merchantId, id) {
      const ended = await sql.begin(async scope => {
        const listener = await findListener(scope, merchantId, id)
        const by = { now: clock.now(), reason: endedReason, onlyIf: null }
        return listener !== null && (await endListener(scope, merchantId, id, by)) ? listener : null
      })
      if (ended !== null) await wakeWorkers()
      return ended
    },
  }
}

const endedReason = 'Whoever listened has stopped.'
/** A bell that is not heard must not cost a hook, only time. */
const lookEveryMs = 1_000

async function poll({ sql }: Foundation, bell: Bell, asked: Poll): Promise<Polled> {
  const { merchantId, key, id, waitS, gone, stopped } = asked
  const untilMs = performance.now() + waitS * 1_000
  const ear = await bell.earFor(id)
  try {
    const number = await beginPoll(sql, merchantId, id, waitS)
    if (number === null) return 'ended'
    const over = AbortSignal.any([gone, stopped])
    const take = () => takeRequests(sql, { merchantId, listenerId: id, number, key })
    let taken = await take()
    while (typeof taken !== 'string' && taken.length === 0 && performance.now() < untilMs && !over.aborted) {
      await ear.wait(Math.min(lookEveryMs, untilMs - performance.now()), over)
      taken = await take()
    }
    const isGone = gone.aborted || taken === 'key revoked'
    await endPoll(sql, merchantId, id, { number, isGone })
    if (typeof taken === 'string') return taken
    const ids = taken.map(request => request.id)
    return { requests: taken, giveBack: async () => (ids.length > 0 ? giveBack(sql, merchantId, ids) : undefined) }
  } finally {
    ear.close()
  }
}
