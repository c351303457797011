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
    "frame-src 'self'",
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

/** Of a mail in a frame of ours: it has its own styles and may show a logo, and runs nothing. */
export const framePolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src 'self' https:",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

export interface InboxFrame {
  readonly title: string
  readonly says: string
  /** The page beside it, by an address that holds behind a proxy's path, too. */
  readonly other: { readonly href: string; readonly says: string }
  readonly content: Html
  readonly nonce: string
}

export function inboxFrame({ title, says, other, content, nonce }: InboxFrame): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Tillbell</title>
<link rel="icon" href="${icon}">
<style nonce="${nonce}">${style}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p>${says}</p>
<p><a href="${other.href}">${other.says}</a></p>
<p role="status">Reload to see what has arrived since.</p>
</header>
<main>
${content}
</main>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`.text
}

export function inboxPage(key: string, hooks: readonly InboxHook[], nonce: string): string {
  return inboxFrame({
    title: 'Hook inbox',
    says: 'What the demo merchant’s application is told, and whether it may believe it.',
    other: { href: `${key}/mails`, says: 'Mails to customers' },
    content: html`${hooks.length === 0 ? html`<p class="empty">Nothing has arrived yet.</p>` : null}
${itemList(hooks)}
${howTo}`,
    nonce,
  })
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
