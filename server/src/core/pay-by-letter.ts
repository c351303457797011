// Pays what a letter asks for, with the card stored for its sender. A letter comes to one transaction at most: it is done in
// the very commit that writes it, by whoever still holds it. What is missing makes the transaction wait for its customer;
// what cannot be paid makes it fail. Either is told, by a hook and by mail.

import { type CheckedFacts, chargeSale, newTransaction } from './begin-charge.ts'
import { asIfTaken, endWanting, goOn, isWanting, usesOf, wantedForMs } from './go-on.ts'
import type { LetterId, TransactionId } from './ids.ts'
import { type HeldLetter, refusedAtOnce, signedWithinMs } from './letter.ts'
import { isWithin, type MailLimits, type Spent } from './mail-limits.ts'
import { askedAddresses, type NotForSale, type Offer, whyNotForSale } from './offer.ts'
import type { Customer } from './people.ts'
import type { ChargeFacts, GatewayFacts, OnlyIfUnpaid, Ports } from './ports.ts'
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
  /** The merchant lets letters of this kind, public or personal, charge at once. */
  readonly mayChargeAtOnce: boolean
  /** Its sender has used its token, or nobody may any more. */
  readonly isTokenSpent: boolean
  /** The offer is for one customer: after its token was made. Null: the offer is for everybody. */
  readonly onlyIfUnpaid: OnlyIfUnpaid | null
  /** The offer is for one customer, and was paid, or may have been, after its token was made. */
  readonly isPaidBefore: boolean
}

export interface LetterPorts extends Ports {
  readonly letters: {
    /** Its customer is written where they are new: a transaction belongs to somebody. */
    facts(letter: HeldLetter): Promise<LetterFacts>
    /** It comes to nothing, because of this. */
    close(letter: HeldLetter, because: string): Promise<void>
    /** The same mail in another copy, with a signature that holds or without one; null: there is none. */
    twin(letter: HeldLetter): Promise<Twin | null>
    /** It confirms nothing by itself, because of this: what it was about waits for a link, which its sender is mailed. */
    askForConfirmation(letter: HeldLetter, before: Transaction, after: Transaction, because: string): Promise<void>
    /** A link with which the sender gives their word, by a token that is good once and for an hour. */
    verification(sale: Sale): Promise<{ readonly mailTo: string; readonly boxSha256: string } | null>
  }
}

/** Of two copies of a mail, one may have lost its signature on the way: they are one mail, and make one transaction. */
export interface Twin {
  readonly id: LetterId
  readonly isProven: boolean
  /** It waits no more: what it came to is decided. */
  readonly isDone: boolean
  /** What it came to; null: it waits yet, or came to nothing. */
  readonly transactionId: TransactionId | null
  /** Its sender was told that nothing was charged, because its token could not pay when it came. */
  readonly isRefused: boolean
}

const tokenSpent = 'Its token was used or revoked before.'
const otherWords = 'Its words are not those of its link: its sender was asked to confirm the payment by a link.'
const noCard = 'Its sender has no card any more that can be charged by mail: they were asked for one by a link.'
const waitsNoMore = 'The payment that it confirms waits no more.'
const changedMeanwhile = 'Something changed meanwhile: its sender was asked to confirm the payment by a link.'
const paidBefore = 'The offer may have been paid before: its sender was asked to confirm the payment by a link.'

/**
 * What may happen meanwhile happens once or twice: the last unit is sold, the limit is reached, another payment is made, another copy of
 * the mail is done.
 */
const triesMax = 3

