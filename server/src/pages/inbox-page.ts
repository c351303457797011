// The inbox as a page. It is whole without its script, which only adds what arrives while one looks. Nothing is shown as a
// fact unless its signature was good: what anybody may have written stands in the fold, as text.

import { readFileSync } from 'node:fs'
import type { InboxHook } from '../core/inbox-hook.ts'
import { isoTime } from '../core/sale.ts'
import { type Html, html, trusted } from './html.ts'
import { parsedDetails } from './parsed-details.ts'

const readOwn = (name: string) => trusted(readFileSync(new URL(name, import.meta.url), 'utf8'))
const style = readOwn('inbox.css')
const script = readOwn('inbox.js')

/** The key is in the address: nobody may frame the page, keep it, or learn where one came from. */
export function pageHeaders(nonce: string): { readonly [name: string]: string } {
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'no-referrer',
  }
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%23b7791f' " +
  "d='M8 1a5 5 0 0 0-5 5v4l-1.5 2.5h13L13 10V6a5 5 0 0 0-5-5zM6 13.5a2 2 0 0 0 4 0z'/%3E%3C/svg%3E"

export function inboxPage(hooks: readonly InboxHook[], nonce: string): string {
  const nothing = html`<p class="empty">Nothing has arrived yet.</p>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Hook inbox · Tillbell</title>
<link rel="icon" href="${icon}">
<style nonce="${nonce}">${style}</style>
</head>
<body>
<header>
<h1>Hook inbox</h1>
<p>What the demo merchant’s application is told, and whether it may believe it.</p>
<p role="status">Reload to see what has arrived since.</p>
</header>
<main>
${hooks.length === 0 ? nothing : null}
${itemList(hooks)}
${howTo}
</main>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`.text
}

/** The list alone. */
export function inboxItems(hooks: readonly InboxHook[]): string {
  return itemList(hooks).text
}

function itemList(hooks: readonly InboxHook[]): Html {
  return html`<ol>${hooks.map(hookItem)}</ol>`
}

// As in the README, and like it without secrets: a page is soon in somebody's screenshot.
const howTo = html`<section class="how">
<h2>Make one</h2>
<p>Charge the demo card for the demo offer, in the folder that <code>npm start</code> was run in:</p>
<pre tabindex="0">demo() { node -p "JSON.parse(require('fs').readFileSync('data/demo.json'))['$1']"; }
curl -u "$(demo api_key):$(demo api_secret)" -d service_offer="$(demo offer)" -d token="$(demo card)" "$(demo base_url)/api/v5/rest/transactions"</pre>
</section>`

function hookItem({ id, at, path, details, verified }: InboxHook): Html {
  const parsed = parsedDetails(details)
  const { kind, name } = verified ? kindOf(path, parsed?.type) : notAuthentic
  const text = parsed === null ? details : JSON.stringify(parsed, null, 2)
  return html`<li id="${id}" class="${kind}">
<p class="head"><span class="kind">${name}</span>${verified ? amountOf(parsed) : null}${verified && isTest(parsed) ? testMark : null}
<time datetime="${isoTime(at)}">${shownTime(at)}</time></p>
${verified ? factsOf(parsed) : null}
<p class="mark">${verified ? '✓ signature verified' : '✗ signature does not match'}</p>
<details><summary>details</summary><pre tabindex="0">${text}</pre></details>
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

function textOf(details: Details, name: string): string | null {
  const value = details?.[name]
  return typeof value === 'string' && value !== '' ? value : null
}

function amountOf(details: Details): Html | null {
  const amount = textOf(details, 'amount')
  return amount === null ? null : html` <strong>${amount}</strong>`
}

const testMark = html` <span class="test">test</span>`

function isTest(details: Details): boolean {
  const data = details?.user_data as { readonly custom_data?: { readonly test?: unknown } } | null | undefined
  return data?.custom_data?.test === 'true'
}

function factsOf(details: Details): Html {
  const facts = {
    transaction: textOf(details, 'transaction'),
    customer: textOf(details, 'name') ?? textOf(details, 'email'),
    error: textOf(details, 'error'),
  }
  const rows = Object.entries(facts).flatMap(([name, text]) =>
    text === null ? [] : [html`<dt>${name}</dt><dd dir="auto">${text}</dd>`],
  )
  return html`<dl>${rows}</dl>`
}

const clock = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })

function shownTime(at: Date): string {
  return `${clock.format(at)} UTC`
}
