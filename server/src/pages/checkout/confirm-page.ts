// The page behind the link of a payment by mail that waits: what is paid, to whom, how much, and a button that pays it.

import { maskedEmail } from '../../core/email.ts'
import type { Card } from '../../core/people.ts'
import type { Sale } from '../../core/sale.ts'
import { brandNames } from '../brands.ts'
import { hidden } from '../fields.ts'
import type { FramedPage } from '../frame.ts'
import { type Html, html } from '../html.ts'
import { shownAmount } from '../shown-amount.ts'
import type { LinkPage } from './proof-pages.ts'

export interface ConfirmPage extends LinkPage {
  readonly sale: Sale
  /** What it is paid with at a press; null: the form comes first. */
  readonly card: Card | null
}

export function confirmPage(page: ConfirmPage): FramedPage {
  const { words, found, formToken, path, checkout, card, sale } = page
  const { heading, sentences } = words.proof.confirm(found.merchant.name, maskedEmail(sale.customer.email ?? ''))
  const content = html`<h1 class="asks">${heading}</h1>
${sentences.map(sentence => html`<p>${sentence}</p>`)}
${factsOf(page)}
<form class="entry" method="post" action="${path}">
${hidden('form_token', formToken)}${hidden('checkout', checkout)}${card === null ? null : hidden('card', card.token)}
${card === null ? html`<button>${words.proof.goOn}</button>` : confirmButtons(page)}
</form>
<p class="note">${words.proof.notYou}</p>`
  return { title: heading, content }
}

function factsOf({ words, found, sale, card }: ConfirmPage): Html {
  const { payment, locale } = words
  const { quantity, amountMinor, currency } = sale.transaction
  return html`<dl>
<dt>${payment.for}</dt><dd dir="auto">${quantity === 1 ? null : `${quantity} × `}${sale.offer.title}</dd>
<dt>${words.mail.to}</dt><dd dir="auto">${found.merchant.name}</dd>
<dt>${payment.amount}</dt><dd class="amount">${shownAmount(amountMinor, currency, locale)}</dd>
${card === null ? null : html`<dt>${payment.card}</dt><dd>${payment.cardEndingIn(brandNames[card.type], card.mask)}</dd>`}
</dl>`
}

/** The first one is what the keyboard presses. */
function confirmButtons({ words, sale }: ConfirmPage): Html {
  const { amountMinor, currency, authorizationOnly } = sale.transaction
  const { confirmAndPay, confirmAndReserve, otherCard } = words.proof
  const amount = shownAmount(amountMinor, currency, words.locale)
  return html`<button>${authorizationOnly ? confirmAndReserve(amount) : confirmAndPay(amount)}</button>
<button class="second" name="other" value="1">${otherCard}</button>`
}
