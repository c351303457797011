// The sandbox clock moves through time, not over it: it stops at each moment at which something falls due, has that
// done, and goes on. So a day passes in order, as it would have.

import { setTimeout as delay } from 'node:timers/promises'

export interface ClockWorld {
  now(): Date
  nextDueAt(from: Date, to: Date): Promise<Date | null>
  /** Never back. */
  moveTo(time: Date): Promise<void>
  /** Does all that has fallen due, and waits until it is done; how much it was. */
  doWhatIsDue(): Promise<number>
  /** Whether another process is just busy with something that has fallen due. */
  othersAreBusy(): Promise<boolean>
}

const lookEveryMs = 20
/**
 * How long others are waited for at one moment: somewhat more than one ask can take. One whose process died in it is not
 * waited for: its lease ends later.
 */
const waitMaxMs = 40_000

/** Answers when all of it is done; the time it then is. */
export async function advanceClock(byMs: number, world: ClockWorld): Promise<Date> {
  const target = new Date(world.now().getTime() + byMs)
  for (;;) {
    const doneUpTo = await finishMoment(world)
    if (doneUpTo >= target) return world.now()
    await world.moveTo((await world.nextDueAt(doneUpTo, target)) ?? target)
  }
}

/** All that had fallen due by the time it answers with is done, here and by others. */
async function finishMoment(world: ClockWorld): Promise<Date> {
  // Time goes on while it looks: what falls due behind its back is the next moment's, and must not be stepped over.
  let doneUpTo = world.now()
  const doAll = async () => {
    do doneUpTo = world.now()
    while ((await world.doWhatIsDue()) > 0)
  }
  await doAll()
  const waitUntilMs = performance.now() + waitMaxMs
  while (performance.now() < waitUntilMs && (await world.othersAreBusy())) {
    await delay(lookEveryMs)
    await doAll()
  }
  return doneUpTo
}
