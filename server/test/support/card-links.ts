// A merchant's links on which customers enter cards.

import { answered } from './answers.ts'
import type { Client } from './client.ts'

export interface MadeLink {
  readonly url: string
  readonly expires_at: string
}

export async function makeCardLink(client: Client, more: { readonly [name: string]: string } = {}): Promise<MadeLink> {
  const form = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', ...more }
  return answered(await client.ask('credit_cards/links', { form }), 200).json.card_link
}

/** What is stored for a customer: the last four digits of each card. */
export async function masksOf(client: Client, email = 'ada@example.com'): Promise<string[]> {
  const { json } = answered(
    await client.ask(`credit_cards?include_unconfirmed=true&email=${encodeURIComponent(email)}`),
    200,
  )
  return json.map(({ card_mask }: { card_mask: string }) => card_mask)
}
