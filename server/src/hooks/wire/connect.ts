// The way to a target: straight or through the proxy, with TLS where it is asked for.

import type { SecureContext } from 'node:tls'
import type { Share } from './computing-shares.ts'
import { type Limit, shareOf } from './limit.ts'
import { nothingLeft } from './nothing-left.ts'
import { addressesTriedMax, firstOf, type Opened, openTcp } from './open-tcp.ts'
import { askTunnel, type EgressProxy } from './proxy.ts'
import type { Resolve } from './resolve.ts'
import { secure } from './secure.ts'
import type { Target } from './target.ts'

export type Connect = (target: Target, addresses: readonly string[], limit: Limit, share: Share) => Promise<Opened>

export function createConnect(proxy: EgressProxy | null, resolve: Resolve, roots: SecureContext): Connect {
  return (target, addresses, limit, share) => {
    const opening =
      proxy === null
        ? openTcp(addresses, target.port, limit)
        : openThrough(proxy, resolve, roots, addresses, target.port, limit)
    if (!target.secure) return opening
    const secured = { host: target.host, secureContext: roots, limit, share }
    return opening.then(opened => ('socket' in opened ? secure(opened.socket, secured) : opened))
  }
}

/** The proxy is asked for one address after the other, each time over a connection of its own. */
async function openThrough(
  proxy: EgressProxy,
  resolve: Resolve,
  roots: SecureContext,
  addresses: readonly string[],
  port: number,
  limit: Limit,
): Promise<Opened> {
  const resolved = await resolve(proxy.host, limit, { merchant: 'proxy', share: null })
  if ('reason' in resolved) return { reason: 'The name of the proxy does not resolve.' }
  const failures: Opened[] = []
  const tried = addresses.slice(0, addressesTriedMax)
  for (const [index, address] of tried.entries()) {
    const share = shareOf(limit, tried.length - index)
    const reached = await openProxy(proxy, resolved.addresses, roots, share)
    if ('reason' in reached) return reached
    const opened = await askTunnel(reached.socket, proxy, address, port, share)
    if ('socket' in opened) return opened
    failures.push(opened)
  }
  return firstOf(failures)
}

async function openProxy(
  proxy: EgressProxy,
  addresses: readonly string[],
  roots: SecureContext,
  limit: Limit,
): Promise<Opened> {
  const opened = await openTcp(addresses, proxy.port, limit)
  if ('reason' in opened) return opened.reason === nothingLeft ? opened : { reason: 'The proxy is not reachable.' }
  if (!proxy.secure) return opened
  const secured = await secure(opened.socket, { host: proxy.host, secureContext: roots, limit, share: null })
  return 'reason' in secured ? { reason: 'The proxy is not reachable by TLS.' } : secured
}
