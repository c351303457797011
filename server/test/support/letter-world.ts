// Everything that a crash test of paying by mail needs: the crash test's world, with a front desk that takes mail and
// requests, workers that pay and die, customers whose keys stand in DNS, their mailboxes, and the merchant's application.

import assert from 'node:assert/strict'
import type { Client } from './client.ts'
import type { OpenLink } from './confirm.ts'
import { startDns } from './dns-server.ts'
import type { Held } from './gate.ts'
import type { HeldAt } from './held-commit.ts'
import { type HeldWorks, holdWorks } from './held-works.ts'
import { type HookReceiver, startReceiver } from './hook-receiver.ts'
import { expireLeases } from './leases.ts'
import { type MailRelay, startRelay } from './mail-relay.ts'
import { filledBy } from './mail-world.ts'
import { answersOf, type Domain, domain, send, sign, write } from './mailbox.ts'
import { addEndpoint } from './merchant-endpoint.ts'
import type { ServiceProcess } from './process.ts'
import { addPreSale, removePreSale } from './steps.ts'
import { until } from './until.ts'
import { type CrashWorld, openCrashWorld } from './world.ts'

const mailDomain = 'pay.test'

export interface LetterWorld extends CrashWorld {
  readonly rest: Client
  readonly customers: Domain
  readonly relay: MailRelay
  /** Holds the relay's word that it took the next mail. */
  holdReceipt(): Held
  readonly receiver: HookReceiver
  /** The process that takes mail in, at present. */
  front: ServiceProcess
}

