// The frame of pages for a customer: no script, nothing inline, nothing from elsewhere. They are whole without JavaScript.

import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { type Html, html } from './html.ts'

const css = readFileSync(new URL('plain.css', import.meta.url), 'utf8')
const cssPath = '/pages/plain.css'

/** A file of its own: what is inline, a page's policy refuses. */
export function plainStyle(app: FastifyInstance): void {
  app.get(cssPath, { schema: { hide: true } }, (_, reply) => reply.type('text/css; charset=utf-8').send(css))
}

/**
 * The address is what opens the page: nobody may frame it, or learn where one came from. `leadsTo`: where else its form may
 * lead in the end, because browsers hold a form's redirects to its policy, too.
 */
export function plainHeaders(leadsTo: readonly string[] = []): { readonly [name: string]: string } {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    ["form-action 'self'", ...leadsTo].join(' '),
    "frame-ancestors 'none'",
  ]
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'no-referrer',
  }
}

export interface PlainPage {
  readonly title: string
  readonly content: Html
  /** What stands before every path of ours, where a proxy serves the service under one. */
  readonly root: string
}

export function plainPage({ title, content, root }: PlainPage): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}${cssPath}">
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`.text
}

/** One heading and some sentences. */
export function plainNotice(root: string, heading: string, ...sentences: readonly string[]): string {
  const content = html`<h1>${heading}</h1>${sentences.map(each => html`<p>${each}</p>`)}`
  return plainPage({ title: heading, content, root })
}

/** The same, with one way on. */
export function noticeWithLink(
  root: string,
  heading: string,
  sentence: string,
  link: { readonly href: string; readonly says: string },
): string {
  const content = html`<h1>${heading}</h1><p>${sentence}</p>
<p class="back"><a href="${link.href}">${link.says}</a></p>`
  return plainPage({ title: heading, content, root })
}

/** The path of the service's base address, without its end. */
export function rootOf(baseUrl: string): string {
  return (URL.parse(baseUrl)?.pathname ?? '').replace(/\/+$/, '')
}
