// The fields for a card's number, and the scripts that help to fill them in. Nothing that was typed here comes back.

import { type NamedFile, namedFile } from '../http/named-files.ts'
import { brandNames } from './brands.ts'
import { type Attributes, field } from './fields.ts'
import { type Html, html } from './html.ts'
import type { Words } from './words/words.ts'

/** What runs in every form with a card. It takes what it says from the form. */
export const cardFormScripts: readonly NamedFile[] = [
  namedFile('/pages', new URL('card-typing.js', import.meta.url)),
  namedFile('/pages', new URL('checkout.js', import.meta.url)),
]

export type NumberField = 'number' | 'expiry' | 'cvc'

export interface NumberFields {
  /** What is wrong; null: nothing, so far. */
  problemAt(name: NumberField): string | null
  /** Where to go on, if it is one of them. */
  readonly focus: string | undefined
  /** By the browser itself: not where another card may do. */
  readonly required: boolean
  readonly isSandbox: boolean
}

/** What the script says of a card, for the attributes of its form. */
export function cardTexts({ card, checkout }: Words) {
  const { number, expiry, expired, cvc } = card.wrong
  return { number, expiry, expired, cvc, sending: checkout.sending }
}

export function scriptTexts(texts: { readonly [name: string]: string }): Html[] {
  return Object.entries(texts).map(([name, text]) => html` data-${name}="${text}"`)
}

export function numberFields({ card, checkout }: Words, { problemAt, focus, required, isSandbox }: NumberFields): Html {
  const at = (name: NumberField, label: string, attributes: Attributes, hint?: string) =>
    field({
      ...{ name, label, problem: problemAt(name) },
      attributes: { inputmode: 'numeric', required, ...attributes, autofocus: name === focus },
      ...(hint !== undefined && { hint }),
    })
  return html`<p class="hint">${Object.values(brandNames).filter(Boolean).join(' · ')}</p>
${isSandbox ? html`<p class="hint">${checkout.testCard}</p>` : null}
<div class="number">
${at('number', card.number, { autocomplete: 'cc-number', placeholder: '1234 1234 1234 1234', maxlength: 25 })}
<p class="brand" id="brand" role="status"></p>
</div>
<div class="pair">
${at('expiry', card.expiry, { autocomplete: 'cc-exp', placeholder: card.expiryLooksLike, maxlength: 9 })}
${at('cvc', card.cvc, { autocomplete: 'cc-csc', maxlength: 4 }, checkout.cvcWhere)}
</div>`
}
