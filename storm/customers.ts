// Those who pay, refund and write mails while the storm goes on. Each of them does what a careful client does: asks again under the same key
// until it has an answer, at whichever process is there, and writes down everything that it was told.

import { setTimeout as delay } from 'node:timers/promises'
import type { Answer, Client } from '../server/test/support/client.ts'
import type { FilledMail } from '../server/test/support/mail-world.ts'
import { type Domain, send, sign, write } from '../server/test/support/mailbox.ts'
import type { Chance } from './chance.ts'
import { largeText, payLargeOnPage } from './large-inputs.ts'

/** Something that was asked for under one key, and what was said about it. */
export interface Wish {
  readonly key: string
  readonly path: string
  readonly form: { readonly [name: string]: string }
  /** Every transaction that an answer named: there must never be a second one. */
  readonly transactions: Set<string>
  /** The answer that is to stay; null: none yet. */
  told: Answer | null
  /** What was heard last, for whoever looks into it. */
  heard: string
  /** Answers that the service did not know better than to give: a database that is away is answered otherwise. */
  readonly broken: string[]
  /** The answer when all was over: it must say the same. */
  toldAgain: Answer | null
}

export interface Letter {
  readonly messageId: string
  /** The mail was taken: it is ours to answer for. */
  isTaken: boolean
}

export interface Shop {
  readonly clients: readonly Client[]
  readonly offers: readonly string[]
  /** Of which the page asks a lot. */
  readonly pageOffers: readonly string[]
  readonly cards: readonly string[]
  readonly buyers: readonly string[]
  readonly domain: Domain
  readonly mailPort: number
  /** What the links of the offers fill in: sent as they are, they charge at once. */
  readonly mails: readonly FilledMail[]
}

export interface Customers {
  readonly wishes: readonly Wish[]
  readonly letters: readonly Letter[]
  /** Until they are told to go home. */
  trade(): Promise<void>
  goHome(): void
  /** Asks once more for everything, and waits until all of it is answered. */
  askAgain(withinMs: number): Promise<void>
}

const answerWithinMs = 45_000
const triesMax = 40

export function createCustomers(shop: Shop, chances: readonly Chance[]): Customers {
  const wishes: Wish[] = []
  const letters: Letter[] = []
  let isOpen = true

  function newWish(path: string, form: Wish['form']): Wish {
    const wish = {
      key: `storm-${wishes.length}`,
      path,
      form,
      transactions: new Set<string>(),
      told: null,
      heard: 'nothing',
      broken: [],
      toldAgain: null,
    }
    wishes.push(wish)
    return wish
  }

  /** An answer that stays; null: none. */
  async function ask(wish: Wish, client: Client): Promise<Answer | null> {
    const headers = { 'idempotency-key': wish.key }
    const asked = client.ask(wish.path, { method: 'POST', form: wish.form, headers })
    const answer = await Promise.race([asked, delay(answerWithinMs, null, { ref: false })]).catch(() => null)
    wish.heard = answer === null ? 'no answer' : `${answer.status} ${answer.text}`
    if (answer?.status === 500) wish.broken.push(answer.text)
    const transaction = answer?.json?.transaction
    if (transaction?.id !== undefined) wish.transactions.add(transaction.id)
    return answer !== null && stays(answer) ? answer : null
  }

  async function insist(wish: Wish, chance: Chance): Promise<void> {
    for (let tries = 0; tries < triesMax && isOpen; tries++) {
      wish.told = await ask(wish, chance.pick(shop.clients))
      if (wish.told !== null) return
      await delay(chance.between(50, 600))
    }
  }

  async function pay(chance: Chance): Promise<void> {
    const form = { service_offer: chance.pick(shop.offers), token: chance.pick(shop.cards) }
    const held = chance.happens(0.2)
    const large = chance.happens(0.3)
    const wish = newWish('transactions', {
      ...form,
      ...(held && { authorization_only: 'true' }),
      ...(large && { referrer_context: largeText(chance, 255) }),
    })
    await insist(wish, chance)
    const { id, status } = wish.told?.json?.transaction ?? {}
    if (status === 'Authorized')
      await insist(newWish(`transactions/${id}/${chance.pick(['capture', 'void'])}`, {}), chance)
    if (status === 'Successful' && chance.happens(0.3)) await refund(id, chance)
  }

  async function refund(transaction: string, chance: Chance): Promise<void> {
    const amounts = chance.pick([['25.00'], ['10.00', '5.00'], ['10.00', '10.00', '10.00']])
    const large = chance.happens(0.5)
    for (const amount of amounts) {
      const texts = large ? { user: largeText(chance, 255), notes: largeText(chance, 2_500) } : {}
      await insist(newWish('transactions/refunds', { transaction, amount, ...texts }), chance)
    }
  }

  async function writeLetter(chance: Chance): Promise<void> {
    const from = chance.pick(shop.buyers)
    const { to, ...words } = chance.pick(shop.mails)
    const letter: Letter = { messageId: `<storm-${letters.length}@mail.test>`, isTaken: false }
    letters.push(letter)
    const mail = await sign(write(from, { to, ...words, messageId: letter.messageId }), { by: shop.domain })
    for (let tries = 0; tries < triesMax && isOpen && !letter.isTaken; tries++) {
      const reply = await Promise.race([
        send(shop.mailPort, mail, { from, to }),
        delay(answerWithinMs, '', { ref: false }),
      ]).catch(() => '')
      letter.isTaken = /^250 /.test(reply)
      if (!letter.isTaken) await delay(chance.between(100, 1_000))
    }
  }

  async function live(chance: Chance): Promise<void> {
    while (isOpen) {
      if (chance.happens(0.05)) await writeLetter(chance)
      else if (chance.happens(0.03))
        await payLargeOnPage(chance.pick(shop.clients), chance.pick(shop.pageOffers), chance)
      else await pay(chance)
      await delay(chance.between(0, 100))
    }
  }

  return {
    wishes,
    letters,
    trade: async () => void (await Promise.all(chances.map(live))),
    goHome() {
      isOpen = false
    },
    async askAgain(withinMs) {
      const deadlineMs = performance.now() + withinMs
      const next = wishes.values()
      const [client] = shop.clients as [Client]
      const askAll = async () => {
        for (const wish of next) {
          for (; wish.toldAgain === null && performance.now() < deadlineMs; await delay(20))
            wish.toldAgain = await ask(wish, client)
          wish.told ??= wish.toldAgain
        }
      }
      await Promise.all(Array.from({ length: 8 }, askAll))
    },
  }
}

/** Of a transaction that came to its end it does, whatever the status says of how; what was not taken up is asked for again. */
function stays({ status, json }: Answer): boolean {
  const known: string | undefined = json?.transaction?.status
  if (known !== undefined) return known !== 'Processing' && status !== 202
  return status < 500 && !asksAgain.includes(status)
}

/** It did not arrive in time, another is still at it, or it was too much. */
const asksAgain = [408, 409, 429]
