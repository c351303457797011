// A field of the page of an offer, with what was typed into it and what is wrong about that.

import { type Attributes, field } from '../fields.ts'
import type { Html } from '../html.ts'
import type { CheckoutPage } from './page.ts'
import { partOfField } from './typed-address.ts'
import { unitsMax } from './units.ts'

export function textAt(page: CheckoutPage, name: string, label: Html | string, given: Attributes): Html {
  const value = page.values[name] ?? ''
  const attributes = { ...given, 'data-missing': missingAt(page, name) }
  return field({
    name,
    label,
    problem: problemAt(page, name),
    attributes: { ...attributes, value, ...focusAt(page, name) },
  })
}

export function problemAt(page: CheckoutPage, name: string): string | null {
  const { words, problems, found } = page
  const code = problems[name]
  if (code === undefined) return null
  if (code === 'units') return words.checkout.wrongUnits(unitsMax(found.offer))
  return code === 'required' ? missingAt(page, name) : { ...words.card.wrong, ...words.checkout.problems }[code]
}

/** What is said of a field that was left empty. Read after the keyboard moved there, it says by itself what to enter. */
function missingAt({ words }: CheckoutPage, name: string): string {
  const { missing, problems } = words.checkout
  return (missing as { readonly [name: string]: string })[partOfField(name)] ?? problems.required
}

/** Where to go on: the first field that is wrong. */
export function focusAt({ problems }: CheckoutPage, name: string): Attributes {
  return Object.keys(problems)[0] === name ? { autofocus: true } : {}
}
