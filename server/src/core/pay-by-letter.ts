// Pays what a letter asks for, with the card stored for its sender. A letter comes to one transaction at most: it is done in
// the very commit that writes it, by whoever still holds it. What is missing makes the transaction wait for its customer;
// what cannot be paid makes it fail. Either is told, by a hook and by mail.

import { type CheckedFacts, chargeSale, newTransaction } from './begin-charge.ts'
import { asIfTaken, goOn, isWanting, usesOf, wantedForMs } from './go-on.ts'
import type { HeldLetter } from './letter.ts'
import { isWithin, type MailLimits, type Spent } from './mail-limits.ts'
import { type NotForSale, type Offer, whyNotForSale } from './offer.ts'
import type { Customer } from './people.ts'
import type { ChargeFacts, GatewayFacts, Ports } from './ports.ts'
import type { Sale } from './sale.ts'
import { owedEvent } from './settle.ts'
import { chargeFailed, customerMustGive, failureCodes, type Transaction, type Want } from './transaction.ts'

/** What is at hand when a letter is opened. The card is the newest of its sender that may be charged by mail. */
export interface LetterFacts extends ChargeFacts {
  readonly offer: Offer
  readonly customer: Customer
  readonly gateway: GatewayFacts
  /** In the offer's currency. */
  readonly limits: MailLimits
  readonly spent: Spent
}

export interface LetterPorts extends Ports {
  readonly letters: {
    /** Its customer is written where they are new: a transaction belongs to somebody. */
    facts(letter: HeldLetter): Promise<LetterFacts>
    /** It comes to nothing. */
    close(letter: HeldLetter): Promise<void>
    /** A link with which the sender gives their word, by a token that is good once and for an hour. */
    verification(sale: Sale): Promise<{ readonly mailTo: string; readonly boxSha256: string } | null>
  }
}

/** What may happen meanwhile happens once or twice: the last unit is sold, the limit is reached. */
const triesMax = 3

export async function payByLetter(ports: LetterPorts, letter: HeldLetter): Promise<void> {
  if (letter.verifies !== null) return takeTheirWord(ports, letter)
  for (let tries = 0; tries < triesMax; tries += 1) {
    const facts = await ports.letters.facts(letter)
    const stands = standing(letter, facts, ports.now())
    const done =
      stands.kind === 'charge' ? await charge(ports, letter, stands) : await write(ports, letter, facts, stands)
    if (done) return
  }
  throw new Error(`letter ${letter.id} could not be decided`)
}

type Standing =
  | { readonly kind: 'charge'; readonly facts: CheckedFacts & LetterFacts }
  | { readonly kind: 'wants'; readonly want: Want }
  | { readonly kind: 'fails'; readonly code: keyof typeof failureCodes }

const notForSaleCodes = {
  inactive: 'offer_inactive',
  expired: 'offer_expired',
  used_up: 'offer_used_up',
  for_another: 'offer_for_another',
} as const satisfies { readonly [why in NotForSale]: keyof typeof failureCodes }

/** Nothing about a customer decides anything before it is proven that they wrote. */
export function standing(letter: HeldLetter, facts: LetterFacts, now: Date): Standing {
  const { offer, card, customer, gateway, limits, spent } = facts
  const why = whyNotForSale(offer, { quantity: 1, email: letter.sender, now })
  if (why !== null) return { kind: 'fails', code: notForSaleCodes[why] }
  if (!letter.isProven) return { kind: 'wants', want: 'proof' }
  if (card === null) return { kind: 'wants', want: 'card' }
  if (!gateway.active) return { kind: 'fails', code: 'gateway_inactive' }
  if (isSomethingMissing(offer, customer)) return { kind: 'wants', want: 'field' }
  if (!isWithin(limits, spent, offer.amountMinor)) return { kind: 'wants', want: 'limit' }
  return { kind: 'charge', facts: { ...facts, card } }
}

