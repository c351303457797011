// Joins the mails to customers to the database, the words and the clock: what each says is looked up and written when it is
// sent, and the secrets in it are kept nowhere; but for the demo merchant's, which are shown on its page instead of being sent.

import { type Look, logoPath } from './core/look.ts'
import { isMailed } from './core/mail-settings.ts'
import { ourPageUrl } from './core/offer.ts'
import { type Asked, boundOf, type HeldMail } from './core/outgoing-mail.ts'
import type { Card, Merchant } from './core/people.ts'
import type { ServiceFacts } from './core/sale.ts'
import type { Foundation } from './foundation.ts'
import { cardToConfirm } from './join-confirmation.ts'
import { tries } from './join-tries.ts'
import { newProofSecret, secretHash } from './keys/new-ids.ts'
import type { SendMail } from './mail/mailer.ts'
import { createOutbox, type MailOutbox, type OutboxWorld, type Written } from './mail/outbox.ts'
import type { Logger } from './observe/log.ts'
import type { Metrics } from './observe/metrics.ts'
import { saySparingly } from './observe/say-sparingly.ts'
import type { MailLetterhead, WrittenMail } from './pages/mails/mail.ts'
import { errorMail, furtherActionMail, type Lack, type PaymentFacts, receiptMail } from './pages/mails/told.ts'
import { wordsFor } from './pages/words/words.ts'
import { insertProof } from './store/address-proofs.ts'
import { readMailSettings } from './store/mail-settings.ts'
import {
  claimMails,
  findToldSale,
  freeOtherMails,
  listMailsDue,
  settleMail,
  type ToldSale,
} from './store/outgoing-mails.ts'
import { findLook } from './store/payment-pages.ts'

export interface OutboxRoad {
  /** How mail for customers of this merchant goes out; null: it does not. */
  readonly roadOf: (merchantId: HeldMail['merchantId']) => Promise<SendMail | null>
  readonly holder: OutboxWorld['holder']
}

export function joinOutbox(
  foundation: Foundation,
  log: Logger,
  metrics: Metrics,
  service: ServiceFacts,
  { roadOf, holder }: OutboxRoad,
): MailOutbox {
  const { sql, clock } = foundation
  const { take, giveBack } = tries(foundation)
  return createOutbox({
    store: {
      listDue: now => listMailsDue(sql, now),
      claim: (merchantId, claim) => claimMails(sql, merchantId, claim),
      settle: (held, end, now) => settleMail(sql, held, end, now),
      freeOthers: (holder, inHand) => freeOtherMails(sql, holder, inHand),
    },
    worksFor: sql.worksFor,
    write: held => write(foundation, service, held, roadOf),
    mayGo: async ({ merchantId }, { kind, name }) => (await take(merchantId, kind, name)).ok,
    didNotGo: ({ merchantId }, { kind, name }) => giveBack(merchantId, kind, name),
    holder,
    now: clock.now,
    observe: observer(log, metrics),
  })
}

function observer(log: Logger, { mailsOut }: Metrics): OutboxWorld['observe'] {
  const sparingly = saySparingly()
  return {
    settled({ merchantId, id, kind, attempts }, end) {
      mailsOut.inc({ kind, outcome: end.state === 'waiting' ? 'not_now' : end.state })
      const facts = { merchant: merchantId, mail: id, kind, attempts, ...('cause' in end && { cause: end.cause }) }
      if (end.state === 'sent') log.info(facts, 'sent a mail to a customer')
      else if (end.state === 'dropped') log.warn(facts, 'a mail to a customer was dropped')
      else if (end.state === 'skipped') log.info(facts, 'a mail to a customer is not sent')
      // A relay that is away is away for all of them.
      else sparingly('', unsaid => log.warn({ ...facts, ...(unsaid > 0 && { unsaid }) }, 'a mail was not taken yet'))
    },
    tooLate: ({ merchantId, id }) => log.warn({ merchant: merchantId, mail: id }, 'another worker has this mail'),
    freed: count => log.warn({ count }, 'mails freed that nobody had in hand'),
    failed: error => log.error({ err: error }, 'sending mails failed'),
  }
}

const skip = (cause: string): Written => ({ kind: 'skip', cause })

async function write(
  foundation: Foundation,
  service: ServiceFacts,
  held: HeldMail,
  roadOf: OutboxRoad['roadOf'],
): Promise<Written> {
  const { sql, clock } = foundation
  const { merchantId, kind } = held
  const [send, sale, settings, look] = await Promise.all([
    roadOf(merchantId),
    findToldSale(sql, held, clock.now()),
    readMailSettings(sql, merchantId),
    findLook(sql, merchantId),
  ])
  if (send === null) return skip('There is no relay.')
  if (sale === null || sale.sender === null || !sale.isAnswerable) return skip('There is nobody to answer.')
  if (!isMailed(settings, kind)) return skip('The merchant has turned it off.')
  if (!isStillSo(held, sale)) return skip('The payment has changed since.')
  const head = letterhead(service, { id: merchantId, name: sale.merchantName }, look)
  const written = await told(foundation, service, { held, sale, head, sender: sale.sender })
  return {
    kind: 'mail',
    mail: {
      about: `${kind.replace('_', '-')}-${held.id}`,
      to: { name: '', address: sale.sender },
      ...written,
      merchant: { id: merchantId, name: sale.merchantName, supportEmail: look.supportEmail },
      answers: { messageId: sale.messageId },
    },
    send,
    bound: boundOf(held, { address: sale.sender, isProven: sale.isProven, asked: askedBy(sale) }),
  }
}

