// Tells merchants by mail that an endpoint of theirs was paused for failing: its own answers cannot reach them any more.

import type { PausedEndpoint } from '../core/paused-endpoint.ts'
import type { Mail, SendMail } from './mailer.ts'

export interface PausePorts {
  /** One that is to be told, for this process alone for a while; null: there is none. */
  readonly claim: () => Promise<PausedEndpoint | null>
  readonly markTold: (paused: PausedEndpoint) => Promise<void>
  readonly send: SendMail
  /** Known once the service listens. */
  readonly service: { readonly baseUrl: string }
  readonly log: {
    told(paused: PausedEndpoint): void
    notTold(paused: PausedEndpoint, cause: string): void
    failed(error: unknown): void
  }
}

/** All that are to be told now; how many were. A relay that takes no mail is tried again later. */
export async function announcePauses({ claim, markTold, send, service, log }: PausePorts): Promise<number> {
  for (let told = 0; ; ) {
    const paused = await claim()
    if (paused === null) return told
    const outcome = await send(pauseMail(paused, service.baseUrl))
    if (outcome.kind !== 'taken') log.notTold(paused, outcome.cause)
    if (outcome.kind === 'not_now') return told
    // What is refused for good is not tried again.
    await markTold(paused)
    if (outcome.kind === 'refused') continue
    log.told(paused)
    told += 1
  }
}

const everyMs = 1_000

export interface Announcer {
  start(): void
  /** Lets a mail that is on its way go out. */
  stop(): Promise<void>
}

export function createAnnouncer(ports: PausePorts): Announcer {
  let timer: NodeJS.Timeout | null = null
  let telling: Promise<unknown> = Promise.resolve()
  let stopped = false
  function tick(): void {
    telling = announcePauses({ ...ports, claim: async () => (stopped ? null : ports.claim()) })
      .catch(error => ports.log.failed(error))
      .then(() => {
        if (!stopped) timer = setTimeout(tick, everyMs)
      })
  }
  return {
    start: tick,
    async stop() {
      stopped = true
      if (timer !== null) clearTimeout(timer)
      await telling
    },
  }
}

export function pauseMail(paused: PausedEndpoint, baseUrl: string): Mail {
  const { id, kind, url, merchantName, email, failingSince, waiting } = paused
  const since = `${failingSince.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const text = `Hello,

a hook endpoint of ${merchantName} has accepted nothing since ${since},
so Tillbell has paused it:

  ${url}
  kind ${kind}, id ${id}

${waitingSentence(waiting)}

When it answers again with a status from 200 to 299, resume it by REST:

  PATCH ${baseUrl}/api/v5/rest/hook_endpoints/${id}
  with status=enabled

Whatever waits then goes out.
`
  const subject = `Hooks to ${new URL(url).host} are paused`
  return { about: `pause-${id}-${failingSince.getTime()}`, to: { name: merchantName, address: email }, subject, text }
}

function waitingSentence(waiting: number): string {
  if (waiting === 0) return 'No notification waits for it. New ones will.'
  const [what, wait] = waiting === 1 ? ['notification', 'waits'] : ['notifications', 'wait']
  return `${waiting} ${what} ${wait} for it. New ones will wait too.`
}
