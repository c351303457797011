// Inputs as large as the interface takes them, in characters as wide as they come: what happens to the money must not depend on
// what is written beside it.

import type { Client } from '../server/test/support/client.ts'
import { type Form, payOnPage } from '../server/test/support/plain-forms.ts'
import type { Chance } from './chance.ts'

/** CJK, emoji, combining characters, joined ones; and what JSON escapes. */
const widest = ['语', '😀', 'e\u0301', '👩‍👩‍👧‍👦', '"\\']

/** Of so many code points, as REST counts. */
export function largeText(chance: Chance, charsMax: number): string {
  return [...chance.pick(widest).repeat(charsMax)].slice(0, charsMax).join('')
}

/** Of so many UTF-16 units, as a page counts. */
function largeLine(chance: Chance, unitsMax: number): string {
  const character = chance.pick(widest)
  return character.repeat(Math.floor(unitsMax / character.length))
}

/** With as much `custom_data` as it takes, found by halving what is left to try. */
export async function makeLargeOffer(client: Client, chance: Chance, amount: string): Promise<string> {
  const texts = { title: largeText(chance, 255), details: largeText(chance, 1_000), ref_id: largeText(chance, 255) }
  const custom_fields = ['a', 'b', 'c', 'd'].map(name => ({ name }))
  const asked = { amount, ...texts, custom_fields, address: 'shipping' }
  let made: string | null = null
  let size = 0
  for (let step = 4_096; step >= 16; step /= 2) {
    const filler = chance.pick(widest).repeat(size + step)
    const { status, json, text } = await client.ask('offers', { json: { ...asked, custom_data: { filler } } })
    if (status === 422 || status === 413) continue
    if (status !== 200) throw new Error(text)
    size += step
    made = json.offer.offer_id
  }
  if (made === null) throw new Error('no large offer was accepted')
  return made
}

/** By which the payments of pages are known afterwards: whoever pays there is told by the page alone. */
export const pageMark = 'a page of the storm'

const lengths = { last_name: 100, street: 200, street2: 200, city: 100, state: 100, zip: 20, phone: 40 }

/** Whether it came to a payment; under faults a page may be away, and a sale may be stopped. */
export async function payLargeOnPage({ baseUrl }: Client, offer: string, chance: Chance): Promise<boolean> {
  const lines = Object.entries(lengths).map(([name, units]) => [name, largeLine(chance, units)])
  const answers = [1, 2, 3, 4].map(number => [`answer_${number}`, largeLine(chance, 450)])
  const names = { email: 'page@example.org', first_name: 'Ada', country: 'US', referrer_context: pageMark }
  const typed: Form = { ...Object.fromEntries([...lines, ...answers]), ...names }
  return payOnPage(baseUrl, offer, typed).then(
    () => true,
    () => false,
  )
}
