// A TCP connection to one of several addresses, tried in order. Each gets its share of the time that is left, so that one
// that is silent does not use up what the others need.

import net, { type Socket } from 'node:net'
import { type Limit, leftMs, shareOf, textOf } from './limit.ts'
import { type ConnectError, isOfThisMachine, lacksIpv6, nothingLeft } from './nothing-left.ts'

export type Opened = { readonly socket: Socket } | { readonly reason: string }

/** All addresses are checked, but a name with very many is not tried for ever. */
export const addressesTriedMax = 4

export function openTcp(addresses: readonly string[], port: number, limit: Limit): Promise<Opened> {
  const [only] = addresses
  return addresses.length === 1 && only !== undefined ? connectTo(only, port, limit) : openOneOf(addresses, port, limit)
}

async function openOneOf(addresses: readonly string[], port: number, limit: Limit): Promise<Opened> {
  const tried = addresses.slice(0, addressesTriedMax)
  const failures: Opened[] = []
  for (const [index, address] of tried.entries()) {
    const opened = await connectTo(address, port, shareOf(limit, tried.length - index))
    if ('socket' in opened) return opened
    failures.push(opened)
  }
  return firstOf(failures)
}

/** The first address is the one that its owner expects to work; a second may fail for want of IPv6 here. */
export function firstOf(failures: readonly Opened[]): Opened {
  return failures[0] ?? { reason: 'The host name does not resolve.' }
}

function connectTo(address: string, port: number, limit: Limit): Promise<Opened> {
  const { promise, resolve } = Promise.withResolvers<Opened>()
  const socket = net.connect({ host: address, port, noDelay: true })
  const fail = (reason: string) => {
    clearTimeout(timer)
    socket.destroy()
    resolve({ reason })
  }
  const timer = setTimeout(fail, leftMs(limit), `No connection ${textOf(limit)}.`)
  // Stays when the connection is handed on: an error that nobody listens to would end the process.
  socket.on('error', error => fail(whyNotOpened(error)))
  socket.once('connect', () => {
    clearTimeout(timer)
    resolve({ socket })
  })
  return promise
}

export function whyNotOpened(error: ConnectError): string {
  const { code } = error
  if (code === 'ECONNREFUSED') return 'The connection was refused.'
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'The host is not reachable.'
  if (lacksIpv6(error)) return 'This machine has no IPv6 way there.'
  return isOfThisMachine(error) ? nothingLeft : `The connection failed (${code ?? 'unknown'}).`
}
