// The demo merchant's mails, shown instead of sent: newest first, each as who gets it would see it. Whoever knows the inbox's
// address reads them, so a mail with which one comes in as one of the merchant's people is only named.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type InboxMailId, parseUuid } from '../core/ids.ts'
import type { InboxMail } from '../core/inbox-mail.ts'
import { answerText } from '../core/json.ts'
import { isoTime } from '../core/sale.ts'
import type { Arrivals } from './arrivals.ts'
import { type Html, html } from './html.ts'
import { shownTime } from './inbox-item.ts'
import { framePolicy, inboxFrame, pageHeaders } from './inbox-page.ts'
import { lookAndWait, waitMaxMs } from './look-and-wait.ts'

export interface InboxMailPorts {
  /** Newest first. */
  list(after: InboxMailId | null): Promise<readonly InboxMail[]>
  find(id: InboxMailId): Promise<InboxMail | null>
  /** Of whatever is put into the inbox. */
  readonly arrivals: Arrivals
  newNonce(): string
}

const hidden = { schema: { hide: true }, config: { holdsNoPlace: true } } as const

/** Behind whatever asks for the inbox's key. */
export function inboxMailRoutes(app: FastifyInstance, { list, find, arrivals, newNonce }: InboxMailPorts): void {
  app.get('/inbox/:key/mails', hidden, async (request, reply) => {
    const nonce = newNonce()
    const page = mailsPage(keyOf(request), await list(null), nonce)
    return reply.headers(pageHeaders(nonce)).send(page)
  })
  const listed = async (request: FastifyRequest, reply: FastifyReply) => {
    const { after, wait } = request.query as { readonly after?: unknown; readonly wait?: unknown }
    const last = typeof after === 'string' ? parseUuid<InboxMailId>(after) : null
    const look = () => list(last)
    return wait === '1' ? lookAndWait(look, arrivals.enter(waitMaxMs), reply) : look()
  }
  app.get('/inbox/:key/mails.json', hidden, async (request, reply) =>
    reply.send(answerText({ mails: (await listed(request, reply)).map(shown) })),
  )
  app.get('/inbox/:key/mails/items', hidden, async (request, reply) => {
    const mails = await listed(request, reply)
    return reply.headers(pageHeaders(newNonce())).send(mailList(mails).text)
  })
  app.get('/inbox/:key/mails/:mail/html', hidden, async (request, reply) => {
    const { mail } = request.params as { readonly mail: string }
    const id = parseUuid<InboxMailId>(mail)
    const found = id === null ? null : await find(id)
    return found === null || found.isPrivate ? reply.callNotFound() : sendMail(reply, found)
  })
}

const privateSays = 'Its link lets whoever has it in. An owner reads it on the sandbox page of the dashboard.'

function shown({ id, at, toAddress, subject, text, html, isPrivate }: InboxMail) {
  const says = isPrivate ? { text: privateSays, html: '' } : { text, html }
  return { id, at: isoTime(at), to: toAddress, subject, ...says }
}

function keyOf(request: FastifyRequest): string {
  return (request.params as { readonly key: string }).key
}

/** It runs nothing, wherever it is opened; its links open beside it. */
function sendMail(reply: FastifyReply, { html }: InboxMail): FastifyReply {
  return reply.headers({ ...pageHeaders(''), 'Content-Security-Policy': framePolicy }).send(html)
}

export function mailsPage(key: string, mails: readonly InboxMail[], nonce: string): string {
  return inboxFrame({
    title: 'Mails',
    says: 'What the demo merchant’s customers and people are told by mail. These mails are shown here instead of being sent.',
    other: { href: `../${key}`, says: 'Hook inbox' },
    content: html`${mails.length === 0 ? html`<p class="empty">No mail has been written yet.</p>` : null}
${mailList(mails)}`,
    nonce,
  })
}

function mailList(mails: readonly InboxMail[]): Html {
  return html`<ol>${mails.map(mailItem)}</ol>`
}

function mailItem(mail: InboxMail): Html {
  const { id, at, toAddress, subject, isPrivate } = mail
  return html`<li id="${id}">
<p class="head"><strong dir="auto">${subject}</strong>
<time datetime="${isoTime(at)}">${shownTime(at)}</time></p>
<dl><dt>to</dt><dd dir="auto">${toAddress}</dd></dl>
${isPrivate ? html`<p>${privateSays}</p>` : saidIn(mail)}
</li>
`
}

function saidIn({ id, subject, text }: InboxMail): Html {
  return html`<details open><summary>as it looks</summary>
<iframe class="mail" src="mails/${id}/html" title="${subject}" sandbox="allow-popups allow-popups-to-escape-sandbox" loading="lazy"></iframe></details>
<details><summary>as text</summary><pre tabindex="0">${text}</pre></details>`
}
