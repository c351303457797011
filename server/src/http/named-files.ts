// The files that pages are made of. Their address names their content, so a browser keeps them for good.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyRequest } from 'fastify'

export interface NamedFile {
  /** Behind the service's root. */
  readonly path: string
  readonly type: string
  readonly text: string
}

const types: { readonly [ending: string]: string } = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

/** `folder`: where it is served, as in "/pages". */
export function namedFile(folder: string, file: URL): NamedFile {
  const text = readFileSync(file, 'utf8')
  const [, stem = '', ending = ''] = /([a-z-]+)\.([a-z]+)$/.exec(file.pathname) ?? []
  const type = types[ending]
  if (type === undefined) throw new Error(`no type is known for ${file.pathname}`)
  return { path: `${folder}/${stem}.${contentVersion(text)}.${ending}`, type, text }
}

export function contentVersion(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 12)
}

/** Whether the client has it. It may name several, and a proxy that packed it has made its mark a weak one (W/). */
export function isCurrentVersion(etag: string, { headers }: FastifyRequest): boolean {
  const known = headers['if-none-match'] ?? ''
  return known.split(',').some(each => each.trim().replace(/^W\//, '') === etag)
}

export const forGood = 'public, max-age=31536000, immutable'

export function serveForGood(app: FastifyInstance, files: readonly NamedFile[]): void {
  for (const { path, type, text } of files) {
    app.get(path, { schema: { hide: true }, exposeHeadRoute: true, config: { points: 1 } }, (_, reply) =>
      reply.type(type).header('Cache-Control', forGood).send(text),
    )
  }
}
