// The files that pages are made of. Their address names their content, so a browser keeps them for good.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

export interface PageFile {
  /** Behind the service's root. */
  readonly path: string
  readonly type: string
  readonly text: string
}

const types: { readonly [ending: string]: string } = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

/** A file of this folder. */
export function pageFile(name: string): PageFile {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8')
  const [, stem = '', ending = ''] = /([a-z-]+)\.([a-z]+)$/.exec(name) ?? []
  const version = createHash('sha256').update(text).digest('base64url').slice(0, 12)
  return { path: `/pages/${stem}.${version}.${ending}`, type: types[ending] ?? 'application/octet-stream', text }
}

export const forGood = 'public, max-age=31536000, immutable'

export function serveFiles(app: FastifyInstance, files: readonly PageFile[]): void {
  for (const { path, type, text } of files) {
    app.get(path, { schema: { hide: true } }, (_, reply) =>
      reply.type(type).header('Cache-Control', forGood).send(text),
    )
  }
}
