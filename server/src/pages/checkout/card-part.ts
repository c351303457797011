// The part of the page where the customer chooses a card, or enters one.

import type { CardFields } from '../../core/gateway.ts'
import type { Card } from '../../core/people.ts'
import type { NamedFile } from '../../http/named-files.ts'
import { brandNames } from '../brands.ts'
import { cardFormScripts, numberFields } from '../card-fields.ts'
import { cardScript } from '../card-page.ts'
import { type Attributes, checkField } from '../fields.ts'
import { type Html, html } from '../html.ts'
import type { CheckoutPage } from './page.ts'
import { focusAt, problemAt } from './part.ts'
import { newCard } from './typed-card.ts'

/** Ours come first: what they find wrong is not sent to the gateway. */
export function scriptsFor(fields: CardFields | null): readonly (NamedFile | string)[] {
  return fields?.kind === 'stripe' ? [...cardFormScripts, fields.scriptUrl, cardScript] : cardFormScripts
}

export function cardPart(page: CheckoutPage): Html {
  const { words, visit } = page
  const cards = visit.proven?.cards ?? []
  return html`<fieldset class="card">
<legend>${words.checkout.card}</legend>
${cards.length === 0 ? null : choices(page, cards)}
${newCardPart(page, cards.length === 0)}
</fieldset>`
}

function choices(page: CheckoutPage, cards: readonly Card[]): Html {
  const { words, values, visit } = page
  const takesNew = visit.fields !== null && visit.fields.kind !== 'none'
  const chosen = values.card ?? cards[0]?.token
  const isFirstWrong = focusAt(page, 'card').autofocus === true
  const choice = (value: string, label: Html | string) => html`<div class="choice">
<input type="radio" name="card" id="card-${value}" value="${value}" required aria-describedby="card-problem"${value === chosen ? html` checked` : null}${isFirstWrong && value === cards[0]?.token ? html` autofocus` : null}>
<label for="card-${value}">${label}</label>
</div>`
  return html`${cards.map(card => choice(card.token, cardLabel(page, card)))}
${takesNew ? choice(newCard, words.checkout.anotherCard) : null}
<p class="problem" id="card-problem">${problemAt(page, 'card')}</p>`
}

function cardLabel({ words }: CheckoutPage, { type, mask, expiryMonth, expiryYear }: Card): Html {
  const expiry = `${String(expiryMonth).padStart(2, '0')}/${String(expiryYear).slice(-2)}`
  return html`${words.checkout.storedCard(brandNames[type], mask)} <small>${words.checkout.goodUntil(expiry)}</small>`
}

function newCardPart(page: CheckoutPage, isOnly: boolean): Html | null {
  const { words, found, visit, values } = page
  const { fields } = visit
  if (fields === null || fields.kind === 'none') return null
  const keeps: Attributes = { checked: values.consent === 'yes', autocomplete: 'off' }
  return html`<div class="new-card">
${fields.kind === 'stripe' ? stripeFields(page) : typedNumber(page, isOnly)}
${checkField({
  name: 'consent',
  label: words.checkout.keep(found.merchant.name),
  problem: null,
  hint: words.checkout.keptOtherwise,
  attributes: keeps,
})}
</div>`
}

/** Where a stored card may do, none of it is required by the browser. */
function typedNumber(page: CheckoutPage, required: boolean): Html {
  const { words, isSandbox, problems } = page
  const [focus] = Object.keys(problems)
  return html`${isSent(page) ? html`<p class="hint">${words.checkout.cardAgain}</p>` : null}
${numberFields(words, { problemAt: name => problemAt(page, name), focus, required, isSandbox })}`
}

/** Whether the customer entered a card already, and finds its fields empty again. */
function isSent({ says, problems }: CheckoutPage): boolean {
  return says?.isNews === true || Object.keys(problems).length > 0
}

/** Stripe's own fields, in frames of its own: what comes to us is the name that it gave the card. */
function stripeFields(page: CheckoutPage): Html {
  const { words } = page
  return html`<div id="card-fields"></div>
<noscript><p class="problem">${words.card.stripeNeedsScript}</p></noscript>
<input type="hidden" name="reference" value="" autocomplete="off">
<p class="problem" id="reference-problem">${problemAt(page, 'reference')}</p>
<p class="hint">${words.card.straightToStripe}</p>`
}
