// The page of one payment: what is bought, for how much, how it stands, and what the customer can do.

import { paidAt, type Sale } from '../core/sale.ts'
import type { Transaction } from '../core/transaction.ts'
import { brandNames } from './brands.ts'
import type { Frame, FramedPage } from './frame.ts'
import { type Html, html } from './html.ts'
import { shownAmount } from './shown-amount.ts'
import { shownDate } from './shown-time.ts'
import type { StepWords } from './step-words.ts'
import type { Words } from './words/words.ts'

export interface StepPage {
  readonly sale: Sale
  readonly says: StepWords
  /** Proves that the form was sent from this page. */
  readonly formToken: string
  /** Where a bank's page may be. */
  readonly banks: readonly string[]
  /** About the card that was saved with it, for the browser that paid; null: nothing. */
  readonly savedCard: Html | null
}

export function pagePath({ transaction }: Sale, root: string): string {
  return `${root}/offers/${transaction.offerId}?transaction=${transaction.id}`
}

export function stepPath({ transaction }: Sale, root: string): string {
  return `${root}/offers/${transaction.offerId}/transactions/${transaction.id}/step`
}

export function stepPage(frame: Frame, page: StepPage): FramedPage {
  const { says, banks, savedCard } = page
  const content = html`<h1 class="${says.mood}">${says.heading}</h1>
${says.sentences.map(sentence => html`<p>${sentence}</p>`)}
${factsOf(frame, page)}
${says.ways.map(way => ways[way](frame, page))}
${savedCard}
${says.receipt ? wayBack(frame, page) : null}`
  return { title: says.heading, content, reach: { leadsTo: says.ways.includes('bank') ? banks : [] } }
}

/** Of the card its last four digits, and of the customer nothing: whoever has the link reads this. */
function factsOf({ words }: Frame, { sale, says }: StepPage): Html {
  const { transaction, offer, card } = sale
  const { payment } = words
  return html`<dl>
<dt>${payment.for}</dt><dd dir="auto">${transaction.quantity === 1 ? null : `${transaction.quantity} × `}${offer.title}</dd>
${amountsOf(transaction, words)}
${card === null ? null : html`<dt>${payment.card}</dt><dd>${payment.cardEndingIn(brandNames[card.type], card.mask)}</dd>`}
${says.receipt ? receiptOf(sale, words) : null}
</dl>`
}

/** Its last twelve digits tell it from every other, and can be read out over the telephone. */
function receiptOf(sale: Sale, { payment, locale }: Words): Html {
  const { id } = sale.transaction
  return html`<dt>${payment.date}</dt><dd class="date">${shownDate(paidAt(sale), locale)}</dd>
<dt>${payment.receipt}</dt><dd class="receipt">${id.slice(0, -12)}<strong>${id.slice(-12)}</strong></dd>`
}

/** What is or will be asked for; and once money moved, what was taken and given back. */
function amountsOf({ amountMinor, capturedMinor, refundedMinor, currency }: Transaction, words: Words): Html[] {
  const { payment, locale } = words
  const row = (name: string, minor: bigint) =>
    html`<dt>${name}</dt><dd class="amount">${shownAmount(minor, currency, locale)}</dd>`
  if (capturedMinor === 0n) return [row(payment.amount, amountMinor)]
  return [
    ...(capturedMinor === amountMinor ? [] : [row(payment.reservedAmount, amountMinor)]),
    row(payment.chargedAmount, capturedMinor),
    ...(refundedMinor === 0n ? [] : [row(payment.givenBackAmount, refundedMinor)]),
  ]
}

const ways = { bank: toTheBank, look: lookAgain, again: tryAgain }

/** In the whole window: a bank does not let itself be shown in a merchant's frame. */
function toTheBank({ words, root }: Frame, { sale, formToken }: StepPage): Html {
  return html`<form method="post" action="${stepPath(sale, root)}" target="_top">
<input type="hidden" name="form_token" value="${formToken}">
<button>${words.payment.toTheBank}</button>
</form>`
}

/** A form, so that it is a button: the browser writes its fields into the address. */
function lookAgain({ words, root }: Frame, { sale, says }: StepPage): Html {
  const { offerId, id } = sale.transaction
  return html`<form action="${root}/offers/${offerId}">
<input type="hidden" name="transaction" value="${id}">
<input type="hidden" name="returned" value="1">
<button${says.ways.includes('bank') ? html` class="second"` : null}>${words.payment.checkAgain}</button>
</form>`
}

function tryAgain({ words, root }: Frame, { sale }: StepPage): Html {
  const { offerId, quantity, referrerContext } = sale.transaction
  const query = new URLSearchParams({
    ...(quantity !== 1 && { quantity: String(quantity) }),
    ...(referrerContext !== null && { referrer_context: referrerContext }),
  })
  const path = `${root}/offers/${offerId}${query.size === 0 ? '' : `?${query}`}`
  return html`<p class="ways"><a class="button" href="${path}">${words.payment.tryAgain}</a></p>`
}

/** To the merchant, who learns from the address which payment it was. */
function wayBack({ words, of }: Frame, { sale }: StepPage): Html | null {
  const url = URL.parse(of?.look.returnUrl ?? '')
  if (url === null) return null
  url.searchParams.set('transaction', sale.transaction.id)
  return html`<p class="back"><a href="${url.href}" rel="noreferrer" target="_top">${words.payment.backTo(sale.merchant.name)}</a></p>`
}
