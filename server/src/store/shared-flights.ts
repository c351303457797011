// Reads of one row by its key, of which a busy service makes hundreds in a second: those that come at the same time go to the database in
// one flight, on one connection that is warm. What comes alone goes alone, and at once. They share nothing but the way: each is answered,
// or fails, by itself.

import { overOrSlow } from './over-or-slow.ts'

/** At most so many are under way, of so many each. */
const flightsAtOnce = 2
const flightMax = 32

interface Waiting<Asked, Answer> {
  readonly asked: Asked
  readonly over: PromiseWithResolvers<Answer>
}

/** `fly` does all of the work that it is given on one connection, and rejects where that cannot be had or is lost. */
export function createSharedFlights<Asked, Answer>(
  fly: (work: (ask: (asked: Asked) => Promise<Answer>) => Promise<void>) => Promise<void>,
): (asked: Asked) => Promise<Answer> {
  const waiting: Waiting<Asked, Answer>[] = []
  let flying = 0

  async function flyOut(): Promise<void> {
    flying += 1
    while (waiting.length > 0) await overOrSlow(flyWith(waiting.splice(0, flightMax)))
    flying -= 1
  }

  async function flyWith(some: readonly Waiting<Asked, Answer>[]): Promise<void> {
    try {
      await fly(async ask => {
        await Promise.all(some.map(({ asked, over }) => ask(asked).then(over.resolve, over.reject)))
      })
    } catch (error) {
      // Those that were told already do not hear it.
      for (const { over } of some) over.reject(error)
    }
  }

  return asked => {
    const over = Promise.withResolvers<Answer>()
    waiting.push({ asked, over })
    if (flying < flightsAtOnce) void flyOut()
    return over.promise
  }
}
