// One hook request on the wire: a POST with the five headers of the interface, one deadline for all of it, and at most
// 16 KiB of the answer. Redirects are not followed, the connection is not used again. Written on plain sockets: Node's
// HTTP client was the largest cost of a delivery, and sends a header of its own choice here and there.

import type { Socket } from 'node:net'
import { addressGuard, type Guard, type Whereto } from './address-guard.ts'
import { type Connect, createConnect } from './connect.ts'
import { type Exchanged, exchange } from './exchange.ts'
import { type Limit, limitOf } from './limit.ts'
import { readProxy } from './proxy.ts'
import { createResolver, type Resolve, type Resolved } from './resolve.ts'
import { trustRoots } from './secure.ts'
import { parseTarget, type Read, type Target, whyNotAddresses, whyNotTarget } from './target.ts'

export type { Whereto } from './address-guard.ts'
export { whyNotUrl } from './target.ts'

export interface Posted {
  /** Null: no whole answer, and `reason` says why. */
  readonly status: number | null
  readonly reason: string | null
  readonly durationMs: number
  /** At most the first 16 KiB. */
  readonly answer: string
}

export interface Request {
  readonly url: string
  readonly body: string
  readonly timeoutMs: number
  /** Beside the five: only where an endpoint asked for them. */
  readonly moreHeaders?: readonly (readonly [name: string, value: string])[]
}

export interface Post {
  /** Never rejects: every way to fail is a reason. */
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

const connectMaxMs = 5_000

/** URLs of which is remembered what is in them. */
const urlsMax = 1_000

interface World {
  readonly read: (url: string) => Read
  readonly guard: Guard
  readonly resolve: Resolve
  readonly connect: Connect
  readonly onWire: Set<Socket>
}

export function createSender(options: SenderOptions): Post {
  const resolve = createResolver(options.dns)
  const proxy = options.proxy === null ? null : readProxy(options.proxy)
  const world: World = {
    read: remembered(url => parseTarget(url, options.mode)),
    guard: addressGuard(options),
    resolve,
    connect: createConnect(proxy, resolve, trustRoots(options.ca)),
    onWire: new Set(),
  }
  const post = async (request: Request) => {
    const startedMs = performance.now()
    const exchanged = await send(world, request, startedMs)
    return { ...exchanged, durationMs: Math.round(performance.now() - startedMs) }
  }
  return Object.assign(post, {
    cutOff() {
      for (const socket of world.onWire) socket.destroy()
    },
  })
}

async function send(world: World, request: Request, startedMs: number): Promise<Exchanged> {
  const read = world.read(request.url)
  if ('why' in read) return failed(`The URL ${read.why}.`)
  const { target } = read
  const why = whyNotTarget(target, world.guard)
  if (why !== null) return failed(`The URL ${why}.`)
  const connectLimit = limitOf(startedMs, Math.min(connectMaxMs, request.timeoutMs))
  const resolved = target.addresses === null ? await checkedAddresses(world, target, connectLimit) : target
  if ('reason' in resolved) return failed(resolved.reason)
  const opened = await world.connect(target, resolved.addresses ?? [], connectLimit)
  if ('reason' in opened) return failed(opened.reason)
  const { socket } = opened
  world.onWire.add(socket)
  const exchanged = await exchange(socket, requestText(target, request), limitOf(startedMs, request.timeoutMs))
  world.onWire.delete(socket)
  return exchanged
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

function failed(reason: string): Exchanged {
  return { status: null, reason, answer: '' }
}

/** Of the five: those that are the same in every request. */
export const fixedHeaders: readonly (readonly [name: string, value: string])[] = [
  ['Accept', '*/*'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Connection', 'close'],
]
const fixedLines = fixedHeaders.map(([name, value]) => `${name}: ${value}\r\n`).join('')

function requestText({ path, authority }: Target, { body, moreHeaders = [] }: Request): string {
  const head =
    `POST ${path} HTTP/1.1\r\n${fixedLines}` + `Host: ${authority}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  const more = moreHeaders.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `${head}${more}\r\n${body}`
}
