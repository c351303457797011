// The frame of every page that a customer sees: the merchant's name or logo and colours, the customer's language, nothing
// inline, and nothing from elsewhere but a gateway's own card fields. Pages are whole without JavaScript.

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { inkOn, type Look, logoPath, plainLook } from '../core/look.ts'
import type { Merchant } from '../core/people.ts'
import { rootOf } from '../core/root-path.ts'
import { type NamedFile, namedFile } from '../http/named-files.ts'
import { type Html, html } from './html.ts'
import { lookPath } from './looks.ts'
import { type Words, wordsFor } from './words/words.ts'

export const pageStyle = namedFile('/pages', new URL('page.css', import.meta.url))
export const nightStyle = namedFile('/pages', new URL('night.css', import.meta.url))

/** What every page knows of the service that it is a page of. */
export interface PageService {
  /** Known once the service listens. */
  baseUrl(): string
  /** It moves no money, and should not look as if it did. */
  readonly isSandbox: boolean
}

export interface Frame {
  readonly words: Words
  /** What stands before every path of ours, where a proxy serves the service under one. */
  readonly root: string
  /** Whose page it is; null: of nobody that we know. */
  readonly of: PageOwner | null
  readonly isSandbox: boolean
}

export interface PageOwner {
  readonly merchant: Merchant
  readonly look: Look
  /** In a preview: a logo that is not saved yet. */
  readonly logoUrl?: string
}

export function frameFor(
  service: PageService,
  request: { readonly headers: IncomingHttpHeaders },
  of: PageOwner | null,
): Frame {
  const words = wordsFor(request.headers['accept-language'])
  return { words, root: rootOf(service.baseUrl()), of, isSandbox: service.isSandbox }
}

export interface FramedPage {
  readonly title: string
  /** Has the one `h1`. */
  readonly content: Html
  /** Files of our own, or a gateway's by its whole address. */
  readonly scripts?: readonly (NamedFile | string)[]
  readonly reach?: PageReach
}

/** What the page may do beyond showing itself. */
export interface PageReach {
  /** Where else its forms may lead in the end: browsers hold a form's redirects to its policy, too. */
  readonly leadsTo?: readonly string[]
  /** What a gateway's own card fields need. */
  readonly scripts?: readonly string[]
  readonly frames?: readonly string[]
  readonly calls?: readonly string[]
}

export function sendPage(reply: FastifyReply, frame: Frame, page: FramedPage, status = 200): FastifyReply {
  return reply.code(status).headers(pageHeaders(frame, page)).send(framed(frame, page))
}

/** On to another page, which is read with GET. */
export function seeOther(reply: FastifyReply, url: string): FastifyReply {
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Referrer-Policy': 'no-referrer', Location: url }
  return reply.code(303).headers(headers).send('')
}

export function framed(frame: Frame, { title, content, scripts = [] }: FramedPage): string {
  const { words, root, of } = frame
  const scheme = schemeOf(of?.look ?? plainLook)
  return html`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${scheme}">
<meta name="robots" content="noindex">
<title>${of === null ? title : `${title} · ${of.merchant.name}`}</title>
<link rel="icon" href="data:,">
${stylesOf(frame, scheme)}${scripts.map(script => scriptTag(root, script))}</head>
<body>
${headOf(frame)}
<main>
${content}
</main>
${footOf(frame)}
</body>
</html>
`.text
}

/** By day or by night, as the customer likes it; on a merchant's own background as that one wants it. */
type Scheme = 'light dark' | 'light' | 'dark'

function schemeOf({ backgroundColor }: Look): Scheme {
  if (backgroundColor === null) return 'light dark'
  return inkOn(backgroundColor) === '#000000' ? 'light' : 'dark'
}

function stylesOf({ root, of }: Frame, scheme: Scheme): Html[] {
  const link = (path: string, media: Html | null = null) =>
    html`<link rel="stylesheet" href="${root}${path}"${media}>\n`
  const own = of === null ? null : lookPath(of.look)
  return [
    link(pageStyle.path),
    ...(scheme === 'light dark' ? [link(nightStyle.path, html` media="(prefers-color-scheme: dark)"`)] : []),
    ...(scheme === 'dark' ? [link(nightStyle.path)] : []),
    ...(own === null ? [] : [link(own)]),
  ]
}

function scriptTag(root: string, script: NamedFile | string): Html {
  const address = typeof script === 'string' ? script : `${root}${script.path}`
  return html`<script src="${address}" defer></script>\n`
}

function headOf({ root, of }: Frame): Html | null {
  if (of === null) return null
  const { merchant, look, logoUrl } = of
  const kind = look.backgroundColor === null ? 'logo plated' : 'logo'
  return look.logo === null
    ? html`<header><p class="merchant" dir="auto">${merchant.name}</p></header>`
    : html`<header><img class="${kind}" src="${logoUrl ?? `${root}${logoPath(merchant.id, look.logo)}`}" alt="${merchant.name}"></header>`
}

function footOf({ words, of, isSandbox }: Frame): Html | null {
  const support = of?.look.supportEmail ?? null
  if (support === null && !isSandbox) return null
  return html`<footer>
${support === null ? null : html`<p>${words.frame.questions} <a href="${mailTo(support)}">${support}</a></p>`}
${isSandbox ? html`<p class="sandbox">${words.frame.sandbox}</p>` : null}
</footer>`
}

/** Whatever is in the address, it is the one that is written to. */
function mailTo(address: string): string {
  return `mailto:${encodeURIComponent(address).replace('%40', '@')}`
}

/** The address may be what opens the page: nobody but whom the merchant names may frame it, or learn where one came from. */
export function pageHeaders(frame: Frame, page: Omit<FramedPage, 'title' | 'content'> = {}) {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': frame.words.language,
    'Content-Security-Policy': policyOf(frame, page),
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept-Language',
  }
}

function policyOf({ of }: Frame, { scripts: run = [], reach = {} }: Omit<FramedPage, 'title' | 'content'>): string {
  const { leadsTo = [], scripts = [], frames = [], calls = [] } = reach
  const ancestors = of?.look.frameAncestors ?? []
  const rules = [
    ["default-src 'none'"],
    ...(run.length === 0 ? [] : [["script-src 'self'", ...scripts]]),
    ["style-src 'self'"],
    ["img-src 'self' data:"],
    ...(frames.length === 0 ? [] : [['frame-src', ...frames]]),
    ...(calls.length === 0 ? [] : [['connect-src', ...calls]]),
    ["base-uri 'none'"],
    ["form-action 'self'", ...leadsTo],
    ['frame-ancestors', ...(ancestors.length === 0 ? ["'none'"] : ancestors)],
  ]
  return rules.map(rule => rule.join(' ')).join('; ')
}
