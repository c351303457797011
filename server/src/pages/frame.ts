// The frame of every page that a customer sees: the merchant's name or logo and colours, the customer's language, nothing
// inline, nothing from elsewhere.

import type { Look } from '../core/look.ts'
import type { Merchant } from '../core/people.ts'
import { type PageFile, pageFile } from './files.ts'
import { type Html, html } from './html.ts'
import { logoPath, lookPath } from './looks.ts'
import type { Words } from './words/words.ts'

export const pageStyle = pageFile('page.css')

export interface Frame {
  readonly words: Words
  /** What stands before every path of ours, where a proxy serves the service under one. */
  readonly root: string
  /** Whose page it is; null: of nobody that we know. */
  readonly of: { readonly merchant: Merchant; readonly look: Look } | null
  /** It moves no money, and should not look as if it did. */
  readonly isSandbox: boolean
  readonly isTls: boolean
}

export interface FramedPage {
  readonly title: string
  readonly content: Html
  /** Scripts of our own, or a gateway's by its whole address. */
  readonly scripts?: readonly (PageFile | string)[]
}

export function framed(frame: Frame, { title, content, scripts = [] }: FramedPage): string {
  const { words, root, of } = frame
  const style = of === null ? null : lookPath(of.look)
  return html`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${of === null ? title : `${title} · ${of.merchant.name}`}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}${pageStyle.path}">
${style === null ? null : html`<link rel="stylesheet" href="${root}${style}">`}
${scripts.map(script => html`<script src="${typeof script === 'string' ? script : `${root}${script.path}`}" defer></script>`)}
</head>
<body>
<header>${of === null ? null : headOf(frame, of)}</header>
<main>
${content}
</main>
<footer>${footOf(frame)}</footer>
</body>
</html>
`.text
}

function headOf({ root }: Frame, { merchant, look }: NonNullable<Frame['of']>): Html {
  if (look.logo === null) return html`<p class="merchant" dir="auto">${merchant.name}</p>`
  return html`<img class="logo" src="${root}${logoPath(merchant.id, look.logo)}" alt="${merchant.name}">`
}

function footOf({ words, of, isSandbox }: Frame): Html {
  const support = of?.look.supportEmail ?? null
  return html`${isSandbox ? html`<p>${words.frame.sandbox}</p>` : null}
${support === null ? null : html`<p>${words.frame.questions} <a href="mailto:${support}">${support}</a></p>`}`
}

export interface PageReach {
  /** Where else its forms may lead in the end: browsers hold a form's redirects to its policy, too. */
  readonly leadsTo?: readonly string[]
  /** What a gateway's own card fields need. */
  readonly scripts?: readonly string[]
  readonly frames?: readonly string[]
  readonly calls?: readonly string[]
}

/** The address may be what opens the page: nobody but whom the merchant names may frame it, or learn where one came from. */
export function pageHeaders(frame: Frame, reach: PageReach = {}): { readonly [name: string]: string } {
  const { leadsTo = [], scripts = [], frames = [], calls = [] } = reach
  const ancestors = frame.of?.look.frameAncestors ?? []
  const rules = [
    ["default-src 'none'"],
    ["script-src 'self'", ...scripts],
    ["style-src 'self'"],
    ["img-src 'self' data:"],
    ...(frames.length === 0 ? [] : [['frame-src', ...frames]]),
    ...(calls.length === 0 ? [] : [['connect-src', ...calls]]),
    ["base-uri 'none'"],
    ["form-action 'self'", ...leadsTo],
    ['frame-ancestors', ...(ancestors.length === 0 ? ["'none'"] : ancestors)],
  ]
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': frame.words.language,
    'Content-Security-Policy': rules.map(rule => rule.join(' ')).join('; '),
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept-Language',
    ...(frame.isTls && { 'Strict-Transport-Security': 'max-age=31536000' }),
  }
}

/** A name in a sentence, whichever way its letters run. */
export function bdi(name: string): Html {
  return html`<bdi>${name}</bdi>`
}
