// What pages with forms share: bodies are read as text, and what goes wrong is said to a person, in their language.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { AwayError } from '../core/away.ts'
import { bodyParser } from '../http/bodies.ts'
import { comeAgain } from '../http/errors.ts'
import { type Frame, frameFor, type PageService, sendPage } from './frame.ts'
import { html } from './html.ts'
import type { Said } from './words/said.ts'
import type { Words } from './words/words.ts'

/** The framework's have a `statusCode`; those of our own API a `status`, and headers. */
interface Refusal extends Error {
  readonly statusCode?: number
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
}

export function formPages(app: FastifyInstance, service: PageService): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    bodyParser(body => body.toString()),
  )
  app.setErrorHandler((error: Refusal, request, reply) => {
    const frame = frameFor(service, request, null)
    const { status, headers, notice } = answerTo(error, frame.words.notices)
    if (status === 500 || error instanceof AwayError) request.log.error({ err: error }, 'a page failed')
    return sendNotice(reply.headers(headers), frame, status, notice)
  })
}

function answerTo(error: Refusal, notices: Words['notices']) {
  if (error instanceof AwayError) return { status: 503, headers: comeAgain, notice: notices.away }
  const status = error.status ?? error.statusCode ?? 500
  return { status, headers: error.headers ?? {}, notice: noticeOf(status, notices) }
}

function noticeOf(status: number, { restarting, tooLong, tooOften, ourFault, makesNoSense }: Words['notices']): Said {
  if (status === 503) return restarting
  if (status === 413) return tooLong
  if (status === 429) return tooOften
  return status >= 500 ? ourFault : makesNoSense
}

/** One heading, some sentences, and perhaps one way on. */
export function sendNotice(
  reply: FastifyReply,
  frame: Frame,
  status: number,
  { heading, sentences }: Said,
  way: { readonly href: string; readonly says: string } | null = null,
): FastifyReply {
  const content = html`<h1>${heading}</h1>
${sentences.map(sentence => html`<p>${sentence}</p>`)}
${way === null ? null : html`<p class="back"><a href="${way.href}">${way.says}</a></p>`}`
  return sendPage(reply, frame, { title: heading, content }, status)
}
