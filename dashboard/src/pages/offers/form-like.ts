// The form of an offer that is like another: an offer cannot be changed, only followed by one that is better.

import type { OfferRecord } from '../../../../server/src/console/contract/records.ts'
import { emptyForm, type OfferForm, type TextName } from './offer-form.ts'

/** All but when it ended: another offer ends at another time. */
export function formLike(offer: OfferRecord): OfferForm {
  const empty = emptyForm(offer.currency)
  const known: { readonly [name in TextName]?: string | number | null } = offer
  const names = Object.keys(empty.texts) as TextName[]
  const texts = Object.fromEntries(names.map(name => [name, textOf(known[name])])) as OfferForm['texts']
  return {
    ...empty,
    texts,
    authorizationOnly: offer.authorization_only,
    customFields: offer.custom_fields,
    customData: Object.entries(offer.custom_data).map(([name, value]) => ({
      name,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    })),
  }
}

function textOf(value: string | number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value)
}
