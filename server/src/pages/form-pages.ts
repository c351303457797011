// What pages with forms share: bodies are read as text, and what goes wrong is said to a person.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { plainHeaders, plainNotice, rootOf } from './plain-page.ts'

export function formPages(app: FastifyInstance, baseUrl: () => string): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body))
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500) request.log.error({ err: error }, 'a page failed')
    const sentence =
      status >= 500 ? 'Something went wrong on our side. Reload in a moment.' : 'This request makes no sense.'
    return sendNotice(reply, baseUrl(), status, 'That did not work', sentence)
  })
}

/** One heading and some sentences. */
export function sendNotice(
  reply: FastifyReply,
  baseUrl: string,
  status: number,
  heading: string,
  ...sentences: readonly string[]
): FastifyReply {
  return reply
    .code(status)
    .headers(plainHeaders())
    .send(plainNotice(rootOf(baseUrl), heading, ...sentences))
}
