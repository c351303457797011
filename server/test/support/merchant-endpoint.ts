// The merchant's side of a hook: an HTTP server that keeps every request and answers as it is told.

import http, { type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Database } from '../../src/store/database.ts'

export interface Received {
  readonly method: string
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  readonly body: string
}

export interface MerchantEndpoint {
  readonly url: string
  readonly received: Received[]
  close(): Promise<void>
}

export async function startEndpoint(answer: (response: ServerResponse) => void): Promise<MerchantEndpoint> {
  const received: Received[] = []
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', rawHeaders } = request
    received.push({ method, rawHeaders, body: Buffer.concat(chunks).toString() })
    answer(response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/presale`,
    received,
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** Written past the interface: how endpoints are configured is not what these tests are about. */
export async function addEndpoint(
  sql: Database,
  merchant: string,
  endpoint: { readonly url: string; readonly kind: string; readonly status?: 'enabled' | 'paused' },
): Promise<void> {
  const { url, kind, status = 'enabled' } = endpoint
  await sql`insert into hook_endpoint (merchant_id, id, kind, url, timeout_s, status, created_at)
    values (${merchant}, gen_random_uuid(), ${kind}, ${url}, 1, ${status}, now())`
}

export async function removeEndpoints(sql: Database): Promise<void> {
  await sql`update hook_endpoint set deleted_at = now() where deleted_at is null`
}
