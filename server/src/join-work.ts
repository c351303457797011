// Joins the rules to what finds and does the work that is due: all of the service but its listening, so that a command
// can do that work too without loading what listens.

import { moveClockTo } from './clock.ts'
import type { ServiceFacts } from './core/sale.ts'
import { nobody } from './core/works-for.ts'
import type { Foundation } from './foundation.ts'
import type { Deliverer } from './hooks/deliverer.ts'
import { spentCardRemover } from './join-cards.ts'
import { corePorts, type Joined } from './join-core.ts'
import { joinHooks } from './join-hooks.ts'
import type { Logger } from './observe/log.ts'
import type { Metrics } from './observe/metrics.ts'
import { saySparingly } from './observe/say-sparingly.ts'
import { endAbsentListeners, endSilentListeners } from './store/hook-listeners.ts'
import { forgetWhatIsOver } from './store/retention.ts'
import { claimSpentCards } from './store/spent-cards.ts'
import {
  bringForward,
  claimAbandoned,
  claimOperations,
  findMerchantsDue,
  findOverdue,
  isBusyWithWhatIsDue,
  nextDueAt,
} from './store/sweeping.ts'
import { advanceClock } from './sweeper/advance-clock.ts'
import { createSweeper, type Sweeper } from './sweeper/sweeper.ts'

export function join(
  foundation: Foundation,
  log: Logger,
  metrics: Metrics,
  service: ServiceFacts,
  isAwaited?: () => boolean,
): Joined & { sweeper: Sweeper } {
  const joined = corePorts(foundation, log, metrics, service, joinHooks(foundation, log, metrics, isAwaited))
  const { sql, config } = foundation
  const sparingly = saySparingly()
  const sweeper = createSweeper(
    joined.ports,
    {
      worksFor: sql.worksFor,
      findMerchantsDue: now => findMerchantsDue(sql, now),
      bringForward: now => bringForward(sql, now),
      claimAbandoned: (merchantId, claim) => claimAbandoned(sql, merchantId, claim),
      claimOperations: (merchantId, claim) => claimOperations(sql, merchantId, claim),
      findOverdue: (merchantId, find) => findOverdue(sql, merchantId, find),
      claimSpentCards: (merchantId, claim) => claimSpentCards(sql, merchantId, claim),
      removeCard: spentCardRemover(foundation, joined),
      endSilentListeners: now => endSilentListeners(sql, now),
      forgetWhatIsOver: now => forgetWhatIsOver(sql, config.retention, now),
    },
    {
      swept: (what, count) => metrics.swept.inc({ what }, count),
      cardNotRemoved: merchant =>
        sparingly(merchant, unsaid =>
          log.warn({ merchant, unsaid }, 'a card given for one payment could not be taken out of its vault yet'),
        ),
      failed: error => log.error({ err: error }, 'sweeping failed'),
    },
  )
  return { ...joined, sweeper }
}

/** Moves the clock step by step through everything that falls due on the way; `doDue` is the work of mail, where there is any. */
export function clockMover(
  foundation: Foundation,
  { sweeper, deliverer }: { readonly sweeper: Sweeper; readonly deliverer: Deliverer },
  ...doDue: readonly (() => Promise<number>)[]
): (byMs: number) => Promise<Date> {
  const { sql, clock } = foundation
  const advance = async (byMs: number) => {
    // Each hook would wait for one that is gone until its time is over, and the clock with it.
    await endAbsentListeners(sql, clock.now())
    return advanceClock(byMs, {
      now: clock.now,
      nextDueAt: (from, to) => nextDueAt(sql, from, to),
      async doWhatIsDue() {
        const swept = await sweeper.sweepOnce()
        const done = await Promise.all([deliverer.deliverDue(), ...doDue.map(each => each())])
        return done.reduce((sum, count) => sum + count, swept)
      },
      othersAreBusy: () => isBusyWithWhatIsDue(sql, clock.now()),
      async moveTo(time) {
        await moveClockTo(sql, time)
        await clock.refresh()
      },
    })
  }
  // What falls due is of all merchants, whoever moves the clock, and the work on it goes on after that.
  return byMs => sql.worksFor(nobody, () => advance(byMs))
}
