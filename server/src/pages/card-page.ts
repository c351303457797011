// The page on which a customer enters a card: what for, the fields, and one button. It names the customer's address, so that nobody
// enters a card for somebody else who handed them the link; but not all of it, because whoever has the link reads it.

import { maskedEmail } from '../core/email.ts'
import type { CardFields, StripeCardFields } from '../core/gateway.ts'
import type { Merchant } from '../core/people.ts'
import { namedFile } from '../http/named-files.ts'
import { cardFormScripts, cardTexts, type NumberField, numberFields, scriptTexts } from './card-fields.ts'
import { checkField, hidden, summary } from './fields.ts'
import type { FramedPage } from './frame.ts'
import { type Html, html } from './html.ts'
import type { WrongCard } from './typed-card.ts'
import type { Words } from './words/words.ts'

export const cardScript = namedFile('/pages', new URL('card.js', import.meta.url))

export interface CardPage {
  readonly merchant: Merchant
  /** Whose card it will be. */
  readonly email: string
  readonly fields: CardFields
  /** Where its form goes. */
  readonly path: string
  readonly formToken: string
  /** What was wrong with the card that was tried; null: none was. */
  readonly problem: CardProblem | null
}

export interface WrongFields extends WrongCard {
  readonly consent?: 'consent'
}

export interface CardProblem {
  readonly says: string
  readonly wrong: WrongFields
  /** The box was ticked. It stays so. */
  readonly consents: boolean
}

/** A gateway's own fields are the one thing that a page of ours takes from elsewhere. */
export function cardPage(words: Words, page: CardPage): FramedPage {
  const { merchant, email, fields } = page
  const { heading, asks } = words.cardLink
  const content = html`<h1 class="asks">${heading}</h1>
<p>${asks(merchant.name, maskedEmail(email))}</p>
${fields.kind === 'stripe' ? stripeForm(words, page, fields) : numberForm(words, page)}`
  if (fields.kind !== 'stripe') return { title: heading, content, scripts: cardFormScripts }
  return { title: heading, content, scripts: [fields.scriptUrl, cardScript], reach: fields.reaches }
}

function numberForm(words: Words, page: CardPage): Html {
  const { card } = words
  const wrong = page.problem?.wrong ?? {}
  const [focus] = Object.keys(wrong)
  const problemAt = (name: NumberField) => {
    const code = wrong[name]
    return code === undefined ? null : card.wrong[code]
  }
  return html`<form class="entry" method="post" action="${page.path}" id="card-form"${textsFor(words)}>
${summary(page.problem?.says ?? null)}
${numberFields(words, { problemAt, focus, required: true, isSandbox: true })}
${endOf(words, page)}
</form>
<p class="note">${card.testCardsOnly}</p>`
}

function textsFor(words: Words): Html[] {
  const { toCorrect } = words.card
  return scriptTexts({ ...cardTexts(words), one: toCorrect(1), several: toCorrect('{count}') })
}

/** The fields are Stripe's, in frames of its own; what is sent to us is the name that it gave the card. */
function stripeForm(words: Words, page: CardPage, { publishableKey }: StripeCardFields): Html {
  const { card } = words
  const currency = page.merchant.currency.toLowerCase()
  return html`<form class="entry" method="post" action="${page.path}" id="card-form"
data-key="${publishableKey}" data-currency="${currency}" data-not-loaded="${card.stripeNotLoaded}" data-not-reached="${card.stripeNotReached}">
${summary(page.problem?.says ?? null)}
<div id="card-fields"></div>
<noscript><p class="problem">${card.stripeNeedsScript}</p></noscript>
${hidden('reference', '')}
${endOf(words, page)}
</form>
<p class="note">${card.straightToStripe}</p>`
}

function endOf({ card, cardLink }: Words, { merchant, email, formToken, problem }: CardPage): Html {
  const code = problem?.wrong.consent
  return html`${hidden('form_token', formToken)}
${checkField({
  name: 'consent',
  label: cardLink.consent(merchant.name, maskedEmail(email)),
  problem: code === undefined ? null : card.wrong[code],
  attributes: {
    ...{ required: true, checked: problem?.consents === true, autocomplete: 'off' },
    'data-missing': card.wrong.consent,
  },
})}
<button>${cardLink.store}</button>`
}

export function storedPage(words: Words, merchant: Merchant, mask: string, returnUrl: string | null): FramedPage {
  const { heading, sentences } = words.cardLink.stored(merchant.name, mask)
  const back = words.payment.backTo(merchant.name)
  const content = html`<h1 class="good">${heading}</h1>
${sentences.map(sentence => html`<p>${sentence}</p>`)}
${returnUrl === null ? null : html`<p class="back"><a href="${returnUrl}" rel="noreferrer" target="_top">${back}</a></p>`}`
  return { title: heading, content }
}
