// What is asked of one Stripe account, over and over: an intent by its name, a list to its end.

import type Stripe from 'stripe'
import type { Note, Unknown } from '../../core/gateway.ts'
import type { GatewayId } from '../../core/ids.ts'
import type { Called, Caller } from './client.ts'
import { isMembers, type Members, unknown } from './exchange.ts'
import { type Intent, readIntent, withCharge } from './intent.ts'
import { type Failed, isMissing, noAnswer } from './outcomes.ts'

/** Who asks, for how long, and who listens. */
export interface Asking {
  readonly gatewayId: GatewayId
  readonly caller: Caller
  readonly signal: AbortSignal
  readonly note?: Note | undefined
}

export function ask({ caller, signal, note }: Asking, work: (stripe: Stripe) => Promise<unknown>): Promise<Called> {
  return caller.call(work, signal, note)
}

/** The intent that was asked for, or whatever came instead. */
export function intentIn(called: Called): { readonly kind: 'intent'; readonly intent: Intent } | Failed {
  if (called.kind !== 'ok') return called
  const intent = readIntent(called.value)
  return intent === null
    ? unknown('Stripe answered with something that is no payment intent.')
    : { kind: 'intent', intent }
}

export type Retrieved = { readonly kind: 'intent'; readonly intent: Intent } | { readonly kind: 'missing' } | Unknown

/** As it stands now. */
export async function retrieveIntent(asking: Asking, id: string): Promise<Retrieved> {
  const called = await ask(asking, stripe => stripe.paymentIntents.retrieve(id, withCharge))
  if (isMissing(called)) return { kind: 'missing' }
  const read = intentIn(called)
  if (read.kind !== 'intent') return noAnswer(read)
  return read.intent.id === id ? read : unknown('Stripe answered with another payment intent.')
}

export interface Page {
  readonly limit: number
  readonly starting_after?: string
}
export type AskForPage = (stripe: Stripe, page: Page) => Promise<unknown>
export interface Item {
  readonly id: string
  readonly [name: string]: unknown
}

const pageSizeMax = 100
/** Enough for any customer and any payment. Who has more is not looked up, but asked about by a person. */
const pagesMax = 50

/** All items, newest first, or no further than the one that is looked for. */
export async function collect(
  asking: Asking,
  askForPage: AskForPage,
  isLookedFor: (item: Item) => boolean = () => false,
): Promise<{ readonly kind: 'items'; readonly items: readonly Item[] } | Unknown> {
  const items: Item[] = []
  for await (const page of pages(asking, askForPage, pageSizeMax)) {
    if (page.kind === 'unknown') return page
    items.push(...page.items)
    if (page.items.some(isLookedFor)) break
    if (items.length >= pagesMax * pageSizeMax) return unknown('The list at Stripe is too long to be searched.')
  }
  return { kind: 'items', items }
}

type ReadPage = { readonly kind: 'items'; readonly items: readonly Item[] } | Unknown

/** Ends after the last page, or after the one that could not be read. */
export async function* pages(asking: Asking, askForPage: AskForPage, limit: number): AsyncGenerator<ReadPage> {
  let page: Page = { limit }
  for (;;) {
    const called = await ask(asking, stripe => askForPage(stripe, page))
    const list = called.kind === 'ok' ? readList(called.value) : noAnswer(called)
    yield list
    if (list.kind === 'unknown' || list.after === null) return
    page = { limit, starting_after: list.after }
  }
}

/** Stripe's lists, unlike its search, show at once what was written: its page on search sends who needs that to them. */
function readList(value: unknown): (ReadPage & { readonly kind: 'items'; readonly after: string | null }) | Unknown {
  const { object, data, has_more }: Members = isMembers(value) ? value : {}
  if (object !== 'list' || !Array.isArray(data) || !data.every(isItem) || typeof has_more !== 'boolean') {
    return unknown('Stripe answered with something that is no list.')
  }
  const last = data.at(-1)
  if (has_more && last === undefined) return unknown('Stripe answered with a list that has no end.')
  return { kind: 'items', items: data, after: has_more && last !== undefined ? last.id : null }
}

function isItem(value: unknown): value is Item {
  return isMembers(value) && typeof value.id === 'string'
}
