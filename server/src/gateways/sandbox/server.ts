// The sandbox as a server, for trying the service against a gateway that is really somewhere else. It fails on the
// socket itself: it holds connections open, resets them, and answers twice. HTTP basic user: the account.
//
//   POST   /operations                  an operation of the port -> what became of it
//   GET    /operations/{id}?chargeId=   lookup; faster with the id of the charge that it follows, or is
//   POST   /operations/{id}/fence       the operation again -> {"fenced": true}
//   POST   /operations/{id}/challenge   {"result": "pass" | "fail"} -> {"settled": true}
//   POST   /cards, GET and DELETE /cards/{ref}  the vault
//   GET    /ledger                      every operation of the account
//
// Every outcome is a 200, "absent" included: a 404 can come from anything on the way, and must not pass for proof.
// A refusal is a 4xx with {"error": "<sentence>"}: nothing was carried out.

import { createServer, type IncomingMessage, type Server } from 'node:http'
import { openAccount, type SandboxAccount } from './account.ts'
import type { SandboxBooks } from './books.ts'
import { deliver, type Reply } from './delivery.ts'
import { bodyBytesMax, parseCard, parseChallenge, parseOperation, parseOperationId } from './wire.ts'

export interface SandboxServerOptions {
  readonly books: SandboxBooks
  readonly fingerprintKey: Uint8Array
}

interface Call {
  readonly account: SandboxAccount
  /** The id or reference in the path. */
  readonly name: string
  readonly query: URLSearchParams
  readonly body: unknown
}

interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: RegExp
  readonly run: (call: Call) => Promise<Reply>
}

const routes: readonly Route[] = [
  { method: 'POST', path: /^\/operations$/, run: postOperation },
  { method: 'GET', path: /^\/operations\/([^/]+)$/, run: getOperation },
  { method: 'POST', path: /^\/operations\/([^/]+)\/fence$/, run: postFence },
  { method: 'POST', path: /^\/operations\/([^/]+)\/challenge$/, run: postChallenge },
  { method: 'POST', path: /^\/cards$/, run: postCard },
  { method: 'GET', path: /^\/cards\/([^/]+)$/, run: getCard },
  { method: 'DELETE', path: /^\/cards\/([^/]+)$/, run: deleteCard },
  { method: 'GET', path: /^\/ledger$/, run: getLedger },
]

const keepAliveTimeout = 65_000

export function createSandboxServer({ books, fingerprintKey }: SandboxServerOptions): Server {
  // A client that takes up a connection in the very moment in which it is closed for idling has a payment in doubt: it stays open for long.
  return createServer({ keepAliveTimeout }, async (request, response) => {
    try {
      // Whoever sent several requests can tell which one this answers, also when an answer comes twice.
      const requestId = request.headers['request-id']
      if (typeof requestId === 'string' && /^[\w-]{1,64}$/.test(requestId)) response.setHeader('request-id', requestId)
      const account = accountIn(request.headers.authorization)
      const reply =
        account === null ? anonymous : await replyTo(request, openAccount({ books, account, fingerprintKey }))
      deliver(response, reply)
    } catch {
      // Of a failure inside nobody outside learns more than that it happened; the operation may have been carried out.
      if (!response.headersSent) deliver(response, refusal(500, 'The sandbox failed.'))
    }
  })
}

const anonymous: Reply = {
  ...refusal(401, 'Name an account as the user of HTTP basic authentication.'),
  headers: { 'www-authenticate': 'Basic realm="sandbox"' },
}

function refusal(status: number, error: string): Reply {
  return { status, body: { error } }
}

/** The user name of `Basic …`; the password may be anything. */
function accountIn(authorization: string | undefined): string | null {
  const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1]
  const [user = ''] = Buffer.from(encoded ?? '', 'base64')
    .toString()
    .split(':', 1)
  return /^[\x21-\x7e]{1,255}$/.test(user) ? user : null
}

async function replyTo(request: IncomingMessage, account: SandboxAccount): Promise<Reply> {
  const url = URL.parse(request.url ?? '', 'http://sandbox')
  const onPath = routes.filter(({ path }) => url !== null && path.test(url.pathname))
  if (url === null || onPath.length === 0) return refusal(404, 'There is nothing at this path.')
  const route = onPath.find(({ method }) => method === request.method)
  if (route === undefined) {
    return {
      ...refusal(405, 'Not with this method.'),
      headers: { allow: onPath.map(({ method }) => method).join(', ') },
    }
  }
  const name = decoded(route.path.exec(url.pathname)?.[1] ?? '')
  if (name === null) return refusal(404, 'There is nothing at this path.')
  if (route.method !== 'POST') return route.run({ account, name, query: url.searchParams, body: null })
  const text = await readBody(request)
  if (text === null) {
    return { ...refusal(413, `A body has at most ${bodyBytesMax} bytes.`), headers: { connection: 'close' } }
  }
  const body = parsedJson(text)
  if (body === undefined) return refusal(400, 'The body is not JSON in UTF-8.')
  return route.run({ account, name, query: url.searchParams, body })
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parsedJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

async function postOperation({ account, body }: Call): Promise<Reply> {
  const parsed = parseOperation(body)
  if ('wrong' in parsed) return refusal(422, parsed.wrong)
  const { answer, travel } = await account.send(parsed.value)
  if (answer?.kind === 'refused') return { ...refusal(422, answer.cause), travel }
  if (answer?.kind === 'conflict') return { ...refusal(409, answer.cause), travel }
  return { status: 200, body: answer, travel }
}

async function getOperation({ account, name, query }: Call): Promise<Reply> {
  const operationId = parseOperationId(name)
  const chargeId = query.get('chargeId')
  const rootId = chargeId === null ? null : parseOperationId(chargeId)
  if (operationId === null || (chargeId !== null && rootId === null)) return refusal(422, 'An operation id is a UUID.')
  return { status: 200, body: await account.lookup(operationId, rootId) }
}

async function postFence({ account, name, body }: Call): Promise<Reply> {
  const parsed = parseOperation(body)
  if ('wrong' in parsed) return refusal(422, parsed.wrong)
  if (parsed.value.id !== parseOperationId(name)) return refusal(422, 'The path names another operation than the body.')
  const isFenced = await account.fence(parsed.value)
  if (!isFenced) return refusal(409, 'The operation id was used for another charge.')
  return { status: 200, body: { fenced: true } }
}

async function postChallenge({ account, name, body }: Call): Promise<Reply> {
  const operationId = parseOperationId(name)
  const parsed = parseChallenge(body)
  if (operationId === null) return refusal(422, 'An operation id is a UUID.')
  if ('wrong' in parsed) return refusal(422, parsed.wrong)
  const isSettled = await account.challenge(operationId, parsed.value)
  return isSettled ? { status: 200, body: { settled: true } } : refusal(409, 'The operation does not wait for this.')
}

async function postCard({ account, body }: Call): Promise<Reply> {
  const parsed = parseCard(body)
  if ('wrong' in parsed) return refusal(422, parsed.wrong)
  return { status: 200, body: await account.storeCard(parsed.value) }
}

async function getCard({ account, name }: Call): Promise<Reply> {
  return { status: 200, body: await account.describeCard(name) }
}

async function deleteCard({ account, name }: Call): Promise<Reply> {
  await account.removeCard(name)
  return { status: 200, body: { removed: true } }
}

async function getLedger({ account }: Call): Promise<Reply> {
  return { status: 200, body: { ledger: await account.ledger() } }
}
