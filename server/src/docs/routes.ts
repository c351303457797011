// /docs: the guides of this very version, the search in them, and the API reference.

import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../http/errors.ts'
import { contentVersion, isCurrentVersion, serveForGood } from '../http/named-files.ts'
import { costlyPoints } from '../http/strangers.ts'
import { openReference, type Reference, referencePolicy, referenceScript, referenceStyle } from './reference.ts'
import { openShelf, type Shelf, typeOf } from './shelf.ts'
import { type Docs, type Knowledge, type MadePage, makeDocs, script, style } from './site.ts'

export interface DocsPlaces extends Knowledge {
  /** Where the guides may be: the first folder that is there. */
  readonly folders: readonly string[]
  readonly sdkGuides: readonly string[]
  /** Where what shows the API reference was put. */
  readonly builtReference: string
  /** Known once the service listens. */
  root(): string
}

/** What is read when the first page is asked for: most processes are never asked. */
interface Opened {
  readonly shelf: Shelf
  readonly docs: Docs
  readonly reference: Reference
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const headersOfPages = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
}

const hidden = { schema: { hide: true }, exposeHeadRoute: true }

export function docsRoutes(app: FastifyInstance, places: DocsPlaces): void {
  let opened: Opened | null = null
  const open = (): Opened => {
    opened ??= openDocs(places)
    return opened
  }
  serveForGood(app, [style, script, referenceStyle, referenceScript])
  app.get('/docs/files/:version/redoc.js', hidden, (request, reply) => open().reference.send(request, reply))
  app.get('/docs/api', hidden, (request, reply) => {
    reply.headers({ ...headersOfPages, 'Content-Security-Policy': referencePolicy })
    return sendUnlessKnown(open().reference.page(), request, reply)
  })
  app.get('/docs/search', { ...hidden, config: { points: costlyPoints } }, async (request, reply) => {
    const { q } = request.query as { q?: unknown }
    const found = await open().docs.searched(typeof q === 'string' ? q.slice(0, 200) : '')
    return reply.headers(headersOfPages).send(found)
  })
  app.get('/docs', hidden, (request, reply) => answer(open(), '', request, reply))
  app.get('/docs/*', hidden, (request, reply) => answer(open(), addressIn(request), request, reply))
}

function openDocs(places: DocsPlaces): Opened {
  const { folders, sdkGuides, builtReference, root } = places
  const shelf = openShelf(folders, sdkGuides) ?? { groups: [], pages: new Map(), files: new Map() }
  const docs = makeDocs(shelf, root(), places)
  return { shelf, docs, reference: openReference(docs, builtReference) }
}

function addressIn(request: FastifyRequest): string {
  return (request.params as { '*': string })['*'].replace(/\/$/, '')
}

function answer({ shelf, docs }: Opened, address: string, request: FastifyRequest, reply: FastifyReply) {
  const file = shelf.files.get(address)
  if (file !== undefined) return sendFile(file, request, reply)
  const page = docs.page(address)
  if (page !== null) return sendUnlessKnown(page, request, reply.headers(headersOfPages))
  if (!/\btext\/html\b/.test(request.headers.accept ?? ''))
    throw new ApiError(404, { general: 'There is nothing here.' })
  return reply.code(404).headers(headersOfPages).send(docs.nothingHere())
}

function sendUnlessKnown({ html, etag }: MadePage, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('ETag', etag)
  return isCurrentVersion(etag, request) ? reply.code(304).send() : reply.send(html)
}

function sendFile(file: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const bytes = readFileSync(file)
  const etag = `"${contentVersion(bytes)}"`
  reply.type(typeOf(file) ?? '').headers({ ETag: etag, 'Cache-Control': 'no-cache' })
  return isCurrentVersion(etag, request) ? reply.code(304).send() : reply.send(bytes)
}
