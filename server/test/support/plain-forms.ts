// What the pages' forms carry along, read from their text: for whoever fills them in without a browser.

import { randomUUID } from 'node:crypto'

export interface Form {
  readonly [name: string]: string
}

export function hiddenIn({ text }: { readonly text: string }): Form {
  const fields = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]))
}

/** The box that says that a second payment is meant, ticked; nothing, where the page does not ask. */
export function tickedIn({ text }: { readonly text: string }): Form {
  const value = /<input type="checkbox" value="([^"]+)"[^>]* name="again"/.exec(text)?.[1]
  return value === undefined ? {} : { again: value }
}

/** The same, by somebody who was told of all that was paid before. */
export function ticked(): Form {
  return { again: `${randomUUID()}.${Date.now() + 86_400_000}` }
}

const answerWithinMs = 60_000
const goodCard: Form = { number: '4111111111111111', expiry: '12/40', cvc: '987' }

/** Pays for an offer on its page, as a browser without scripts does; the id of the payment. */
export async function payOnPage(baseUrl: string, offer: string, typed: Form): Promise<string> {
  const page = `${baseUrl}/offers/${offer}`
  const signal = AbortSignal.timeout(answerWithinMs)
  const shown = { text: await (await fetch(page, { signal })).text() }
  const body = new URLSearchParams({ ...hiddenIn(shown), ...goodCard, ...typed })
  const answer = await fetch(page, { method: 'POST', redirect: 'manual', body, signal })
  const paid = /transaction=([0-9a-f-]{36})$/.exec(answer.headers.get('location') ?? '')?.[1]
  if (paid === undefined) throw new Error(`${answer.status} ${await answer.text()}`)
  return paid
}
