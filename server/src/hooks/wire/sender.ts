// One hook request on the wire: a POST with the five headers of the interface, one deadline for all of it, and at most
// 16 KiB of the answer. Redirects are not followed, the connection is not used again. Written on plain sockets: Node's
// HTTP client was the largest cost of a delivery, and sends a header of its own choice here and there.
//
// A connection to a literal address without TLS, as in a sandbox, is made on the event loop. DNS answers and certificates may cost
// far more than a payment to read, so whatever needs either is posted by a thread (posting-threads.ts).

import { addressGuard, type Guard, type Whereto } from './address-guard.ts'
import { ComputingShares, tooMuchComputing } from './computing-shares.ts'
import { type Connect, createConnect } from './connect.ts'
import { Exchange, type Posted } from './exchange.ts'
import type { Limit } from './limit.ts'
import { OnWire } from './on-wire.ts'
import { type Opened, openTcp } from './open-tcp.ts'
import { OpeningTurns } from './opening-turns.ts'
import { createPostingThreads, type PostingThreads } from './posting-threads.ts'
import { readProxy } from './proxy.ts'
import { type Asker, createResolver, type Resolve, type Resolved } from './resolve.ts'
import { isTooMuchTls, tooMuchTls, trustRoots } from './secure.ts'
import { parseTarget, type Read, type Target, whyNotAddresses, whyNotTarget } from './target.ts'

export type { Whereto } from './address-guard.ts'
export type { Posted } from './exchange.ts'
export { whyNotUrl } from './target.ts'

export interface Request {
  readonly url: string
  /** Form-encoded, and so ASCII; or JSON. */
  readonly body: string
  readonly isJson?: boolean
  readonly timeoutMs: number
  /** Beside the five: only where an endpoint asked for them. */
  readonly moreHeaders?: readonly (readonly [name: string, value: string])[]
}

export interface Post {
  /** Every way to fail is a reason; rejects only where something of ours went wrong. `merchant`: whose endpoint it is. */
  (request: Request, merchant?: string): Promise<Posted>
  /** Ends all that waits for an answer: a process that stops does not wait for endpoints that hang. */
  cutOff(): void
}

export interface SenderOptions extends Whereto {
  /** URL of the proxy that everything goes through. */
  readonly proxy: string | null
  /** Address and port of the resolver to ask; the system's by default. */
  readonly dns: string | null
  /** More trusted certificates, as PEM. */
  readonly ca?: string
}

/** URLs of which is remembered what is in them. */
const urlsMax = 1_000

interface World {
  readonly read: (url: string) => Read
  readonly guard: Guard
  readonly onWire: OnWire
}

export function createSender(options: SenderOptions): Post {
  const world = worldOf(options)
  const threads = createPostingThreads(options)
  const post = (request: Request, merchant = '') => send(world, options.proxy !== null, threads, request, merchant)
  return Object.assign(post, {
    cutOff() {
      world.onWire.endAll()
      threads.cutOff()
    },
  })
}

function worldOf(options: SenderOptions): World {
  return {
    read: remembered(url => parseTarget(url, options.mode)),
    guard: addressGuard(options),
    onWire: new OnWire(),
  }
}

function send(
  world: World,
  hasProxy: boolean,
  threads: PostingThreads,
  request: Request,
  merchant: string,
): Promise<Posted> {
  const allowed = allowedTarget(world, request.url)
  if ('why' in allowed) return Promise.resolve(refused(allowed.why))
  const { target } = allowed
  if (hasProxy || target.secure || target.addresses === null) return threads.post(request, merchant)
  const exchange = new Exchange(requestText(target, request), request.timeoutMs, world.onWire)
  const [address, ...others] = target.addresses
  if (address !== undefined && others.length === 0) exchange.connectTo(address, target.port)
  else openPlain(target.addresses, target.port, exchange).catch(error => exchange.fail(error))
  return exchange.posted
}

/** To `localhost`, which has two addresses. */
async function openPlain(addresses: readonly string[], port: number, exchange: Exchange): Promise<void> {
  proceed(await openTcp(addresses, port, exchange.connectLimit), exchange)
}

function proceed(opened: Opened, exchange: Exchange): void {
  if ('socket' in opened) exchange.goOver(opened.socket)
  else exchange.end(opened.reason)
}

/** What is known of it without asking anybody. */
function allowedTarget({ read, guard }: World, url: string): Read {
  const known = read(url)
  if ('why' in known) return known
  const why = whyNotTarget(known.target, guard)
  return why === null ? known : { why }
}

