// Customers who pay one thing after the other, at several processes in turn, each asking under the same key until it knows how a payment ended.

import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, Client } from './client.ts'

export interface Told {
  readonly id: string
  readonly status: string
  /** Which process said so. */
  readonly by: string
  /** When it was asked, and answered: `performance.now()`. */
  readonly askedMs: number
  readonly atMs: number
}

export interface Customers {
  /** What was answered with 200, in order. */
  readonly told: Told[]
  /** How often each other status was the answer; `lost`: none came. */
  readonly others: Map<number | 'lost', number>
  /** Answers that say more than they should. */
  readonly unfit: string[]
  /** When each knows how its last payment ended. */
  stop(): Promise<void>
  /** At once. */
  giveUp(): Promise<void>
}

export interface Shop {
  readonly api_key: string
  readonly api_secret: string
  readonly offer: string
  readonly cards: readonly string[]
}

/** Load, and room for those who have to start beside it. */
const thinksMs = 50
const fits = [200, 202, 402, 409, 502, 503]

export function startCustomers(baseUrls: readonly string[], shop: Shop, atOnce = 6): Customers {
  const told: Told[] = []
  const others = new Map<number | 'lost', number>()
  const unfit: string[] = []
  let isOver = false
  let isGivenUp = false
  let payments = 0

  function heard(answer: Answer | null): void {
    const status = answer?.status ?? 'lost'
    others.set(status, (others.get(status) ?? 0) + 1)
    if (answer === null) return
    if (!fits.includes(answer.status) || /postgres|ECONN|syscall|socket|\bat .+:\d+/i.test(answer.text))
      unfit.push(`${answer.status} ${answer.text}`)
  }

  async function pay(): Promise<void> {
    const number = payments++
    const card = shop.cards[number % shop.cards.length] ?? ''
    for (let tries = number; !isGivenUp; tries++) {
      const by = baseUrls[tries % baseUrls.length] ?? ''
      const askedMs = performance.now()
      const client = new Client(by, shop.api_key, shop.api_secret)
      const answer = await client.charge(shop.offer, card, { key: `payment-${number}` }).catch(() => null)
      const transaction = answer?.json?.transaction
      if (answer?.status === 200 || answer?.status === 402) {
        told.push({ id: transaction.id, status: transaction.status, by, askedMs, atMs: performance.now() })
        return
      }
      heard(answer)
      await delay(20)
    }
  }

  async function customer(): Promise<void> {
    for (; !isOver; await delay(thinksMs)) await pay()
  }

  const all = Array.from({ length: atOnce }, customer)
  return {
    told,
    others,
    unfit,
    async stop() {
      isOver = true
      await Promise.all(all)
    },
    async giveUp() {
      isOver = true
      isGivenUp = true
    },
  }
}
