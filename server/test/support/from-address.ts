// Requests from other addresses of this machine, each a network of its own to the service.

import { once } from 'node:events'
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

export interface Sent {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** `form`: it is posted. */
export async function sendFrom(
  localAddress: string,
  url: URL,
  { headers = {}, form }: { readonly headers?: object; readonly form?: string | undefined } = {},
): Promise<Sent> {
  const type = form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }
  const options = { method: form === undefined ? 'GET' : 'POST', headers: { ...type, ...headers } }
  const request = http.request(url, { localAddress, agent: false, ...options })
  request.end(form)
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const chunks = await answer.toArray()
  return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString() }
}
