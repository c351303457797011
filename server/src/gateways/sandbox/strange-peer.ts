// For tests: a peer at the other end of the sandbox's HTTP adapter that says whatever a test wants it to say.

import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { openSandboxOverHttp } from './http-adapter.ts'

/** `head` begins with the request's head. */
export type Talk = (socket: Socket, head: string) => void

export async function listening(server: Server | HttpServer): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export async function openPeer(talk: Talk) {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', chunk => talk(socket, chunk.toString()))
  })
  const gateway = openSandboxOverHttp({ url: await listening(server), account: 'acct' })
  const close = (): void => {
    gateway.close()
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { gateway, close }
}

export function requestIdIn(head: string): string {
  return /request-id: (\S+)/i.exec(head)?.[1] ?? ''
}

export function response(head: string, status: number, body: string, requestId = requestIdIn(head)): string {
  const headers = `request-id: ${requestId}\r\ncontent-length: ${Buffer.byteLength(body)}`
  return `HTTP/1.1 ${status} X\r\n${headers}\r\n\r\n${body}`
}

export function saying(status: number, body: string): Talk {
  return (socket, head) => void socket.write(response(head, status, body))
}
