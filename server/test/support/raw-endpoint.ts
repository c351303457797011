// The merchant's side of a hook on a plain socket: what came, byte for byte, and answers that no HTTP server would give.

import net, { type AddressInfo, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { TestContext } from 'node:test'
import tls from 'node:tls'
import type { Certificate } from './certificates.ts'
import { until } from './until.ts'

/** Containers often have none. */
export const hasIpv6 = Object.values(networkInterfaces()).some(each => each?.some(({ address }) => address === '::1'))

export interface RawEndpoint {
  readonly port: number
  /** One text per connection, as it came. */
  readonly received: readonly string[]
  /** Resolves when every connection has ended: whoever was connected has let go. */
  letGo(): Promise<void>
}

export interface RawOptions {
  readonly host?: string
  /** Speaks TLS. */
  readonly certificate?: Certificate
  /** Called with each name that a TLS client asks for. */
  readonly onServerName?: (name: string) => void
  /** When to answer: when a whole request is in, or before anything is. */
  readonly when?: 'asked' | 'connected'
}

/** `answer` is called once per connection. */
export async function startRaw(
  t: TestContext,
  answer: (socket: Socket) => void,
  { host = '127.0.0.1', certificate, onServerName, when = 'asked' }: RawOptions = {},
): Promise<RawEndpoint> {
  const received: string[] = []
  const open = new Set<Socket>()
  const onConnection = (socket: Socket) => {
    const index = received.push('') - 1
    socket.on('error', () => {})
    socket.on('data', bytes => {
      const wasWhole = isWhole(received[index] ?? '')
      received[index] += bytes.toString('latin1')
      if (when === 'asked' && !wasWhole && isWhole(received[index] ?? '')) answer(socket)
    })
    if (when === 'connected') answer(socket)
  }
  const server =
    certificate === undefined
      ? net.createServer(onConnection)
      : tls.createServer({ ...certificate, ...sniffing(onServerName) }, onConnection)
  server.on('tlsClientError', () => {})
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => {}).once('close', () => open.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, host, resolve))
  t.after(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    received,
    letGo: () => until('every connection has ended', async () => open.size === 0),
  }
}

export async function unusedPort(): Promise<number> {
  const server = net.createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

function sniffing(onServerName: RawOptions['onServerName']): tls.TlsOptions {
  if (onServerName === undefined) return {}
  return {
    SNICallback(name, use) {
      onServerName(name)
      use(null)
    },
  }
}

function isWhole(request: string): boolean {
  const headEnd = request.indexOf('\r\n\r\n')
  const [, length = '0'] = /^content-length: ([0-9]+)\r$/im.exec(request) ?? []
  return headEnd !== -1 && request.length >= headEnd + 4 + Number(length)
}
