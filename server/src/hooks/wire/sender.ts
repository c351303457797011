// One hook request on the wire: a POST with the five headers of the interface, one deadline for all of it, and at most
// 16 KiB of the answer. Redirects are not followed, the connection is not used again. Written on plain sockets: Node's
// HTTP client was the largest cost of a delivery, and sends a header of its own choice here and there.

import { addressGuard, type Guard, type Whereto } from './address-guard.ts'
import { type Connect, createConnect } from './connect.ts'
import { Exchange, type Posted } from './exchange.ts'
import type { Limit } from './limit.ts'
import { OnWire } from './on-wire.ts'
import { type EgressProxy, readProxy } from './proxy.ts'
import { createResolver, type Resolve, type Resolved } from './resolve.ts'
import { trustRoots } from './secure.ts'
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
  /** Every way to fail is a reason; rejects only where something of ours went wrong. */
  (request: Request): Promise<Posted>
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
  readonly resolve: Resolve
  readonly proxy: EgressProxy | null
  readonly connect: Connect
  readonly onWire: OnWire
}

export function createSender(options: SenderOptions): Post {
  const resolve = createResolver(options.dns)
  const proxy = options.proxy === null ? null : readProxy(options.proxy)
  const world: World = {
    read: remembered(url => parseTarget(url, options.mode)),
    guard: addressGuard(options),
    resolve,
    proxy,
    connect: createConnect(proxy, resolve, trustRoots(options.ca)),
    onWire: new OnWire(),
  }
  return Object.assign((request: Request) => send(world, request), {
    cutOff: () => world.onWire.endAll(),
  })
}

function send(world: World, request: Request): Promise<Posted> {
  const read = world.read(request.url)
  if ('why' in read) return Promise.resolve(refused(read.why))
  const { target } = read
  const why = whyNotTarget(target, world.guard)
  if (why !== null) return Promise.resolve(refused(why))
  const exchange = new Exchange(requestText(target, request), request.timeoutMs, world.onWire)
  go(world, target, exchange)?.catch(error => exchange.fail(error))
  return exchange.posted
}

/** Null: it is on its way. A literal address over plain TCP, as in a sandbox, waits for nothing. */
function go(world: World, target: Target, exchange: Exchange): Promise<void> | null {
  return target.addresses === null
    ? resolveAndGo(world, target, exchange)
    : goTo(world, target, target.addresses, exchange)
}

async function resolveAndGo(world: World, target: Target, exchange: Exchange): Promise<void> {
  const resolved = await checkedAddresses(world, target, exchange.connectLimit)
  if ('addresses' in resolved) await goTo(world, target, resolved.addresses, exchange)
  else exchange.end(resolved.reason)
}

function goTo(world: World, target: Target, addresses: readonly string[], exchange: Exchange): Promise<void> | null {
  const [address, ...others] = addresses
  const isPlain = world.proxy === null && !target.secure
  if (!isPlain || address === undefined || others.length > 0) return openAndGo(world, target, addresses, exchange)
  exchange.connectTo(address, target.port)
  return null
}

async function openAndGo(
  { connect }: World,
  target: Target,
  addresses: readonly string[],
  exchange: Exchange,
): Promise<void> {
  const opened = await connect(target, addresses, exchange.connectLimit)
  if ('socket' in opened) exchange.goOver(opened.socket)
  else exchange.end(opened.reason)
}

/** Those of a name are checked here, and these very ones are connected to. */
async function checkedAddresses({ resolve, guard }: World, target: Target, limit: Limit): Promise<Resolved> {
  const resolved = await resolve(target.host, limit)
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
