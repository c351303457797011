// The dashboard's own files, as `dashboard/build.ts` has built them. Any address below /dashboard that is none of them is a
// page of the application, which finds out itself which.

import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { rootOf } from '../core/root-path.ts'
import { acceptsEncoding } from '../http/accepted-encoding.ts'
import { ApiError } from '../http/errors.ts'

interface AppFile {
  readonly type: string
  /** Whether its name says its content. */
  readonly isForGood: boolean
  readonly plain: Buffer
  readonly encoded: { readonly [encoding in Encoding]?: Buffer }
}

const types: { readonly [ending: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const endings = { br: '.br', gzip: '.gz' } as const
type Encoding = keyof typeof endings
/** In the order in which we like them. */
const encodings: readonly Encoding[] = ['br', 'gzip']

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headersOfEveryFile = {
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

const forGood = 'public, max-age=31536000, immutable'

const notBuilt = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Tillbell</title></head>
<body><h1>The dashboard is not built</h1><p>Run npm run build, then start again.</p></body></html>
`

/** `folder`: where builds are, with the `stamp` that names the one to serve. `baseUrl` is known once the service listens. */
export function dashboardFiles(app: FastifyInstance, folder: string, baseUrl: () => string): void {
  let files: ReadonlyMap<string, AppFile> | null = null
  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    // Read once, when first asked for: most processes are never asked.
    files ??= filesOf(folder, rootOf(baseUrl()))
    return sendFile(files, pathIn(request), request.headers['accept-encoding'] ?? '', reply)
  }
  app.get('/dashboard', { schema: { hide: true } }, answer)
  app.get('/dashboard/*', { schema: { hide: true } }, answer)
}

function pathIn(request: FastifyRequest): string {
  return (request.params as { '*'?: string })['*'] ?? ''
}

function sendFile(files: ReadonlyMap<string, AppFile>, path: string, accepted: string, reply: FastifyReply) {
  reply.headers(headersOfEveryFile).header('Cache-Control', 'no-cache')
  const file = files.get(path) ?? files.get('index.html')
  if (file === undefined)
    return reply
      .code(503)
      .type(types['.html'] as string)
      .send(notBuilt)
  // A file of a build before this one. The page instead would be read as a script, and fail in a way that says nothing.
  if (path.startsWith('assets/') && !files.has(path)) throw new ApiError(404, { general: 'There is nothing here.' })
  const encoding = encodings.find(each => acceptsEncoding(accepted, each) && file.encoded[each] !== undefined)
  if (file.isForGood) reply.header('Cache-Control', forGood)
  if (encoding !== undefined) reply.header('Content-Encoding', encoding)
  return reply
    .header('Vary', 'Accept-Encoding')
    .type(file.type)
    .send(encoding === undefined ? file.plain : file.encoded[encoding])
}

/** None: it is not built. */
function filesOf(folder: string, root: string): ReadonlyMap<string, AppFile> {
  const stamp = readOr(join(folder, 'stamp'))?.toString()
  if (stamp === undefined) return new Map()
  const build = join(folder, stamp)
  const names = readdirSync(build, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && types[extname(entry.name)] !== undefined)
    .map(entry => join(entry.parentPath, entry.name))
  const files = new Map(names.map(name => [relative(build, name).split(sep).join('/'), fileAt(build, name)]))
  const index = files.get('index.html')
  return index === undefined ? files : files.set('index.html', atRoot(index, root))
}

/**
 * The page as it is built looks for its files beside itself. It is shown at addresses of any depth, and behind a proxy below a
 * path: it is told where they are, and with which path to begin what it asks for.
 */
function atRoot(index: AppFile, root: string): AppFile {
  const written = root.replaceAll('&', '&amp;')
  const text = index.plain
    .toString()
    .replace('<html ', () => `<html data-root="${written}" `)
    .replaceAll(/(?<=\s(?:src|href)=")\.\//g, () => `${written}/dashboard/`)
  return { ...index, plain: Buffer.from(text), encoded: {} }
}

function fileAt(build: string, name: string): AppFile {
  const encoded = encodings.flatMap(encoding => {
    const bytes = readOr(name + endings[encoding])
    return bytes === undefined ? [] : [[encoding, bytes] as const]
  })
  return {
    type: types[extname(name)] as string,
    isForGood: relative(build, name).startsWith(`assets${sep}`),
    plain: readFileSync(name),
    encoded: Object.fromEntries(encoded),
  }
}

function readOr(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
