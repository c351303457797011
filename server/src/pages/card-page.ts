// The page on which a customer enters a card: who asks for it, what for, the fields, and one button. Of the customer it
// shows nothing: whoever has the link reads it.

import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { CardFields, StripeCardFields } from '../core/gateway.ts'
import type { Merchant } from '../core/people.ts'
import { type Html, html } from './html.ts'
import { plainHeaders, plainPage } from './plain-page.ts'

const script = readFileSync(new URL('card.js', import.meta.url), 'utf8')
const scriptPath = '/pages/card.js'

export function cardScript(app: FastifyInstance): void {
  app.get(scriptPath, { schema: { hide: true } }, (_, reply) =>
    reply.type('text/javascript; charset=utf-8').send(script),
  )
}

export interface CardPage {
  readonly merchant: Merchant
  readonly fields: CardFields
  /** Where its form goes. */
  readonly path: string
  readonly root: string
  readonly formToken: string
  /** What was wrong with the card that was tried. */
  readonly problem: string | null
}

/** A gateway's own fields are the one thing that a page of ours takes from elsewhere. */
export function cardHeaders(fields: CardFields): { readonly [name: string]: string } {
  const headers = plainHeaders()
  if (fields.kind !== 'stripe') return headers
  const { scripts, frames, calls } = fields.reaches
  const reaches = [
    ["script-src 'self'", ...scripts],
    ['frame-src', ...frames],
    ['connect-src', ...calls],
  ]
  const policy = [headers['Content-Security-Policy'], ...reaches.map(rule => rule.join(' '))].join('; ')
  return { ...headers, 'Content-Security-Policy': policy }
}

export function cardPage(page: CardPage): string {
  const { merchant, fields, root } = page
  const content = html`<p class="merchant" dir="auto">${merchant.name}</p>
<h1 class="asks">Add your card</h1>
<p><bdi>${merchant.name}</bdi> asks for a card to keep for your payments. Nothing is charged now.</p>
${fields.kind === 'stripe' ? stripeForm(page, fields) : numberForm(page)}`
  return plainPage({ title: `Add your card · ${merchant.name}`, content, root })
}

function numberForm(page: CardPage): Html {
  return html`<form class="entry" method="post" action="${page.path}">
${problemOf(page)}
<label class="field">Card number
<input name="number" inputmode="numeric" autocomplete="cc-number" maxlength="25" required></label>
<div class="pair">
<label class="field">Expiry
<input name="expiry" inputmode="numeric" autocomplete="cc-exp" placeholder="MM/YY" maxlength="9" required></label>
<label class="field">Security code
<input name="cvc" inputmode="numeric" autocomplete="cc-csc" maxlength="4" required></label>
</div>
${endOf(page)}
</form>
<p class="note">This is a sandbox: it takes its test cards, and nobody’s real one.</p>`
}

/** The fields are Stripe's, in frames of its own; what is sent to us is the name that it gave the card. */
function stripeForm(page: CardPage, { publishableKey, scriptUrl }: StripeCardFields): Html {
  const currency = page.merchant.currency.toLowerCase()
  return html`<form class="entry" method="post" action="${page.path}" id="card-form" data-key="${publishableKey}" data-currency="${currency}">
${problemOf(page)}
<div id="card-fields"></div>
<noscript><p class="problem">The fields for your card come from Stripe and need JavaScript: allow it, and reload.</p></noscript>
<input type="hidden" name="reference" value="" autocomplete="off">
${endOf(page)}
</form>
<p class="note">Your card goes straight to Stripe. Neither this page nor the merchant sees its number.</p>
<script src="${scriptUrl}" defer></script>
<script src="${page.root}${scriptPath}" defer></script>`
}

/** There also when it is empty: a problem that appears in it later is read aloud. */
function problemOf({ problem }: CardPage): Html {
  return html`<p class="problem" role="alert">${problem}</p>`
}

function endOf({ merchant, formToken }: CardPage): Html {
  return html`<input type="hidden" name="form_token" value="${formToken}">
<label class="consent"><input type="checkbox" name="consent" value="yes" required>
<span>I agree that <bdi>${merchant.name}</bdi> keeps this card and charges it for what I buy there.</span></label>
<button>Store this card</button>`
}

export function storedPage(merchant: Merchant, mask: string, returnUrl: string | null, root: string): string {
  const content = html`<p class="merchant" dir="auto">${merchant.name}</p>
<h1 class="good">Your card is stored</h1>
<p>Your card ending in ${mask} is stored for <bdi>${merchant.name}</bdi>. Nothing was charged.</p>
<p>This link is used up, and cannot be used again.</p>
${returnUrl === null ? null : html`<p class="look"><a href="${returnUrl}" rel="noreferrer">Back to <bdi>${merchant.name}</bdi></a></p>`}`
  return plainPage({ title: `Your card is stored · ${merchant.name}`, content, root })
}
