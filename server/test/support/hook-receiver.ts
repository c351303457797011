// A merchant's application that keeps its own list of what it was told, and is not always well.

import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyHook } from '@tillbell/sdk'

export interface HookReceiver {
  readonly url: string
  /** How often each notification was accepted, by transaction and type. */
  readonly accepted: Map<string, number>
  requests: number
  badSignatures: number
  /** Decides what becomes of the next request. */
  mood: () => 'accepts' | 'fails' | 'breaks' | 'answers late'
  close(): Promise<void>
}

export async function startReceiver(privateKey: string): Promise<HookReceiver> {
  const receiver = {
    url: '',
    accepted: new Map<string, number>(),
    requests: 0,
    badSignatures: 0,
    mood: (): ReturnType<HookReceiver['mood']> => 'accepts',
    close: async () => {},
  }
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return // its sender was killed
    }
    receiver.requests += 1
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const details = form.get('details') ?? ''
    if (!verifyHook(details, form.get('signature') ?? '', privateKey)) {
      receiver.badSignatures += 1
      return void response.writeHead(403).end()
    }
    const mood = receiver.mood()
    if (mood === 'fails') return void response.writeHead(503).end('not now')
    if (mood === 'breaks') return void request.socket.resetAndDestroy()
    if (mood === 'answers late') await new Promise(resolve => setTimeout(resolve, 50))
    const { transaction, type } = JSON.parse(details)
    const name = `${transaction} ${type}`
    receiver.accepted.set(name, (receiver.accepted.get(name) ?? 0) + 1)
    response.writeHead(200).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  receiver.close = async () => {
    const closed = new Promise(resolve => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return receiver
}
