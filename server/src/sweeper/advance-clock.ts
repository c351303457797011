// The sandbox clock moves through time, not over it: it stops at each moment at which something falls due, has that
// done, and goes on. So a day passes in order, as it would have.

export interface ClockWorld {
  now(): Date
  nextDueAt(from: Date, to: Date): Promise<Date | null>
  moveTo(time: Date): Promise<void>
  sweepOnce(): Promise<number>
}

/** Answers when all of it is done; the time it then is. */
export async function advanceClock(byMs: number, world: ClockWorld): Promise<Date> {
  const target = new Date(world.now().getTime() + byMs)
  for (;;) {
    while ((await world.sweepOnce()) > 0);
    const from = world.now()
    if (from >= target) return from
    await world.moveTo((await world.nextDueAt(from, target)) ?? target)
  }
}
