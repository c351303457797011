// The fields about the customer: who they are, where they live, and what else the merchant asks.

import { type AddressKind, askedAddresses } from '../../core/offer.ts'
import { type Attributes, selectField } from '../fields.ts'
import { bdi, type Html, html } from '../html.ts'
import { checkoutPath } from './asked.ts'
import { countriesIn } from './countries.ts'
import type { CheckoutPage } from './page.ts'
import { focusAt, problemAt, textAt } from './part.ts'
import {
  type AddressPart,
  addressCharsMax,
  addressFieldName,
  addressParts,
  isRequired,
  needsStateAndZip,
} from './typed-address.ts'
import { answerCharsMax, answerField, nameCharsMax } from './typed-order.ts'

export function customerPart(page: CheckoutPage): Html {
  const { words, root, found, visit, resumes } = page
  const says = words.checkout
  const name = { maxlength: nameCharsMax, dir: 'auto' }
  const isProven = visit.proven !== null
  return html`<fieldset>
<legend>${says.customer}</legend>
${textAt(page, 'email', says.email, {
  ...{ type: 'email', autocomplete: 'email', maxlength: 255, required: true, readonly: isProven },
  ...{ autocapitalize: 'none', spellcheck: 'false' },
})}
${isProven ? html`<p class="other"><a href="${checkoutPath(root, found.offer, { again: true, resumes })}">${says.notYou}</a></p>` : null}
<div class="pair">
${textAt(page, 'first_name', says.firstName, { ...name, autocomplete: 'given-name', required: true })}
${textAt(page, 'last_name', says.optional(says.lastName), { ...name, autocomplete: 'family-name' })}
</div>
</fieldset>`
}

/** By names that browsers fill in by themselves. */
const autocompletes: { readonly [part in AddressPart]: string } = {
  street: 'address-line1',
  street2: 'address-line2',
  city: 'address-level2',
  state: 'address-level1',
  zip: 'postal-code',
  country: 'country',
  phone: 'tel',
}

export function addressPart(page: CheckoutPage): readonly Html[] {
  const { words, found } = page
  return askedAddresses(found.offer).map(kind => {
    const fields = addressParts.map(part => addressField(page, kind, part))
    return html`<fieldset class="address">
<legend>${words.checkout[kind]}</legend>
${fields}
</fieldset>`
  })
}

function addressField(page: CheckoutPage, kind: AddressKind, part: AddressPart): Html {
  const says = page.words.checkout
  const nameOf = (each: AddressPart) => addressFieldName(page.found.offer, kind, each)
  const autocomplete = `${kind} ${autocompletes[part]}`
  if (part === 'country') return countryField(page, nameOf(part), autocomplete)
  const required = isRequired(part, null)
  const attributes: Attributes = {
    autocomplete,
    required,
    maxlength: addressCharsMax[part],
    dir: 'auto',
    ...(part === 'phone' && { type: 'tel' }),
    ...(isRequired(part, needsStateAndZip) && !required && { 'data-required-in': needsStateAndZip }),
  }
  const isNeeded = isRequired(part, page.values[nameOf('country')] ?? page.country)
  return textAt(page, nameOf(part), required ? says[part] : optionalLabel(page, part, isNeeded), attributes)
}

/** The script says or hides it as the country is chosen. */
function optionalLabel({ words }: CheckoutPage, part: Exclude<AddressPart, 'country'>, isNeeded: boolean): Html {
  const { [part]: label, optional } = words.checkout
  return html`${label}<span${isNeeded ? html` hidden` : null}>${optional('')}</span>`
}

function countryField(page: CheckoutPage, name: string, autocomplete: string): Html {
  const { words, values } = page
  const choices = [{ value: '', says: words.checkout.chooseCountry }, ...countriesIn(words)]
  const chosen = values[name] ?? page.country
  const problem = problemAt(page, name)
  const attributes = { autocomplete, required: true, ...focusAt(page, name) }
  return selectField({ name, label: words.checkout.country, problem, choices, chosen, attributes })
}

export function answersPart(page: CheckoutPage): Html | null {
  const { words, found } = page
  const { customFields } = found.offer
  if (customFields.length === 0) return null
  const fields = customFields.map(({ name, required }, index) => {
    const label = bdi(required ? name : words.checkout.optional(name))
    const attributes = { required, maxlength: answerCharsMax, dir: 'auto', autocomplete: 'off' }
    return textAt(page, answerField(index), label, attributes)
  })
  return html`<fieldset>
<legend>${words.checkout.asks(found.merchant.name)}</legend>
${fields}
</fieldset>`
}
