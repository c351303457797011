// Joins the doors that requests come in by to the configuration, the metrics and the log.

import type { ServerOptions } from './api/server.ts'
import type { Config } from './config.ts'
import { createDoor, type Door } from './http/door.ts'
import { addressList } from './mail/in/address-list.ts'
import type { Logger } from './observe/log.ts'
import type { LoadMetrics } from './observe/metrics.ts'
import { saySparingly } from './observe/say-sparingly.ts'

/** With the time that the work takes, well below a second; a burst of as many as there are places is over sooner. */
const waitMaxMs = 250
/** A page of the dashboard asks for a dozen things at once, however little REST is given. */
const placesMin = 16

export interface Doors extends Pick<ServerOptions, 'doors' | 'connections'> {
  /** Writes down how many are behind and before each door. */
  readonly measure: () => void
  /** Somebody waits for an answer that is worked on. */
  readonly isAwaited: () => boolean
}

export function joinDoors(
  {
    requestsAtOnce,
    connectionsMax,
    trustedProxies,
  }: Pick<Config, 'requestsAtOnce' | 'connectionsMax' | 'trustedProxies'>,
  log: Logger,
  load: LoadMetrics,
): Doors {
  const sparingly = saySparingly()
  const opened = (door: string, places: number) =>
    createDoor({
      places,
      waitMaxMs,
      turnedAway(reason) {
        load.turnedAway.inc({ door, reason })
        sparingly(`${door} ${reason}`, unsaid =>
          log.warn({ door, reason, places, unsaid }, 'too much to do: requests are turned away'),
        )
      },
    })
  const doors = {
    rest: opened('rest', requestsAtOnce),
    pages: opened('pages', Math.max(placesMin, Math.ceil(requestsAtOnce / 2))),
    console: opened('console', Math.max(placesMin, Math.ceil(requestsAtOnce / 4))),
  }
  return {
    doors,
    connections: {
      connectionsMax,
      isTrustedProxy: addressList(trustedProxies),
      ended(reason, count) {
        load.connectionsEnded.inc({ reason }, count)
        if (reason === 'too_many')
          sparingly('connections', unsaid => log.warn({ connectionsMax, unsaid }, 'too many connections'))
        if (reason === 'share')
          sparingly('share', unsaid => log.warn({ connectionsMax, unsaid }, 'too many connections of one network'))
      },
    },
    isAwaited: () => doors.rest.counts.inHand + doors.pages.counts.inHand + doors.console.counts.inHand > 0,
    measure() {
      for (const [name, door] of Object.entries(doors) as [string, Door][]) {
        load.inHand.set({ door: name }, door.counts.inHand)
        load.waiting.set({ door: name }, door.counts.waiting)
      }
    },
  }
}
