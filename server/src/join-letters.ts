// Joins letters to the world: what takes them in, the rows they are kept in, and the worker that pays them.

import type { KeyObject } from 'node:crypto'
import { expectedSentence } from './api/mail-to.ts'
import { maskCardNumbers } from './core/card-number.ts'
import type { CustomerId, LetterId, MerchantId, OfferId } from './core/ids.ts'
import { parseUuid } from './core/ids.ts'
import { type HeldLetter, refusedAtOnce, type Verdict, type Wanted } from './core/letter.ts'
import { limitsIn } from './core/mail-limits.ts'
import type { Offer } from './core/offer.ts'
import { type LetterFacts, payByLetter } from './core/pay-by-letter.ts'
import type { Customer } from './core/people.ts'
import type { OnlyIfUnpaid } from './core/ports.ts'
import type { Transaction } from './core/transaction.ts'
import type { Foundation } from './foundation.ts'
import type { Joined } from './join-core.ts'
import { verifications } from './join-offer-tokens.ts'
import { tokens } from './join-tokens.ts'
import { tries } from './join-tries.ts'
import { createHands, type Hands } from './mail/hands.ts'
import type { Asked, InboundPorts, NewLetter } from './mail/in/ports.ts'
import { createMailResolver } from './mail/in/resolver.ts'
import { sandboxMailKey, sandboxNames } from './mail/in/sandbox-names.ts'
import type { Logger } from './observe/log.ts'
import { mayBePaidAfterBackup } from './restored.ts'
import { belongsTo } from './setup/merchant.ts'
import { cardsToPayWith, customerOrKnown, findCustomer } from './store/cards.ts'
import { newestPayment } from './store/checkouts.ts'
import { whileReconnecting } from './store/database.ts'
import { findOwner } from './store/directory.ts'
import { findDefaultGateway } from './store/gateways.ts'
import { askForConfirmation } from './store/letter-sales.ts'
import {
  claimLetters,
  closeLetter,
  findLetterByKeys,
  findTwin,
  freeLetters,
  insertLetter,
  merchantsWithLetters,
  readSpent,
} from './store/letters.ts'
import { readMailSettings } from './store/mail-settings.ts'
import { findMerchant } from './store/merchants.ts'
import { findOffer } from './store/offers.ts'
import { findLetter } from './store/shown-letters.ts'
import { findTokenTime, isTokenSpent } from './store/token-uses.ts'

/** Taking mail in: for SMTP, for HTTP and for the command line. */
export function inboundPorts(foundation: Foundation, resolve: InboundPorts['resolve']): Omit<InboundPorts, 'reader'> {
  const { sql, config, clock } = foundation
  const { open, merchantOf } = tokens(foundation)
  const { take } = tries(foundation)
  return {
    mailDomain: config.mailDomain,
    findOffer: text => wantedOffer(foundation, text),
    async openToken(text) {
      const opened = await open(text)
      if (opened === null || (await takesPayments(foundation, opened.merchantId))) return opened
      return { ...opened, isGood: false }
    },
    expectedSentences: wanted => expectedSentences(foundation, wanted),
    async keptBefore(token, key) {
      const merchantId = await merchantOf(token)
      const known = merchantId === null ? null : await findLetterByKeys(sql, merchantId, [key])
      const letter = merchantId === null || known === null ? null : await findLetter(sql, merchantId, known.id)
      if (letter === null || letter.verdict === null) return null
      return { id: letter.id, verdict: letter.verdict, isRefused: letter.closedBecause === refusedAtOnce }
    },
    async mayKeep(merchantId, { isProven, isAligned, sender }, clientAddress) {
      if (!isProven) {
        const isStray = !isAligned && clientAddress !== null
        const [kind, name] = isStray ? (['stray', clientAddress] as const) : (['letter', sender ?? ''] as const)
        if (!(await take(merchantId, kind, name)).ok) return false
      }
      // Of whoever is not aligned, nobody knows which domain they are of.
      if (sender === null || !isAligned) return true
      const isKnown = (await findCustomer(sql, merchantId, sender)) !== null
      return isKnown || (await take(merchantId, 'newcomers', sender.slice(sender.lastIndexOf('@') + 1))).ok
    },
    mayBeUndecided: async (merchantId, clientAddress) =>
      clientAddress === null || (await take(merchantId, 'stray', clientAddress)).ok,
    keep: letter => keep(foundation, letter),
    resolve,
    now: clock.worldNow,
  }
}

