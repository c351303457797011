// A field of the page of an offer, with what was typed into it and what is wrong about that.

import { type Attributes, field } from '../fields.ts'
import type { Html } from '../html.ts'
import type { CheckoutPage } from './page.ts'

export function textAt(page: CheckoutPage, name: string, label: Html | string, attributes: Attributes): Html {
  const value = page.values[name] ?? ''
  return field({
    name,
    label,
    problem: problemAt(page, name),
    attributes: { ...attributes, value, ...focusAt(page, name) },
  })
}

export function problemAt({ words, problems }: CheckoutPage, name: string): string | null {
  const code = problems[name]
  return code === undefined ? null : { ...words.card.wrong, ...words.checkout.problems }[code]
}

/** Where to go on: the first field that is wrong. */
export function focusAt({ problems }: CheckoutPage, name: string): Attributes {
  return Object.keys(problems)[0] === name ? { autofocus: true } : {}
}