export async function payByLetter(ports: LetterPorts, letter: HeldLetter): Promise<void> {
  if (letter.verifies !== null) return takeTheirWord(ports, letter, letter.verifies)
  for (let tries = 0; tries < triesMax; tries += 1) {
    const twin = await ports.letters.twin(letter)
    if (twin?.isRefused === true) return ports.letters.close(letter, refusedAtOnce)
    if (twin?.isProven === true) return ports.letters.close(letter, 'Another copy of this mail proves its sender.')
    const came = twin === null ? null : await earlierCopy(ports, letter, twin)
    if (came === 'paid') return ports.letters.close(letter, 'A copy of this mail was paid before.')
    const facts = await ports.letters.facts(letter)
    if (letter.isProven && facts.isTokenSpent) return ports.letters.close(letter, tokenSpent)
    const stands = standing(letter, { ...facts, hasFailedBefore: came === 'failed' }, ports.now())
    const earlier: Earlier = { sale: came === 'failed' ? null : came, doneCopy: twin?.isDone === true ? twin.id : null }
    const done =
      stands.kind === 'charge'
        ? await charge(ports, letter, stands, earlier)
        : await write(ports, letter, facts, stands, earlier)
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

interface FactsOfMail extends LetterFacts {
  /** Another copy of the mail came to a payment that failed: its sender may have been told that nothing was charged. */
  readonly hasFailedBefore: boolean
}

/** Nothing about a customer decides anything before it is proven that they wrote. */
function standing(letter: HeldLetter, facts: FactsOfMail, now: Date): Standing {
  const { offer, card, customer, gateway, limits, spent } = facts
  const why = whyNotForSale(offer, { quantity: 1, email: letter.sender, now })
  if (why !== null) return { kind: 'fails', code: notForSaleCodes[why] }
  if (letter.isForAnother) return { kind: 'fails', code: 'offer_for_another' }
  if (!gateway.active) return { kind: 'fails', code: 'gateway_inactive' }
  if (!letter.isProven) return { kind: 'wants', want: 'proof' }
  if (card === null) return { kind: 'wants', want: 'card' }
  if (isSomethingMissing(offer, customer)) return { kind: 'wants', want: 'field' }
  // What was meant to be paid once may have been paid on the page while the mail was on its way.
  const isSettled = facts.isPaidBefore || facts.hasFailedBefore
  if (!chargesAtOnce(letter, facts, now) || isSettled) return { kind: 'wants', want: 'confirmation' }
  if (!isWithin(limits, spent, offer.amountMinor)) return { kind: 'wants', want: 'limit' }
  return { kind: 'charge', facts: { ...facts, card } }
}

/** Everything else is confirmed by a link: who sent a mail may have been made to, by somebody else's Reply-To or invitation. */
function chargesAtOnce({ hasConsent, receivedAt }: HeldLetter, { mayChargeAtOnce }: LetterFacts, now: Date): boolean {
  // Where nobody decided it for days, its sender may have given up, or have paid in another way.
  const isOld = now.getTime() - receivedAt.getTime() > signedWithinMs
  return hasConsent === true && mayChargeAtOnce && !isOld
}

/** A mail answers no questions, but an address that is known is one. */
export function isSomethingMissing(offer: Offer, customer: Customer): boolean {
  const isAnswerMissing = offer.customFields.some(({ required }) => required)
  return isAnswerMissing || askedAddresses(offer).some(kind => customer[kind] === null)
}

function asked(letter: HeldLetter) {
  const { tokenSha256 } = letter
  return {
    ...{ quantity: 1, authorizationOnly: null, referrerContext: null, entered: null, tokenSha256 },
    source: 'Email Transaction' as const,
  }
}

/** What another copy of the mail, which proved nothing, came to. */
interface Earlier {
  /** It waits for its customer. */
  readonly sale: Sale | null
  /** The commit is refused where any other copy is done by then. */
  readonly doneCopy: LetterId | null
}

/** Null: nothing that stands in the way. */
async function earlierCopy(
  ports: LetterPorts,
  letter: HeldLetter,
  twin: Twin,
): Promise<Sale | 'paid' | 'failed' | null> {
  const sale = twin.transactionId === null ? null : await ports.store.load(letter.merchantId, twin.transactionId)
  if (sale === null) return null
  const { status, failure } = sale.transaction
  // We ended it ourselves, to ask for something else: nobody was told so by mail.
  if (status === 'Failed') return failure?.code === 'asked_again' ? null : 'failed'
  return isWanting(sale.transaction, ports.now()) ? sale : 'paid'
}

/** False: things have changed, and it is to be looked at anew. An earlier copy's payment goes on with the proof that it lacked. */
async function charge(
  ports: LetterPorts,
  held: HeldLetter,
  { facts }: Standing & { kind: 'charge' },
  { sale: earlier, doneCopy }: Earlier,
): Promise<boolean> {
  const { onlyIfUnpaid } = facts
  if (earlier !== null) {
    const letter = { held, uses: [], limits: facts.limits, doneCopy }
    const given = { merchantId: held.merchantId, entered: null, repetition: null, letter, onlyIfUnpaid }
    const { id } = earlier.transaction
    return (await goOn(ports, { ...given, transactionId: id, cardToken: facts.card.token })) !== null
  }
  const transaction = newTransaction(ports, asked(held), facts)
  const uses = usesOf(held.tokenSha256, facts.customer)
  const settled = await chargeSale(ports, facts, transaction, first =>
    ports.store.create({
      ...first,
      repetition: null,
      letter: { held, uses, limits: facts.limits, doneCopy },
      onlyIfUnpaid,
    }),
  )
  if (settled === 'token_used') await ports.letters.close(held, tokenSpent)
  return typeof settled !== 'string' || !decidedAnew.has(settled)
}

const decidedAnew: ReadonlySet<string> = new Set(['sold_out', 'over_limit', 'paid_meanwhile', 'copy_done'])

async function write(
  ports: LetterPorts,
  held: HeldLetter,
  facts: LetterFacts,
  stands: Exclude<Standing, { kind: 'charge' }>,
  { sale: earlier, doneCopy }: Earlier,
): Promise<boolean> {
  // It waits for a proof that is there by now; what is still missing is asked of who proved to have written.
  const askedAgain = { code: 'asked_again', sentence: failureCodes.asked_again } as const
  if (earlier !== null && !(await endWanting(ports, earlier, askedAgain))) return false
  // No card is named before it is charged: who wrote may not be who has it.
  const transaction = newTransaction(ports, asked(held), { ...facts, card: null })
  const { merchant, offer, customer } = facts
  const sale: Sale = { merchant, offer, customer, card: null, transaction, operations: [], disputes: [] }
  const ended = stands.kind === 'fails' ? failing(sale, stands.code) : await wanting(ports, sale, stands.want)
  const { after, verifiedBy } = ended
  const kind = after.status === 'Failed' ? ('error' as const) : ('far' as const)
  const told = { ...sale, transaction: after }
  const event = owedEvent(ports, kind === 'error' ? asIfTaken(told) : told, kind, kind, 'charge')
  return (await ports.store.createUncharged({ sale, held, doneCopy, after, event, verifiedBy })) !== 'copy_done'
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

/** A second letter, by which the sender stands by the first. It makes no transaction of its own. */
async function takeTheirWord(ports: LetterPorts, held: HeldLetter, verifies: TransactionId): Promise<void> {
  const close = (because: string) => ports.letters.close(held, because)
  const waiting = await ports.store.load(held.merchantId, verifies)
  const isTheirs = waiting !== null && held.isProven && waiting.customer.email === held.sender
  if (!isTheirs) return close('Its sender is not proven to be who is asked to confirm.')
  if (!isWanting(waiting.transaction, ports.now())) return close(waitsNoMore)
  const facts = await ports.letters.facts(held)
  if (!chargesAtOnce(held, facts, ports.now())) return askForLink(ports, held, waiting.transaction, otherWords)
  const why = whyNotForSale(facts.offer, { quantity: 1, email: held.sender, now: ports.now() })
  if (why !== null) return endForGood(ports, held, waiting, notForSaleCodes[why])
  if (!facts.gateway.active) return endForGood(ports, held, waiting, 'gateway_inactive')
  if (facts.isPaidBefore) return askForLink(ports, held, waiting.transaction, paidBefore)
  const { card, onlyIfUnpaid } = facts
  if (card === null) return askForLink(ports, held, waiting.transaction, noCard, 'card')
  const uses = usesOf(held.tokenSha256, waiting.customer)
  const command = { merchantId: held.merchantId, transactionId: verifies, cardToken: card.token, entered: null }
  const sale = await goOn(ports, {
    ...command,
    repetition: null,
    letter: { held, uses, limits: null, doneCopy: null },
    onlyIfUnpaid,
  })
  if (sale !== null) return
  const after = await ports.store.load(held.merchantId, verifies)
  if (after === null || !isWanting(after.transaction, ports.now())) return close(waitsNoMore)
  await askForLink(ports, held, after.transaction, changedMeanwhile)
}

/** It stays the same transaction, and waits as long as it would have. */
async function askForLink(
  ports: LetterPorts,
  held: HeldLetter,
  before: Transaction,
  because: string,
  wants: Want = 'confirmation',
): Promise<void> {
  if (before.actionExpiresAt === null) throw new Error(`transaction ${before.id} waits for nothing`)
  const after = customerMustGive(before, { wants, mailTo: null, until: before.actionExpiresAt })
  await ports.letters.askForConfirmation(held, before, after, because)
}

/** What its customer stands by cannot be paid any more: it does not wait out its time, and they are told. */
async function endForGood(
  ports: LetterPorts,
  held: HeldLetter,
  waiting: Sale,
  code: keyof typeof failureCodes,
): Promise<void> {
  await endWanting(ports, waiting, { code, sentence: failureCodes[code] })
  await ports.letters.close(held, failureCodes[code])
}
