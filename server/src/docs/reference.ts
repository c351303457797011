// The API reference: Redoc, over the OpenAPI document that this very service answers. Its file is copied when the project is built
// (server/build-reference.ts), and nothing is asked of any other host.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptsEncoding } from '../http/accepted-encoding.ts'
import { ApiError } from '../http/errors.ts'
import { forGood, namedFile } from '../http/named-files.ts'
import { laidOut } from './layout.ts'
import { type Docs, type MadePage, withEtag } from './site.ts'

export const referenceStyle = namedFile('/docs/files', new URL('reference.css', import.meta.url))
export const referenceScript = namedFile('/docs/files', new URL('reference.js', import.meta.url))

export interface Reference {
  page(): MadePage
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply
}

/**
 * Redoc puts two style elements into the page: an empty one, whose rules it then adds by script, and that of its scroll bars. Both
 * are named by their hashes, so that no other is let in.
 */
const redocStyles = [
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='",
]

export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${redocStyles.join(' ')}`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

interface Built {
  readonly version: string
  readonly plain: Buffer
  readonly gzip: Buffer
}

/** `folder`: where the build is. Where there is none, the page says what stands in its file. */
export function openReference(docs: Docs, folder: string): Reference {
  const built = builtIn(folder)
  const address = 'api'
  let page: MadePage | null = null
  return {
    page() {
      page ??= withEtag(laidOut(docs.site, { title: 'API reference', address, ...contentOf(docs, built) }))
      return page
    },
    send(request, reply) {
      const { version } = request.params as { version: string }
      if (built === null || version !== built.version) throw new ApiError(404, { general: 'There is nothing here.' })
      const isPacked = acceptsEncoding(request.headers['accept-encoding'] ?? '', 'gzip')
      if (isPacked) reply.header('Content-Encoding', 'gzip')
      return reply
        .type('text/javascript; charset=utf-8')
        .headers({ 'Cache-Control': forGood, Vary: 'Accept-Encoding' })
        .send(isPacked ? built.gzip : built.plain)
    },
  }
}

function contentOf(docs: Docs, built: Built | null) {
  const { root } = docs.site
  const about = docs.read('api')?.html ?? '<h1>API reference</h1>\n'
  if (built === null) return { content: about }
  return {
    content: `<div class="about text">${folded(about)}</div>\n<div id="reference" data-document="${root}/api/v5/openapi.json"></div>`,
    isWide: true,
    styles: [referenceStyle.path],
    scripts: [`/docs/files/${built.version}/redoc.js`, referenceScript.path],
  }
}

/** Whoever comes here wants the requests: the words about all of them are folded up below the title, and above the requests. */
function folded(about: string): string {
  const end = about.indexOf('</h1>') + '</h1>'.length
  const [title, words] = [about.slice(0, end), about.slice(end)]
  return words.trim() === ''
    ? title
    : `${title}\n<details><summary>What all requests share: address, keys, money, lists, repetition, limits</summary>${words}</details>`
}

function builtIn(folder: string): Built | null {
  try {
    const version = readFileSync(join(folder, 'version'), 'utf8')
    const file = join(folder, 'redoc.js')
    return { version, plain: readFileSync(file), gzip: readFileSync(`${file}.gz`) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
