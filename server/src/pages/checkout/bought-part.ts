// The part of the page that says what is bought: its title, how many, and what they cost.

import { currencyDecimals } from '../../core/money.ts'
import { type Html, html } from '../html.ts'
import { shownAmount } from '../shown-amount.ts'
import type { CheckoutPage } from './page.ts'
import { focusAt, problemAt } from './part.ts'
import { totalOf, unitsMax } from './units.ts'

export const payFormId = 'card-form'

export function boughtPart(page: CheckoutPage): Html {
  const { words, found, quantity } = page
  const { offer } = found
  const { price, quantity: units, total } = words.checkout
  const asks = asksForUnits(page)
  const row = (name: string, value: string, attributes: Html | null = null) =>
    html`<div${attributes}><dt>${name}</dt><dd class="amount">${value}</dd></div>\n`
  const isPlain = quantity === 1 ? html` hidden` : null
  const amount = (minor: bigint) => shownAmount(minor, offer.currency, words.locale)
  return html`<section class="bought">
<h1 dir="auto">${offer.title}</h1>
${offer.details === null || offer.details === '' ? null : html`<p class="details" dir="auto">${offer.details}</p>`}
${asks ? unitsField(page) : null}
<dl>
${asks || quantity === 1 ? null : row(units, String(quantity))}${asks || quantity > 1 ? row(price, amount(offer.amountMinor), html` id="price"${isPlain}`) : null}<div class="total"><dt>${total}</dt><dd class="amount" id="total" aria-live="polite">${amount(totalOf(offer, quantity))}</dd></div>
</dl>
</section>`
}

/** Whether there is a form to pay with. */
export function canPay({ visit: { fields, proven } }: CheckoutPage): boolean {
  return (fields !== null && fields.kind !== 'none') || (proven?.cards.length ?? 0) > 0
}

/** What is made out to one person, such as an invoice, is paid once; and what was asked for by mail, as it was asked for. */
function asksForUnits(page: CheckoutPage): boolean {
  const { offer } = page.found
  return canPay(page) && page.resumes === null && offer.email === null && (unitsMax(offer) > 1 || page.quantity > 1)
}

/**
 * It belongs to the form that pays: what was typed into one is not lost by sending the other. The browser presses a form's
 * first button for who presses Enter, so before the one that only updates there is one that pays, for the keyboard alone.
 */
function unitsField(page: CheckoutPage): Html {
  const { words, found, quantity, values } = page
  const { stockLeft } = found.offer
  const isScarce = stockLeft !== null && stockLeft <= 10
  const problem = problemAt(page, 'units')
  const value = problem === null ? String(quantity) : (values.units ?? '')
  const marks = html`${problem === null ? null : html` aria-invalid="true"`}${focusAt(page, 'units').autofocus === true ? html` autofocus` : null}`
  return html`<div class="quantity">
<button class="unseen" form="${payFormId}" tabindex="-1" aria-hidden="true">${words.checkout.pay('')}</button>
<label for="units">${words.checkout.quantity}</label>
<input id="units" name="units" form="${payFormId}" type="number" inputmode="numeric" min="1" max="${unitsMax(found.offer)}" step="1" value="${value}" required autocomplete="off" aria-describedby="units-problem${isScarce ? ' units-left' : null}"${marks}>
<button class="second" form="${payFormId}" id="update" name="update" value="1" formnovalidate>${words.checkout.update}</button>
<p class="problem" id="units-problem">${problem}</p>
${isScarce ? html`<p class="hint" id="units-left">${words.checkout.onlyLeft(stockLeft)}</p>` : null}
</div>`
}

/** What the script reckons with. */
export function amountTexts({ words, found }: CheckoutPage) {
  const { currency, amountMinor } = found.offer
  return {
    locale: words.locale,
    currency: currency.toLowerCase(),
    decimals: String(currencyDecimals(currency)),
    unit: String(amountMinor),
  }
}