function askedBy({ actionWants, actionMailTo }: ToldSale): Asked {
  if (actionWants === null) return 'bank'
  if (actionWants === 'confirmation') return 'link'
  return actionWants === 'limit' && actionMailTo !== null ? 'word' : 'page'
}

/** Only who proved to have written is told what is missing: everybody else reads the same, known or not. */
function lackOf({ isProven, actionWants }: ToldSale): Lack | null {
  if (!isProven) return null
  if (actionWants === 'card') return 'card'
  return actionWants === 'field' ? 'answer' : null
}

/** On whose behalf a mail is sent. Mail programs show pictures by https alone. */
export function letterhead(
  { baseUrl, mode }: ServiceFacts,
  { id, name }: Pick<Merchant, 'id' | 'name'>,
  { logo, supportEmail, buttonColor, backgroundColor }: Look,
): MailLetterhead {
  const logoUrl = logo !== null && baseUrl.startsWith('https:') ? `${baseUrl}${logoPath(id, logo)}` : null
  return {
    merchant: name,
    colors: { buttonColor, backgroundColor },
    logoUrl,
    supportEmail,
    isSandbox: mode === 'sandbox',
  }
}

/** Whether the transaction still stands as it did when the mail was owed. */
function isStillSo({ kind }: HeldMail, { status }: ToldSale): boolean {
  if (kind === 'further_action') return status === 'Further Action Required'
  if (kind === 'error') return status === 'Failed'
  return ['Successful', 'Authorized', 'Partially Refunded', 'Refunded'].includes(status)
}

interface Told {
  readonly held: HeldMail
  readonly sale: ToldSale
  readonly head: MailLetterhead
  readonly sender: string
}

async function told(foundation: Foundation, service: ServiceFacts, of: Told): Promise<WrittenMail> {
  const { held, sale, head } = of
  const words = wordsFor(sale.language)
  const { title, quantity, amountMinor, currency, cardType, cardMask, paidAt } = sale
  const payment: PaymentFacts = { head, title, quantity, amountMinor, currency }
  if (held.kind === 'receipt') {
    const card = cardType === null || cardMask === null ? null : { type: cardType, mask: cardMask }
    const isReserved = sale.status === 'Authorized'
    return receiptMail(words, { ...payment, isReserved, at: paidAt, card, transactionId: held.transactionId })
  }
  const page = ourPageUrl(sale.offerId, service.baseUrl)
  if (held.kind === 'error') {
    const link = sale.isForSale ? page : null
    return errorMail(words, { ...payment, code: sale.failureCode ?? 'interrupted', link })
  }
  const [wants, mailTo] = [askedBy(sale), sale.actionMailTo]
  if (wants === 'bank')
    return furtherActionMail(words, { ...payment, wants, link: `${page}?transaction=${held.transactionId}` })
  const link = `${page}?proof=${await freshProof(foundation, of)}`
  if (wants === 'link')
    return furtherActionMail(words, { ...payment, wants, link, card: await confirmedWith(foundation, of) })
  if (wants === 'word' && mailTo !== null) return furtherActionMail(words, { ...payment, wants, mailTo, link })
  return furtherActionMail(words, { ...payment, wants: 'page', lacks: lackOf(sale), link })
}

/** Named to whoever proved that the mailbox is theirs, and to nobody else. */
async function confirmedWith({ sql, clock }: Foundation, { held, sale, sender }: Told): Promise<Card | null> {
  const { gatewayId, tokenSha256, isProven } = sale
  const { merchantId } = held
  return isProven ? cardToConfirm(sql, { merchantId, gatewayId, email: sender, tokenSha256 }, clock.now()) : null
}

/** Good for as long as the transaction waits. One that an earlier attempt made stays good: its mail may have arrived. */
async function freshProof({ sql, clock }: Foundation, { held, sale, sender }: Told): Promise<string> {
  const secret = newProofSecret()
  const now = clock.now()
  await insertProof(sql, {
    merchantId: held.merchantId,
    offerId: sale.offerId,
    secretSha256: secretHash(secret),
    email: sender,
    quantity: sale.quantity,
    referrerContext: null,
    createdAt: now,
    expiresAt: sale.actionExpiresAt ?? now,
    usedAt: null,
    savedCardOf: null,
    transactionId: held.transactionId,
  })
  return secret
}
