// The page of an offer that can be paid for: what is bought, for how much, and one form.

import type { CheckoutSecret } from '../../core/checkout.ts'
import type { TransactionId } from '../../core/ids.ts'
import type { KnownPayment } from '../../core/ports.ts'
import { cardTexts, scriptTexts } from '../card-fields.ts'
import { checkField, hidden, summary } from '../fields.ts'
import type { FramedPage } from '../frame.ts'
import { type Html, html } from '../html.ts'
import { shownAmount } from '../shown-amount.ts'
import type { Words } from '../words/words.ts'
import { checkoutPath } from './asked.ts'
import { amountTexts, boughtPart, canPay, payFormId } from './bought-part.ts'
import { cardPart, scriptsFor } from './card-part.ts'
import { addressPart, answersPart, customerPart } from './customer-part.ts'
import { knownPaymentText, parseKnownPayment } from './known-payment.ts'
import type { FoundOffer, Visit } from './ports.ts'
import type { Form, Problems } from './typed-line.ts'
import { totalOf, unitsMax } from './units.ts'

export interface CheckoutPage {
  readonly words: Words
  readonly root: string
  readonly found: FoundOffer
  readonly visit: Visit
  readonly secret: CheckoutSecret
  readonly attempt: number
  /** The payment by mail that it goes on with. */
  readonly resumes: TransactionId | null
  /** Who asked for it. */
  readonly askedBy: string | null
  readonly formToken: string
  readonly quantity: number
  readonly referrerContext: string | null
  /** As the page's address says it. What is typed stays out of addresses. */
  readonly emailAsked: string | null
  /** What stands in the fields: never anything of a card. */
  readonly values: Form
  readonly problems: Problems
  /** What is to be said first. `news`: because of what the customer just did, so it is read aloud. */
  readonly says: { readonly text: Html | string; readonly isNews: boolean } | null
  /** A payment that this may repeat by mistake: the customer is asked whether it was meant. Null: there is none. */
  readonly asksBesides: KnownPayment | null
  /** Whether an address can be proven here. */
  readonly takesProofs: boolean
  readonly isSandbox: boolean
  /** It comes in place of the one that was sent: to ask for it again, a browser would send that again. */
  readonly isAnswer: boolean
  /** Where the customer probably lives. */
  readonly country: string | null
}

export function checkoutPage(page: CheckoutPage): FramedPage {
  const { fields } = page.visit
  const content = html`<div class="checkout">
${sayings(page)}
${page.askedBy === null ? null : html`<p class="said">${page.words.checkout.goesOn(page.askedBy)}</p>`}
${boughtPart(page)}
<section class="pays">
${canPay(page) ? payForm(page) : html`<p>${page.words.checkout.noNewCards(page.found.merchant.name)}</p>\n${storedLink(page)}`}
</section>
</div>`
  const reach = fields?.kind === 'stripe' ? { reach: fields.reaches } : {}
  return { title: page.found.offer.title, content, scripts: canPay(page) ? scriptsFor(fields) : [], ...reach }
}

function payForm(page: CheckoutPage): Html {
  const { words, root, found, secret, attempt, resumes, formToken, quantity, referrerContext } = page
  const { offer, merchant } = found
  const total = totalOf(offer, quantity)
  return html`${storedLink(page)}
<form class="entry" method="post" action="${checkoutPath(root, offer)}" id="${payFormId}"${textsFor(page)}>
${hidden('checkout', secret)}${hidden('attempt', String(attempt))}${hidden('form_token', formToken)}${resumes === null ? null : hidden('transaction', resumes)}
${hidden('quantity', String(quantity))}${hidden('total', String(total))}
${referrerContext === null ? null : hidden('referrer_context', referrerContext)}
${customerPart(page)}
${addressPart(page)}
${answersPart(page)}
${cardPart(page)}
${againPart(page)}
${summary(null)}
<button>${payButton(page, shownAmount(total, offer.currency, words.locale))}</button>
<p class="note" id="slow" aria-live="polite"></p>
<p class="note">${words.checkout.whoIsPaid(merchant.name)}</p>
${offer.authorizationOnly ? html`<p class="note">${words.checkout.reserves(merchant.name)}</p>` : null}
</form>`
}

/** Who has said that a second payment is meant is not asked for it once more, unless there is another one that they do not know of. */
function againPart({ words, values, asksBesides }: CheckoutPage): Html | null {
  const said = parseKnownPayment(values.again ?? '')
  if (asksBesides === null) return said === null ? null : hidden('again', knownPaymentText(said))
  const attributes = { required: true, 'data-missing': words.checkout.missing.again }
  const value = knownPaymentText(asksBesides)
  return checkField({ name: 'again', value, label: words.checkout.again, problem: null, attributes })
}

/** Before everything else: what became of the last try, or how many fields are wrong. */
function sayings({ words, says, problems }: CheckoutPage): Html | null {
  const wrong = Object.keys(problems).length
  const toCorrect = wrong === 0 ? null : words.checkout.toCorrect(wrong)
  if (says === null) return toCorrect === null ? null : summary(toCorrect)
  if (!says.isNews) return html`<p class="said">${says.text}</p>`
  if (toCorrect !== null) return summary(html`${says.text} ${toCorrect}`)
  // No field is wrong, so this is where to go on: a screen reader says it, and a small screen shows it.
  return html`<p class="problem summary" role="alert" tabindex="-1" autofocus>${says.text}</p>`
}

function payButton({ words, found }: CheckoutPage, amount: string): string {
  return found.offer.authorizationOnly ? words.checkout.reserve(amount) : words.checkout.pay(amount)
}

function storedLink(page: CheckoutPage): Html | null {
  const { words, root, found, visit, quantity, referrerContext, emailAsked, resumes, takesProofs } = page
  if (!takesProofs || visit.proven !== null) return null
  const asked = { quantity, referrerContext, email: emailAsked, resumes }
  const href = checkoutPath(root, found.offer, { card: 'stored', ...asked })
  return html`<p class="stored"><a href="${href}">${words.checkout.hasStored}</a></p>`
}

/** What the script says and reckons with. `{amount}` and `{count}` are where these go. */
function textsFor(page: CheckoutPage): Html[] {
  const { words, root, found, visit, quantity, referrerContext, resumes } = page
  return scriptTexts({
    ...cardTexts(words),
    ...amountTexts(page),
    ...(page.isAnswer && { address: checkoutPath(root, found.offer, { quantity, referrerContext, resumes }) }),
    pays: payButton(page, '{amount}'),
    slow: words.checkout.slow,
    one: words.checkout.toCorrect(1),
    several: words.checkout.toCorrect('{count}'),
    units: words.checkout.wrongUnits(unitsMax(found.offer)),
    email: words.checkout.problems.email,
    country: words.checkout.problems.country,
    'not-loaded': words.card.stripeNotLoaded,
    'not-reached': words.card.stripeNotReached,
    ...(visit.fields?.kind === 'stripe' && { key: visit.fields.publishableKey }),
  })
}