interface ThreadWorld extends World {
  readonly resolve: Resolve
  readonly connect: Connect
  readonly shares: ComputingShares
  readonly turns: OpeningTurns
}

/** What a thread posts with. */
export function createThreadSender(options: SenderOptions, turns = new OpeningTurns()): Post {
  const resolve = createResolver(options.dns)
  const proxy = options.proxy === null ? null : readProxy(options.proxy)
  const connect = createConnect(proxy, resolve, trustRoots(options.ca))
  const world: ThreadWorld = {
    ...worldOf(options),
    resolve,
    connect,
    shares: new ComputingShares(),
    turns,
  }
  return Object.assign((request: Request, merchant = '') => sendFromThread(world, request, merchant), {
    cutOff: () => world.onWire.endAll(),
  })
}

function sendFromThread(world: ThreadWorld, request: Request, merchant: string): Promise<Posted> {
  const allowed = allowedTarget(world, request.url)
  if ('why' in allowed) return Promise.resolve(refused(allowed.why))
  const exchange = new Exchange(requestText(allowed.target, request), request.timeoutMs, world.onWire)
  openAndGo(world, allowed.target, exchange, merchant).catch(error => exchange.fail(error))
  return exchange.posted
}

async function openAndGo(world: ThreadWorld, target: Target, exchange: Exchange, merchant: string): Promise<void> {
  const limit = exchange.connectLimit
  const share = await world.shares.begin(merchant, limit)
  if (share === null) return exchange.end(tooMuchComputing)
  void exchange.posted.finally(() => share.end()).catch(() => {})
  const opened = await world.turns.take(merchant, limit)
  if (opened === null) return exchange.notSent(tooManyConnections)
  try {
    const resolved = await checkedAddresses(world, target, limit, { merchant, share })
    if ('reason' in resolved) return exchange.end(resolved.reason)
    const connected = await world.connect(target, resolved.addresses, limit, share)
    if ('socket' in connected) {
      share.onCostly = () => exchange.end(tooMuchComputing)
      connected.socket.on('error', error => isTooMuchTls(error) && exchange.end(tooMuchTls))
    }
    proceed(connected, exchange)
  } finally {
    opened()
    share.opened()
  }
}

const tooManyConnections =
  'This process has more secure connections to open than it has time for: start more workers, or give the machine more cores.'

/** Those of a name are checked here, and these very ones are connected to. */
async function checkedAddresses(
  { resolve, guard }: ThreadWorld,
  target: Target,
  limit: Limit,
  asker: Asker,
): Promise<Resolved> {
  if (target.addresses !== null) return { addresses: target.addresses }
  const resolved = await resolve(target.host, limit, asker)
  if ('reason' in resolved) return resolved
  const why = whyNotAddresses(resolved.addresses, target.port, target.path, guard)
  return why === null ? resolved : { reason: `The URL ${why}.` }
}

/** The same few endpoints are called all day. */
function remembered(read: (url: string) => Read): (url: string) => Read {
  const known = new Map<string, Read>()
  return url => {
    const before = known.get(url)
    if (before !== undefined) return before
    if (known.size >= urlsMax) known.clear()
    const now = read(url)
    known.set(url, now)
    return now
  }
}

function refused(why: string): Posted {
  return { status: null, reason: `The URL ${why}.`, durationMs: 0, answer: '' }
}

/** Of the five: those that are the same in every request. */
export const fixedHeaders: readonly (readonly [name: string, value: string])[] = [
  ['Accept', '*/*'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Connection', 'close'],
]
const fixedLines = linesOf(fixedHeaders)
/** Of an endpoint that asked for a JSON body. */
export const jsonHeaders: typeof fixedHeaders = fixedHeaders.map(([name, value]) => {
  return [name, name === 'Content-Type' ? 'application/json' : value]
})
const jsonLines = linesOf(jsonHeaders)

function linesOf(headers: typeof fixedHeaders): string {
  return headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
}

function requestText({ path, authority }: Target, { body: text, isJson = false, moreHeaders = [] }: Request): string {
  // Each character is written as one byte: of text that is not ASCII, the bytes take their place.
  const body = isJson ? Buffer.from(text).toString('latin1') : text
  const lines = isJson ? jsonLines : fixedLines
  const head = `POST ${path} HTTP/1.1\r\n${lines}Host: ${authority}\r\nContent-Length: ${body.length}\r\n`
  const more = moreHeaders.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `${head}${more}\r\n${body}`
}