export function mailResolver(foundation: Foundation): ReturnType<typeof createMailResolver> {
  const signer = sandboxSigner(foundation)
  const own = signer === null ? {} : { ownNames: sandboxNames(signer) }
  return createMailResolver({ dns: foundation.config.dns, ...own })
}

/** What the sandbox's own customers sign with; null: mail is the world's, and so are its names. */
export function sandboxSigner({ config, lastingKeys }: Foundation): KeyObject | null {
  const isSandbox = config.mode === 'sandbox' && config.dns === null
  return isSandbox ? sandboxMailKey(lastingKeys['mail of the sandbox']) : null
}

/** Nobody can be paid without a gateway: there is no such address until the merchant has one. */
async function wantedOffer(foundation: Foundation, text: string): Promise<Asked | null> {
  const offerId = parseUuid<OfferId>(text)
  const merchantId = offerId === null ? null : await findOwner(foundation.sql, 'offer', offerId)
  if (offerId === null || merchantId === null || !(await takesPayments(foundation, merchantId))) return null
  const noToken = { tokenSha256: null, verifies: null, onlyCard: null, isPersonal: false, onlyEmail: null }
  return { merchantId, offerId, ...noToken }
}

/** Those of our links, in the merchant's present name, and those that the merchant has listed. */
async function expectedSentences({ sql }: Foundation, wanted: Wanted): Promise<readonly string[]> {
  const { merchantId, offerId, verifies } = wanted
  const [merchant, offer, { sentences }] = await Promise.all([
    findMerchant(sql, merchantId),
    findOffer(sql, merchantId, offerId),
    readMailSettings(sql, merchantId),
  ])
  if (merchant === null || offer === null) return []
  return [expectedSentence(offer, merchant, verifies !== null), ...sentences]
}

/** Whether mails to this merchant may pay: it has a gateway, and has not turned paying by mail off. */
async function takesPayments({ sql }: Foundation, merchantId: MerchantId): Promise<boolean> {
  const [gateway, { payments }] = await Promise.all([
    findDefaultGateway(sql, merchantId),
    readMailSettings(sql, merchantId),
  ])
  return gateway !== null && payments
}

async function keep({ sql, sealer, clock, newUuid }: Foundation, letter: NewLetter): ReturnType<InboundPorts['keep']> {
  const { wanted, verdict, isForAnother, isAnswerable, language, messageId, isRefused, keys, kept } = letter
  const { merchantId } = wanted
  const id = newUuid() as LetterId
  const row = {
    ...{ ...wanted, id, receivedAt: clock.now(), isAnswerable, language, verdict: masked(verdict) },
    ...{ sender: verdict.sender, isProven: verdict.isProven },
    ...{ hasConsent: verdict.consent?.isGiven === true, isForAnother },
    messageId: messageId === null ? null : maskCardNumbers(messageId),
    closedBecause: isRefused ? refusedAtOnce : null,
    rawSealed: sealer.seal(kept, belongsTo.letter(merchantId, id)),
  }
  if (await insertLetter(sql, row, keys)) return { id, known: false, isRefused }
  const known = await findLetterByKeys(sql, merchantId, keys)
  if (known === null) throw new Error('a letter is known, and cannot be found')
  return { id: known.id, known: true, isRefused: known.closedBecause === refusedAtOnce }
}

/** What a verdict says of signatures quotes the mail, and strangers write what they like. */
function masked(verdict: Verdict): Verdict {
  const quoted = { rules: verdict.rules, signatures: verdict.signatures }
  return { ...verdict, ...JSON.parse(maskCardNumbers(JSON.stringify(quoted))) }
}

const inHandMax = 32
const perMerchantMax = 4

/** Pays what letters ask for. */
export function letterWorker(foundation: Foundation, log: Logger, joined: Joined): Hands {
  const { sql } = foundation
  const ports = { ...joined.ports, letters: letterStore(foundation, joined) }
  return createHands<HeldLetter>({
    store: {
      listDue: () => merchantsWithLetters(sql),
      claim: (merchantId, claim) => claimLetters(sql, merchantId, claim),
      freeOthers: (holder, inHand) => freeLetters(sql, holder, inHand),
    },
    work: held => sql.worksFor(held, () => payByLetter(ports, held)),
    inHandMax,
    perMerchantMax,
    holder: joined.deliverer.holder,
    now: joined.ports.now,
    freed: count => log.warn({ count }, 'letters freed that nobody had in hand'),
    failed: error => log.error({ err: error }, 'paying by mail failed'),
  })
}

