// The page of one payment: what is bought, from whom, for how much, how it stands, and what the customer can do.

import type { Sale } from '../core/sale.ts'
import type { Transaction } from '../core/transaction.ts'
import { type Html, html } from './html.ts'
import { plainPage } from './plain-page.ts'
import { shownAmount } from './shown-amount.ts'
import type { Words } from './step-words.ts'

export interface StepPage {
  readonly sale: Sale
  readonly words: Words
  readonly root: string
  /** Proves that the form was sent from this page. */
  readonly formToken: string
  /** It moves no money, and should not look as if it did. */
  readonly isSandbox: boolean
}

export function pagePath({ transaction }: Sale, root: string): string {
  return `${root}/offers/${transaction.offerId}?transaction=${transaction.id}`
}

export function stepPath({ transaction }: Sale, root: string): string {
  return `${root}/offers/${transaction.offerId}/transactions/${transaction.id}/step`
}

export function stepPage(page: StepPage): string {
  const { sale, words, root, isSandbox } = page
  const content = html`<p class="merchant" dir="auto">${sale.merchant.name}</p>
<h1 class="${words.mood}">${words.heading}</h1>
${words.sentences.map(sentence => html`<p>${sentence}</p>`)}
${factsOf(page)}
${words.offers.map(offer => (offer === 'bank' ? toTheBank(page) : lookAgain(page)))}
${isSandbox ? html`<p class="note">This is a sandbox: no money moves.</p>` : null}`
  return plainPage({ title: `${words.heading} · ${sale.merchant.name}`, content, root })
}

/** Of the card its last four digits, and of the customer nothing: whoever has the link reads this. */
function factsOf({ sale, words }: StepPage): Html {
  const { transaction, offer, card } = sale
  return html`<dl>
<dt>For</dt><dd dir="auto">${transaction.quantity === 1 ? null : `${transaction.quantity} × `}${offer.title}</dd>
${amountsOf(transaction)}
<dt>Card</dt><dd>ending in ${card.mask}</dd>
${words.receipt ? html`<dt>Receipt</dt><dd class="receipt">${transaction.id}</dd>` : null}
</dl>`
}

/** What is or will be asked for; and once money moved, what was taken and given back. */
function amountsOf({ amountMinor, capturedMinor, refundedMinor, currency }: Transaction): Html[] {
  const row = (name: string, minor: bigint) =>
    html`<dt>${name}</dt><dd class="amount">${shownAmount(minor, currency)}</dd>`
  if (capturedMinor === 0n) return [row('Amount', amountMinor)]
  return [
    ...(capturedMinor === amountMinor ? [] : [row('Reserved', amountMinor)]),
    row('Charged', capturedMinor),
    ...(refundedMinor === 0n ? [] : [row('Given back', refundedMinor)]),
  ]
}

function toTheBank({ sale, root, formToken }: StepPage): Html {
  return html`<form method="post" action="${stepPath(sale, root)}">
<input type="hidden" name="form_token" value="${formToken}">
<button>Continue to your bank</button>
</form>`
}

/** A form, so that it is a button: the browser writes its fields into the address. */
function lookAgain({ sale, words, root }: StepPage): Html {
  const { offerId, id } = sale.transaction
  return html`<form action="${root}/offers/${offerId}">
<input type="hidden" name="transaction" value="${id}">
<input type="hidden" name="returned" value="1">
<button${words.offers.includes('bank') ? html` class="second"` : null}>Check again</button>
</form>`
}
