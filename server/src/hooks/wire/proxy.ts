// The operator's way out: a proxy that is asked (CONNECT) for a connection to an address that we have checked. Also for
// http, so that nothing on the way changes the request. The proxy's own address is the operator's choice, and not guarded.

import type { Socket } from 'node:net'
import { AnswerParser } from './answer-parser.ts'
import { type Limit, leftMs, textOf } from './limit.ts'
import type { Opened } from './open-tcp.ts'

export interface EgressProxy {
  readonly secure: boolean
  readonly host: string
  readonly port: number
  /** The whole header line, or nothing. */
  readonly authorization: string
}

export function readProxy(url: string): EgressProxy {
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'https:'
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const basic = Buffer.from(credentials).toString('base64')
  return {
    secure,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (secure ? 443 : 80)),
    authorization: credentials === ':' ? '' : `Proxy-Authorization: Basic ${basic}\r\n`,
  }
}

/** Asks for the connection. What comes after the proxy's answer is the other side's, which speaks only when spoken to. */
export function askTunnel(
  socket: Socket,
  proxy: EgressProxy,
  address: string,
  port: number,
  limit: Limit,
): Promise<Opened> {
  const { promise, resolve } = Promise.withResolvers<Opened>()
  const parser = new AnswerParser(true)
  const settle = (opened: Opened) => {
    clearTimeout(timer)
    socket.off('data', read).off('end', broke).off('error', broke)
    if ('reason' in opened) socket.destroy()
    resolve(opened)
  }
  const broke = () => settle({ reason: 'The connection to the proxy broke.' })
  const read = (bytes: Buffer) => {
    const hasMore = parser.feed(bytes) < bytes.length
    if (parser.problem !== null || (hasMore && isOpen(parser.status))) settle({ reason: nonsense })
    else if (parser.whole) settle(isOpen(parser.status) ? { socket } : { reason: refusal(parser.status) })
  }
  const timer = setTimeout(settle, leftMs(limit), { reason: `The proxy gave no connection ${textOf(limit)}.` })
  socket.on('data', read).on('end', broke).on('error', broke)
  const authority = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${proxy.authorization}\r\n`)
  return promise
}

const nonsense = 'The proxy did not answer as a proxy does.'

function isOpen(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299
}

function refusal(status: number | null): string {
  return `The proxy refused the connection (${status}).`
}