export async function openLetterWorld(): Promise<LetterWorld> {
  const customers = domain('example.org')
  const dns = await startDns(answersOf(customers))
  let hasTaken = async () => {}
  const relay = await startRelay({ hasTaken: () => hasTaken() })
  const holdReceipt = (): Held => {
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    hasTaken = async () => {
      hasTaken = async () => {}
      reached.resolve()
      await released.promise
    }
    return { reached: reached.promise, release: released.resolve }
  }
  const environment = {
    TILLBELL_DNS: dns.address,
    TILLBELL_MAIL_DOMAIN: mailDomain,
    TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}`,
  }
  const roles = { rescuerRoles: 'api,mail', victimRoles: 'worker' }
  const crash = await openCrashWorld({ environment, ...roles, ownMerchant: true })
  const { database, sheet, rescuer: front } = crash
  const receiver = await startReceiver(sheet.private_key)
  for (const kind of ['transaction', 'far', 'error'])
    await addEndpoint(database.sql, sheet.merchant, { url: receiver.url, kind })
  const rest = crash.clientOf(front)
  // So that mails to an offer's own address charge too, where their words are those of its link.
  const settings = await rest.ask('mail_settings', { method: 'PATCH', json: { public_charge_at_once: true } })
  assert.equal(settings.status, 200, settings.text)
  const world: LetterWorld = {
    ...{ ...crash, rest, customers, relay, holdReceipt, receiver, front },
    async close() {
      await world.front.kill()
      await crash.close()
      await Promise.all([dns.close(), relay.close(), receiver.close()])
    },
  }
  return world
}

/** A customer with a card, and an offer that nobody else buys. */
export interface Buyer {
  readonly email: string
  readonly offer: string
  /** Where their mail goes: to the offer's own address, or where tokens go. */
  readonly to: string
  readonly subject: string
  /** The words of their mail, as a link filled them in; a token in them pays for the offer, or goes on with what waits. */
  readonly text: string
}

let buyers = 0
/** Of several cards: on the page one card is tried so often and no more, and a process that is killed gives no try back. */
const cardNumbers = ['4111111111111111', '5555555555554444', '6011111111111117', '378282246310005']

export async function newBuyer(world: LetterWorld, by: 'token' | 'address', amount = '25.00'): Promise<Buyer> {
  const { rest } = world
  buyers += 1
  const email = `buyer-${buyers}@example.org`
  await rest.storeCard(cardNumbers[buyers % cardNumbers.length], { email })
  const offer = await rest.makeOffer({ amount, stock: 10 })
  const link =
    by === 'address'
      ? (await rest.ask(`offers/${offer}`)).json.offer
      : (await rest.ask(`offers/${offer}/links`, { form: { email } })).json.link
  return { email, offer, ...filledBy(link.mail_to) }
}

/** One whose payment waits until they press the button behind a link. */
export async function newBuyerToConfirm(world: LetterWorld): Promise<Buyer> {
  const buyer = { ...(await newBuyer(world, 'address')), text: 'I take it.' }
  assert.match(await post(world, buyer), /^250 /)
  await everythingIsDone(world)
  return buyer
}

/** One whose payment waits for their word, which their next mail gives. */
export async function newBuyerOverLimit(world: LetterWorld): Promise<Buyer> {
  const buyer = await newBuyer(world, 'token', '500.01')
  assert.match(await post(world, buyer), /^250 /)
  await everythingIsDone(world)
  const [waiting] = (await world.rest.ask(`transactions?offer=${buyer.offer}`)).json
  return { ...buyer, ...filledBy(waiting.further_action.mail_to) }
}

export type Signed = 'signed' | 'not signed'

export async function newMail({ customers }: LetterWorld, buyer: Buyer, signed: Signed): Promise<Buffer> {
  const { email, to, subject, text } = buyer
  const mail = write(email, { to, subject, text })
  return signed === 'signed' ? sign(mail, { by: customers }) : mail
}

export const envelopeOf = ({ email, to }: Buyer) => ({ from: email, to })

/** What the front desk said. */
export async function post(world: LetterWorld, buyer: Buyer, signed: Signed = 'signed'): Promise<string> {
  return send(world.front.mailPort, await newMail(world, buyer, signed), envelopeOf(buyer))
}

type HeldMessage = 'Pre-Sale' | 'request' | 'answer' | 'receipt'

/** Where the worker is held, which has this buyer's letter in hand. */
export interface HeldLetter {
  readonly buyer: Buyer
  readonly at: HeldAt | HeldMessage
  readonly signed?: Signed
  /** The merchant is asked before it. */
  readonly hasPreSale?: boolean
}

/** Posts each, and waits until it is where it is to be held, before the next. */
export async function holdLetters(world: LetterWorld, letters: readonly HeldLetter[]): Promise<HeldWorks> {
  const held = await holdWorks(
    world.database.sql,
    letters.map(({ buyer, signed, at, hasPreSale = false }) => ({
      offer: buyer.offer,
      at: typeof at === 'string' ? () => messageHeld(world, at) : at,
      async begin() {
        await removePreSale(world)
        if (hasPreSale) await addPreSale(world)
        assert.match(await post(world, buyer, signed), /^250 /)
      },
    })),
  )
  await removePreSale(world)
  return held
}

/** Where a process is held that confirms this buyer's payment. */
export interface HeldConfirmation {
  readonly buyer: Buyer
  readonly page: OpenLink
  readonly at: HeldAt | 'request' | 'answer'
}

/** The customers press, one after the other, each until it is where it is to be held. Nobody hears what a killed process says. */
export function holdConfirmations(world: LetterWorld, all: readonly HeldConfirmation[]): Promise<HeldWorks> {
  return holdWorks(
    world.database.sql,
    all.map(({ buyer, page, at }) => ({
      offer: buyer.offer,
      at: typeof at === 'string' ? () => world.gate.holdNext(at) : at,
      async begin() {
        page.press().catch(() => null)
      },
    })),
  )
}

function messageHeld({ gate, preSale, holdReceipt }: LetterWorld, at: HeldMessage): Held {
  if (at === 'receipt') return holdReceipt()
  return at === 'Pre-Sale' ? preSale.holdNext() : gate.holdNext(at)
}

/** What time does to a worker that is dead or stands still: others take it for dead, and its leases are over. */
export async function buryWorkers(world: LetterWorld): Promise<void> {
  await world.database.sql`delete from worker`
  await expireLeases(world.database.sql)
}

/** Every letter came to its end, and whoever is owed a word has it. */
export async function everythingIsDone({ database: { sql } }: LetterWorld): Promise<void> {
  await until('nothing is open', async () => {
    const open = await sql`select from letter where state = 'waiting'
      union all select from transaction where status = 'Processing'
      union all select from operation where outcome in ('pending', 'unknown')
      union all select from outgoing_mail where state = 'waiting'
      union all select from owed_delivery where state = 'pending'`
    return open.length === 0
  })
}
