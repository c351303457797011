// The demo merchant's hook inbox: the merchant's side of every hook, served by the sandbox itself, so that a first charge
// can be seen to arrive. Whoever knows its key reads and writes it; to everybody else there is nothing here.

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandler } from 'fastify'
import { type InboxHookId, parseUuid } from '../core/ids.ts'
import type { InboxHook } from '../core/inbox-hook.ts'
import { answerText } from '../core/json.ts'
import { isoTime } from '../core/sale.ts'
import { bodyParser } from '../http/bodies.ts'
import { pagePoints } from '../http/strangers.ts'
import type { Arrivals } from './arrivals.ts'
import { inOrder } from './in-order.ts'
import { type InboxMailPorts, inboxMailRoutes } from './inbox-mails.ts'
import { inboxItems, inboxPage, pageHeaders } from './inbox-page.ts'
import { lookAndWait, waitMaxMs } from './look-and-wait.ts'
import { parsedDetails } from './parsed-details.ts'
import { isVerified, readPosted, storable } from './receive.ts'

export interface InboxPorts {
  /** Whether this is its key. */
  opens(key: string): Promise<boolean>
  privateKeys(): Promise<readonly string[]>
  insert(hooks: readonly InboxHook[]): Promise<void>
  /** Newest first. */
  list(after: InboxHookId | null): Promise<readonly InboxHook[]>
  readonly mails: Pick<InboxMailPorts, 'list' | 'find'>
  /** Of hooks and mails put into it, here or by another process. */
  readonly arrivals: Arrivals
  newHookId(): InboxHookId
  newNonce(): string
  now(): Date
}

/** Where hooks may be posted: the generic endpoint, and one for each kind. */
const paths = ['endpoint', 'presale', 'transaction', 'far', 'error', 'update']
/** `details` of 64 KiB may be three times as long when it is percent-encoded. */
const bodyBytesMax = 262_144
const hidden = { schema: { hide: true }, config: { holdsNoPlace: true, points: pagePoints } } as const
/** The service itself sends here. What it did not sign is counted once that is known. */
const hiddenForHooks = { ...hidden, config: { ...hidden.config, points: 0 }, bodyLimit: bodyBytesMax }

export function inboxRoutes(app: FastifyInstance, ports: InboxPorts): void {
  app.addHook('onRequest', async (request, reply) => {
    if (await ports.opens(paramsOf(request).key)) return
    if (request.strangersPoints === 0) await app.strangers.take(request, pagePoints)
    return reply.callNotFound()
  })
  app.addHook('preClose', async () => ports.arrivals.close())
  readBodiesAsText(app)
  showPage(app, ports)
  listHooks(app, ports)
  receiveHooks(app, ports)
  inboxMailRoutes(app, { ...ports.mails, arrivals: ports.arrivals, newNonce: ports.newNonce })
}

interface Params {
  readonly key: string
  readonly path: string
}

function paramsOf(request: FastifyRequest): Params {
  return request.params as Params
}

function readBodiesAsText(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    bodyParser(body => body.toString()),
  )
  app.setErrorHandler(async (error: Error & { readonly code?: unknown }, request, reply) => {
    if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
    if (request.strangersPoints === 0) await app.strangers.take(request, pagePoints)
    return refuse(reply, 413, { general: 'The body is larger than 256 KiB.' })
  })
}

function showPage(app: FastifyInstance, { list, newNonce }: InboxPorts): void {
  app.get('/inbox/:key', hidden, async (request, reply) => {
    const nonce = newNonce()
    return reply.headers(pageHeaders(nonce)).send(inboxPage(paramsOf(request).key, await list(null), nonce))
  })
}

/** As JSON for programs, and for the page's script as what it puts on top. */
function listHooks(app: FastifyInstance, { list, arrivals, newNonce }: InboxPorts): void {
  const listed =
    (answer: (hooks: readonly InboxHook[], reply: FastifyReply) => FastifyReply): RouteHandler =>
    async (request, reply) => {
      const after = afterOf(request)
      if (after === 'wrong') return refuse(reply, 400, { after: 'after must be the id of a hook.' })
      const { wait } = request.query as { readonly wait?: unknown }
      const look = () => list(after)
      const hooks = wait === '1' ? await lookAndWait(look, arrivals.enter(waitMaxMs), reply) : await look()
      return answer(hooks, reply)
    }
  const asJson = listed((hooks, reply) => reply.send(answerText({ hooks: hooks.map(shown) })))
  const asItems = listed((hooks, reply) => reply.headers(pageHeaders(newNonce())).send(inboxItems(hooks)))
  app.get('/inbox/:key/hooks', hidden, asJson)
  app.get('/inbox/:key/items', hidden, asItems)
}

function receiveHooks(app: FastifyInstance, ports: InboxPorts): void {
  const keep = inOrder(ports.insert)
  app.post('/inbox/:key/:path', hiddenForHooks, async (request, reply) => {
    const { path } = paramsOf(request)
    const posted = readPosted(request.headers['content-type'], String(request.body))
    const verified = !('errors' in posted) && isVerified(posted, await ports.privateKeys())
    if (!verified) await app.strangers.take(request, pagePoints)
    if (!paths.includes(path)) return reply.callNotFound()
    if ('errors' in posted) return refuse(reply, posted.status, posted.errors)
    await keep({ ...storable(posted, verified), id: ports.newHookId(), at: ports.now(), path, verified })
    return verified
      ? reply.send(answerText({ received: true }))
      : refuse(reply, 403, { signature: 'signature does not match: this hook is not authentic.' })
  })
}

/**
 * `details` to read, and their text to verify: written again, JSON may not be the same. What nobody signed is text alone: indented,
 * 20 KB of brackets become 24 MB.
 */
function shown({ id, at, path, verified, details, signature }: InboxHook) {
  return {
    id,
    at: isoTime(at),
    path,
    verified,
    details: verified ? parsedDetails(details) : null,
    details_text: details,
    signature,
  }
}

function afterOf(request: FastifyRequest): InboxHookId | null | 'wrong' {
  const { after } = request.query as { readonly after?: unknown }
  if (after === undefined) return null
  return (typeof after === 'string' ? parseUuid<InboxHookId>(after) : null) ?? 'wrong'
}

function refuse(reply: FastifyReply, status: number, errors: { readonly [field: string]: string }): FastifyReply {
  return reply.code(status).send(answerText({ errors }))
}
