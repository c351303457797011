// A proxy that loses the first reply of the service to each question of a kind, after the service has done what was asked.

import { once } from 'node:events'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface LosingProxy {
  readonly baseUrl: string
  /** What replies were lost of. */
  readonly lost: readonly string[]
  close(): Promise<void>
}

/** `keyOf` names what a question is about; null: its replies arrive. */
export async function startLosingProxy(
  serviceUrl: string,
  keyOf: (path: string, body: string) => string | null,
): Promise<LosingProxy> {
  const { hostname: host, port } = new URL(serviceUrl)
  const lost: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { method = 'GET', url: path = '/', headers } = request
    const key = keyOf(path, body.toString())
    const passed = ask({ host, port, method, path, headers }, answer => {
      if (key === null || lost.includes(key)) return answer.pipe(response.writeHead(answer.statusCode ?? 502))
      lost.push(key)
      return answer.resume().once('end', () => response.destroy())
    })
    passed.on('error', () => response.destroy())
    response.once('close', () => passed.destroy())
    passed.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
