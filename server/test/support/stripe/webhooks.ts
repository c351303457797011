// Stripe's own notices: events, signed, posted to registered URLs, and posted again until they are taken. When, how
// often and in which order is the test's to say.

import { createHmac } from 'node:crypto'
import http from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { News } from './state.ts'

export interface StripeEvent {
  readonly id: string
  readonly object: 'event'
  readonly api_version: string
  readonly created: number
  readonly livemode: false
  readonly pending_webhooks: number
  readonly request: { readonly id: string | null; readonly idempotency_key: string | null }
  readonly type: string
  readonly data: { readonly object: object }
}

/** As seen from the answer to the request that caused the event. Held: not before `release`. */
export type Moment = 'before' | 'with' | 'after' | 'held'

export interface Delivered {
  readonly type: string
  readonly id: string
  /** 0: no answer. */
  readonly status: number
}

/** An event's way out, one moment after the other. */
export interface Announcement {
  before(): Promise<void>
  with(): void
  after(): void
}

interface Destination {
  readonly url: string
  readonly secret: string
  readonly types: readonly string[] | null
}

const attemptsMax = 12
const pauseMs = 20

export function signatureOf(body: string, secret: string, atS: number): string {
  return `t=${atS},v1=${createHmac('sha256', secret).update(`${atS}.${body}`).digest('hex')}`
}

export class Webhooks {
  /** Once for each moment. */
  moments: (event: StripeEvent) => readonly Moment[] = () => ['after']
  /** Every attempt. */
  readonly delivered: Delivered[] = []
  #destinations: Destination[] = []
  #held: StripeEvent[] = []
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
  #isClosed = false

  /** `types` null: all of them. */
  register(url: string, secret: string, types: readonly string[] | null = null): void {
    this.#destinations.push({ url, secret, types })
  }

  announce(news: readonly News[], request: StripeEvent['request'], newId: () => string): Announcement {
    const events = news.map(({ type, object }) => newEvent(newId(), type, object, request))
    const planned = events.flatMap(event => this.moments(event).map(moment => ({ event, moment })))
    for (const { event, moment } of planned) if (moment === 'held') this.#held.push(event)
    const at = (wanted: Moment) => planned.filter(({ moment }) => moment === wanted).map(({ event }) => event)
    return {
      before: async () => void (await Promise.all(at('before').map(event => this.send(event)))),
      with: () => void at('with').map(event => this.send(event)),
      after: () => void at('after').map(event => this.send(event)),
    }
  }

  /** Sends what was held, one after the other, in the order that `arrange` gives. */
  async release(arrange: (events: readonly StripeEvent[]) => readonly StripeEvent[] = all => all): Promise<void> {
    const held = this.#held
    this.#held = []
    for (const event of arrange(held)) await this.send(event)
  }

  /** Resolves when each destination has answered once. Those that did not take it get it again, later. */
  async send(event: StripeEvent): Promise<void> {
    const wanting = this.#destinations.filter(({ types }) => types === null || types.includes(event.type))
    await Promise.all(wanting.map(destination => this.#post(destination, event, 1)))
  }

  /** Of what was sent, the events that nobody took. */
  refused(): readonly string[] {
    const taken = new Set(this.delivered.filter(({ status }) => isTaken(status)).map(({ id }) => id))
    return this.delivered.filter(({ id }) => !taken.has(id)).map(({ type, status }) => `${type}: ${status}`)
  }

  /** Nothing is under way any more. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  close(): void {
    this.#isClosed = true
    this.#agent.destroy()
  }

  async #post(destination: Destination, event: StripeEvent, attempt: number): Promise<void> {
    if (this.#isClosed) return
    const posted = this.#track(this.#postOnce(destination, event))
    const status = await posted
    this.delivered.push({ type: event.type, id: event.id, status })
    if (isTaken(status) || attempt === attemptsMax) return
    const again = delay(pauseMs * attempt, undefined, { ref: false })
    this.#track(again.then(() => this.#post(destination, event, attempt + 1)))
  }

  #track<Result>(work: Promise<Result>): Promise<Result> {
    this.#underWay.add(work)
    work.finally(() => this.#underWay.delete(work))
    return work
  }

  #postOnce({ url, secret }: Destination, event: StripeEvent): Promise<number> {
    const body = JSON.stringify(event, null, 2)
    const signature = signatureOf(body, secret, Math.floor(Date.now() / 1000))
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'stripe-signature': signature,
    }
    return new Promise(resolve => {
      const request = http.request(url, { method: 'POST', agent: this.#agent, headers }, response => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
        response.on('error', () => resolve(0))
      })
      request.on('error', () => resolve(0))
      request.end(body)
    })
  }
}

const isTaken = (status: number) => status >= 200 && status < 300

function newEvent(id: string, type: string, object: object, request: StripeEvent['request']): StripeEvent {
  return {
    id,
    object: 'event',
    api_version: '2026-10-28.endive',
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    pending_webhooks: 1,
    request,
    type,
    data: { object },
  }
}
