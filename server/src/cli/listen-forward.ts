// One hook, posted to the developer's app as the service would post it: the same bytes, one deadline, no redirect followed, and
// at most 16 KiB of the answer.

import http from 'node:http'
import https from 'node:https'

export interface Forwarded {
  /** Null: no whole answer, and `reason` says why. */
  readonly status: number | null
  readonly reason: string | null
  readonly durationMs: number
  readonly answer: string
}

export interface ToForward {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly timeoutMs: number
}

const answerBytesMax = 16_384

/** Never rejects. */
export function forward(url: URL, { headers, body, timeoutMs }: ToForward): Promise<Forwarded> {
  const startedMs = performance.now()
  const { promise, resolve } = Promise.withResolvers<Forwarded>()
  const chunks: Buffer[] = []
  const end = (status: number | null, reason: string | null) => {
    clearTimeout(timer)
    const answer = Buffer.concat(chunks).subarray(0, answerBytesMax).toString()
    resolve({ status, reason, durationMs: Math.round(performance.now() - startedMs), answer })
    request.destroy()
  }
  // In the order of a hook on the wire: Host and Content-Length are the only ones that are this request's own.
  const all = [
    ...headers.slice(0, 3),
    ['Host', url.host],
    ['Content-Length', `${Buffer.byteLength(body)}`],
    ...headers.slice(3),
  ]
  const { request: send } = url.protocol === 'https:' ? https : http
  const request = send(url, { method: 'POST', agent: false, headers: all.flat() as never }, response => {
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      if (bytes < answerBytesMax) chunks.push(chunk)
      bytes += chunk.length
    })
    response.once('end', () => {
      const { statusCode: status = 0 } = response
      if (status >= 100 && status <= 599) end(status, null)
      else end(null, `The app answered with ${status}, which is no status.`)
    })
    response.once('error', () => end(null, 'The connection broke during the answer.'))
  })
  const timer = setTimeout(() => end(null, `No answer within ${Math.round(timeoutMs / 1_000)} s.`), timeoutMs)
  request.once('error', error => end(null, whyNot(error, url)))
  request.end(body)
  return promise
}

function whyNot(error: NodeJS.ErrnoException, url: URL): string {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  switch (error.code) {
    case 'ECONNREFUSED':
      return `Nothing listens on port ${port} of ${url.hostname}.`
    case 'ENOTFOUND':
      return `There is no host ${url.hostname}.`
    case 'ECONNRESET':
      return 'The connection broke before the answer.'
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return 'The certificate of the app is not trusted: name its issuer in NODE_EXTRA_CA_CERTS, or forward to http.'
    default:
      return `The app was not reached (${error.code ?? error.message}).`.slice(0, 200)
  }
}
