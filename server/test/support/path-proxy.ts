// A proxy that serves a service under a path, and takes that path off before it passes a request on.

import { once } from 'node:events'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort } from './free-port.ts'

export interface PathProxy {
  /** The service's address for the world. */
  readonly baseUrl: string
  /** Where the service is to listen. */
  readonly port: number
  /** What was asked for outside of the path. */
  readonly strays: readonly string[]
  close(): Promise<void>
}

export async function startPathProxy(path: string): Promise<PathProxy> {
  const port = await freePort()
  const strays: string[] = []
  const server = createServer((request, response) => {
    const { method = 'GET', url = '/', headers } = request
    if (!url.startsWith(`${path}/`)) {
      strays.push(url)
      response.writeHead(404).end()
      return
    }
    const passed = ask({ host: '127.0.0.1', port, method, path: url.slice(path.length), headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    port,
    strays,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
