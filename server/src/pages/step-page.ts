// The page of one payment: what is bought, from whom, for how much, how it stands, and what the customer can do.

import { displayAmount } from '../core/money.ts'
import type { Sale } from '../core/sale.ts'
import { type Html, html } from './html.ts'
import { plainPage } from './plain-page.ts'
import type { Words } from './step-words.ts'

export interface StepPage {
  readonly sale: Sale
  readonly words: Words
  readonly root: string
  /** Proves that the form was sent from this page. */
  readonly formToken: string
}

export function pagePath({ transaction }: Sale, root: string): string {
  return `${root}/offers/${transaction.offerId}?transaction=${transaction.id}`
}

export function stepPath({ transaction }: Sale, root: string): string {
  return `${root}/offers/${transaction.offerId}/transactions/${transaction.id}/step`
}

export function stepPage(page: StepPage): string {
  const { sale, words, root } = page
  const content = html`<p class="merchant" dir="auto">${sale.merchant.name}</p>
<h1 class="${words.mood}">${words.heading}</h1>
${words.sentences.map(sentence => html`<p>${sentence}</p>`)}
${factsOf(page)}
${words.offers.map(offer => (offer === 'bank' ? toTheBank(page) : lookAgain(page)))}`
  return plainPage({ title: `${words.heading} · ${sale.merchant.name}`, content, root })
}

/** Of the card its last four digits, and of the customer nothing: whoever has the link reads this. */
function factsOf({ sale, words }: StepPage): Html {
  const { transaction, offer, card } = sale
  const { quantity, amountMinor, currency, id } = transaction
  return html`<dl>
<dt>For</dt><dd dir="auto">${quantity === 1 ? null : `${quantity} × `}${offer.title}</dd>
<dt>Amount</dt><dd class="amount">${displayAmount(amountMinor, currency)}</dd>
<dt>Card</dt><dd>ending in ${card.mask}</dd>
${words.receipt ? html`<dt>Receipt</dt><dd class="receipt">${id}</dd>` : null}
</dl>`
}

function toTheBank({ sale, root, formToken }: StepPage): Html {
  return html`<form method="post" action="${stepPath(sale, root)}">
<input type="hidden" name="form_token" value="${formToken}">
<button>Continue to your bank</button>
</form>`
}

function lookAgain({ sale, root }: StepPage): Html {
  return html`<p class="look"><a href="${pagePath(sale, root)}&returned=1">Check again</a></p>`
}