/** A mail answers no questions, but an address that is known is one. */
export function isSomethingMissing({ customFields, address }: Offer, { shipping, billing }: Customer): boolean {
  if (customFields.some(({ required }) => required)) return true
  return (address === 'shipping' && shipping === null) || (address === 'billing' && billing === null)
}

function asked(letter: HeldLetter) {
  const { tokenSha256 } = letter
  return {
    ...{ quantity: 1, authorizationOnly: null, referrerContext: null, entered: null, tokenSha256 },
    source: 'Email Transaction' as const,
  }
}

/** False: things have changed, and it is to be looked at anew. */
async function charge(
  ports: LetterPorts,
  held: HeldLetter,
  { facts }: Standing & { kind: 'charge' },
): Promise<boolean> {
  const transaction = newTransaction(ports, asked(held), facts)
  const uses = usesOf(held.tokenSha256, facts.offer, facts.customer)
  const settled = await chargeSale(ports, facts, transaction, first =>
    ports.store.create({ ...first, repetition: null, letter: { held, uses, limits: facts.limits } }),
  )
  if (settled === 'token_used') await ports.letters.close(held)
  return settled !== 'sold_out' && settled !== 'over_limit'
}

async function write(
  ports: LetterPorts,
  held: HeldLetter,
  facts: LetterFacts,
  stands: Exclude<Standing, { kind: 'charge' }>,
): Promise<boolean> {
  // No card is named before it is charged: who wrote may not be who has it.
  const transaction = newTransaction(ports, asked(held), { ...facts, card: null })
  const { merchant, offer, customer } = facts
  const sale: Sale = { merchant, offer, customer, card: null, transaction, operations: [], disputes: [] }
  const ended = stands.kind === 'fails' ? failing(sale, stands.code) : await wanting(ports, sale, stands.want)
  const { after, verifiedBy } = ended
  const kind = after.status === 'Failed' ? ('error' as const) : ('far' as const)
  const told = { ...sale, transaction: after }
  const event = owedEvent(ports, kind === 'error' ? asIfTaken(told) : told, kind, kind, 'charge')
  await ports.store.createUncharged({ sale, held, after, event, verifiedBy })
  return true
}

function failing({ transaction }: Sale, code: keyof typeof failureCodes): Ended {
  return { after: chargeFailed(transaction, { code, sentence: failureCodes[code] }), verifiedBy: null }
}

interface Ended {
  readonly after: Transaction
  readonly verifiedBy: string | null
}

async function wanting(ports: LetterPorts, sale: Sale, want: Want): Promise<Ended> {
  const until = new Date(ports.now().getTime() + wantedForMs)
  const verified = want === 'limit' ? await ports.letters.verification(sale) : null
  const after = customerMustGive(sale.transaction, { wants: want, mailTo: verified?.mailTo ?? null, until })
  return { after, verifiedBy: verified?.boxSha256 ?? null }
}

/** A second letter, by which the sender stands by the first. Whatever else it comes to, it makes no transaction of its own. */
async function takeTheirWord(ports: LetterPorts, held: HeldLetter): Promise<void> {
  const { merchantId, verifies, tokenSha256 } = held
  const waiting = verifies === null ? null : await ports.store.load(merchantId, verifies)
  const isTheirs = waiting !== null && held.isProven && waiting.customer.email === held.sender
  if (!isTheirs || !isWanting(waiting.transaction, ports.now())) return ports.letters.close(held)
  const { card } = await ports.letters.facts(held)
  if (card === null) return ports.letters.close(held)
  const uses = tokenSha256 === null ? [] : [{ boxSha256: tokenSha256, usedBy: '' }]
  const transactionId = waiting.transaction.id
  const letter = { held, uses }
  const command = { merchantId, transactionId, cardToken: card.token, entered: null, repetition: null, letter }
  if ((await goOn(ports, command)) === null) await ports.letters.close(held)
}
