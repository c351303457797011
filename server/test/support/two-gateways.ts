// A merchant with two gateways of type test, the second of which is tried next, and cards that are stored at both.

import type { BehaviourName } from '../../src/gateways/sandbox/test-cards.ts'
import { testCardThat } from '../../src/gateways/sandbox/test-cards.ts'
import { answered } from './answers.ts'
import type { Client } from './client.ts'

export const cardOwner = 'ada@example.com'

/** What a copy must be called to show the same as a card that `Client.storeCard` stored, and to do as it is named. */
export function copyThat(behaviour: BehaviourName, number: string): string {
  return `test:${behaviour}:${number.slice(-4)}:12-2040`
}

export async function copyCard(client: Client, card: string, gateway: string, reference: string): Promise<void> {
  const form = { email: cardOwner, reference, gateway, card }
  answered(await client.ask('credit_cards', { form }), 200)
}

/** Stored at its own gateway as a card that does the one thing, and at the other as one that does the other. */
export async function cardAtBoth(
  client: Client,
  at: { readonly own?: string; readonly other: string },
  does: { readonly own: BehaviourName; readonly other: BehaviourName },
): Promise<string> {
  const { number } = testCardThat(does.own)
  const card = await client.storeCard(number, { email: cardOwner, ...(at.own !== undefined && { gateway: at.own }) })
  await copyCard(client, card, at.other, copyThat(does.other, number))
  return card
}

export async function connectTest(client: Client, more: { readonly [name: string]: unknown } = {}): Promise<string> {
  return answered(await client.ask('gateways', { json: { type: 'test', ...more } }), 200).json.gateway.id
}
