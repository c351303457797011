// One hook of the inbox. Nothing is shown as a fact unless its signature was good: what anybody may have written stands in
// the fold, as text.

import type { InboxHook } from '../core/inbox-hook.ts'
import { isoTime } from '../core/sale.ts'
import { type Html, html } from './html.ts'
import { parsedDetails } from './parsed-details.ts'

export function inboxItem({ id, at, path, details, signature, verified }: InboxHook): Html {
  // Of what nobody signed, the text alone: see inbox.ts.
  const parsed = verified ? parsedDetails(details) : null
  const { kind, name } = verified ? kindOf(path, parsed?.type) : notAuthentic
  const text = parsed === null ? details : JSON.stringify(parsed, null, 2)
  return html`<li id="${id}" class="${kind}">
<p class="head"><span class="kind">${name}</span>${verified ? headOf(kind, parsed) : null}
<time datetime="${isoTime(at)}">${shownTime(at)}</time></p>
${verified ? factsOf(parsed) : null}
<p class="mark">${verified ? '✓ signature verified' : '✗ signature does not match'}</p>
<details><summary>details</summary><pre tabindex="0">${text}</pre>
<p class="signature">signature <code>${signature}</code></p></details>
</li>
`
}

interface Named {
  /** Its colour. */
  readonly kind: 'presale' | 'transaction' | 'far' | 'error' | 'update' | 'other' | 'not-authentic'
  readonly name: string
}

const kinds = new Map<unknown, Named>([
  ['pre_sale', { kind: 'presale', name: 'Pre-Sale' }],
  ['success', { kind: 'transaction', name: 'Transaction' }],
  ['far', { kind: 'far', name: 'Further action' }],
  ['error', { kind: 'error', name: 'Error' }],
  ['refund', { kind: 'update', name: 'Refund' }],
  ['void', { kind: 'update', name: 'Void' }],
  ['dispute', { kind: 'update', name: 'Dispute' }],
])
const notAuthentic: Named = { kind: 'not-authentic', name: 'Not authentic' }
const unknownKind: Named = { kind: 'other', name: 'Hook' }

/** The address says it where it is a kind's own; `type` may be crossed between FAR and Error. */
function kindOf(path: string, type: unknown): Named {
  const own = [...kinds.values()].find(({ kind }) => kind === path && kind !== 'update')
  return own ?? kinds.get(type) ?? unknownKind
}

type Details = ReturnType<typeof parsedDetails>

function textIn(object: unknown, name: string): string | null {
  const value = (object as { readonly [name: string]: unknown } | null | undefined)?.[name]
  return typeof value === 'string' && value !== '' ? value : null
}

function headOf(kind: Named['kind'], details: Details): Html {
  const item = textIn(details?.user_data, 'item_name')
  const tags = [askedOf(details), isTest(details) ? 'test' : null].filter(tag => tag !== null)
  return html`${amountOf(kind, details)}${item === null ? null : html` <span class="item" dir="auto">${item}</span>`}${tags.map(
    tag => html` <span class="tag">${tag}</span>`,
  )}`
}

/** An update's `amount` is the Transaction's, not what went back: what is left of it says what happened. */
function amountOf(kind: Named['kind'], details: Details): Html | null {
  const amount = textIn(details, 'amount')
  if (amount === null) return null
  const balance = kind === 'update' ? textIn(details, 'balance') : null
  return html` <strong>${balance === null ? amount : `${balance} of ${amount} left`}</strong>`
}

/** What the gateway is asked to do, where it is not a sale. */
function askedOf(details: Details): string | null {
  const { authorization, capture } = details ?? {}
  if (authorization === true && capture === false) return 'authorisation'
  return authorization === false && capture === true ? 'capture' : null
}

function isTest(details: Details): boolean {
  const data = details?.user_data as { readonly custom_data?: unknown } | null | undefined
  return textIn(data?.custom_data, 'test') === 'true'
}

function factsOf(details: Details): Html {
  const facts = {
    transaction: textIn(details, 'transaction'),
    customer: textIn(details, 'name') ?? textIn(details, 'email'),
    error: textIn(details, 'error'),
  }
  const rows = Object.entries(facts).flatMap(([name, text]) =>
    text === null ? [] : [html`<dt>${name}</dt><dd dir="auto">${text}</dd>`],
  )
  return html`<dl>${rows}</dl>`
}

const clock = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })

export function shownTime(at: Date): string {
  return `${clock.format(at)} UTC`
}