function letterStore(foundation: Foundation, joined: Joined) {
  const { sql } = foundation
  return {
    facts: (letter: HeldLetter) => whileReconnecting(() => letterFacts(foundation, joined, letter)),
    async close(letter: HeldLetter, because: string) {
      await closeLetter(sql, letter, because)
    },
    askForConfirmation: (letter: HeldLetter, before: Transaction, after: Transaction, because: string) =>
      askForConfirmation(sql, letter, before, after, because),
    twin: (letter: HeldLetter) => findTwin(sql, letter),
    verification: verifications(foundation, joined),
  }
}

async function letterFacts({ sql, newUuid }: Foundation, { ports }: Joined, letter: HeldLetter): Promise<LetterFacts> {
  const { merchantId, offerId, sender } = letter
  const now = ports.now()
  const newId = newUuid() as CustomerId
  const customer =
    sender === null ? { ...unknown, id: newId } : await customerNamed(sql, merchantId, sender, newId, now)
  const { offer } = await ports.store.chargeFacts(merchantId, offerId, null)
  if (offer === null) throw new Error(`offer ${offerId} is gone`)
  const of = { merchantId, gatewayId: offer.gatewayId, onlyCard: letter.onlyCard, now, limit: 1 }
  const [card] = sender === null ? [] : await cardsToPayWith(sql, { ...of, email: sender })
  const facts = await ports.store.chargeFacts(merchantId, offerId, card?.token ?? null)
  const { gateway } = facts
  if (gateway === null) throw new Error(`merchant ${merchantId} has no gateway`)
  const { tokenSha256, isPersonal } = letter
  const onlyIfUnpaid = offer.email === null ? null : await sinceLink(sql, merchantId, tokenSha256)
  const [settings, spent, isSpent, isPaidBefore, mayBePaid] = await Promise.all([
    readMailSettings(sql, merchantId),
    readSpent(sql, { merchantId, customerId: customer.id, currency: offer.currency }),
    tokenSha256 !== null && isTokenSpent(sql, merchantId, { boxSha256: tokenSha256, customerId: customer.id }),
    onlyIfUnpaid !== null && wasPaid(sql, offer, onlyIfUnpaid),
    mayBePaidAfterBackup(sql, letter.receivedAt),
  ])
  const limits = limitsIn(settings, facts.merchant.currency, offer.currency)
  const mayThisKind = isPersonal ? settings.personalChargeAtOnce : settings.publicChargeAtOnce
  const mayChargeAtOnce = settings.payments && mayThisKind && !mayBePaid
  const paid = { onlyIfUnpaid, isPaidBefore }
  return { ...facts, offer, customer, gateway, limits, spent, mayChargeAtOnce, isTokenSpent: isSpent, ...paid }
}

/** Whoever makes a new link means a new payment. A letter to the public address names no link. */
async function sinceLink(
  sql: Foundation['sql'],
  merchantId: MerchantId,
  tokenSha256: string | null,
): Promise<OnlyIfUnpaid> {
  const since = tokenSha256 === null ? null : await findTokenTime(sql, merchantId, tokenSha256)
  return { since, besides: null }
}

/** On its page, by REST or by another mail. */
async function wasPaid(sql: Foundation['sql'], { merchantId, id }: Offer, unpaid: OnlyIfUnpaid): Promise<boolean> {
  return (await newestPayment(sql, merchantId, id, { kind: 'any', ...unpaid })).length > 0
}

async function customerNamed(
  sql: Foundation['sql'],
  merchantId: MerchantId,
  email: string,
  newId: CustomerId,
  now: Date,
): Promise<Customer> {
  await sql.begin(scope => customerOrKnown(scope, merchantId, { ...unknown, id: newId, email }, now))
  const customer = await findCustomer(sql, merchantId, email)
  if (customer === null) throw new Error('a customer was erased just now')
  return customer
}

const unknown = { email: null, firstName: null, lastName: null, smsNumber: null, billing: null, shipping: null }
