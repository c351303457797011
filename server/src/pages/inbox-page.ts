// The inbox as a page. It is whole without its script, which only adds what arrives while one looks.

import { readFileSync } from 'node:fs'
import type { InboxHook } from '../core/inbox-hook.ts'
import { type Html, html, trusted } from './html.ts'
import { inboxItem } from './inbox-item.ts'

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
  return html`<ol>${hooks.map(inboxItem)}</ol>`
}

// As in the README, and like it without secrets: a page is soon in somebody's screenshot.
const howTo = html`<section class="how">
<h2>Make one</h2>
<p>Charge the demo card for the demo offer, in the folder that <code>npm start</code> was run in:</p>
<pre tabindex="0">demo() { node -p "JSON.parse(require('fs').readFileSync('data/demo.json'))['$1']"; }
curl -u "$(demo api_key):$(demo api_secret)" -d service_offer="$(demo offer)" -d token="$(demo card)" "$(demo base_url)/api/v5/rest/transactions"</pre>
</section>`
