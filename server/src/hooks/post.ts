// One hook request on the wire: a POST with the five headers of the interface, one deadline for all of it, and at most
// 16 KiB of the answer. Redirects are not followed, the connection is not used again.

import http from 'node:http'
import https from 'node:https'

export interface Posted {
  /** Null: no answer, and `reason` says why. */
  readonly status: number | null
  readonly reason: string | null
  readonly durationMs: number
  readonly answer: string
}

const answerBytesMax = 16_384

export function postForm(url: string, body: string, timeoutMs: number): Promise<Posted> {
  const startedMs = performance.now()
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let bytes = 0
    let status: number | null = null
    const done = (reason: string | null) => {
      clearTimeout(deadline)
      request.destroy()
      const answer = Buffer.concat(chunks).subarray(0, answerBytesMax).toString('utf8')
      const durationMs = Math.round(performance.now() - startedMs)
      resolve({ status: reason === null ? status : null, reason, durationMs, answer })
    }
    const request = open(url, body, response => {
      status = response.statusCode ?? null
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes >= answerBytesMax) done(null) // the status is known, and the rest is not kept
      })
      response.on('end', () => done(null))
      response.on('error', () => done('The connection broke during the answer.'))
      response.on('aborted', () => done('The connection broke during the answer.'))
    })
    const deadline = setTimeout(() => done(`No answer within ${timeoutMs / 1_000} s.`), timeoutMs)
    request.on('error', (error: NodeJS.ErrnoException) => done(reasonOf(error)))
    request.end(body)
  })
}

function open(url: string, body: string, onResponse: (response: http.IncomingMessage) => void): http.ClientRequest {
  const target = new URL(url)
  const headers = {
    Accept: '*/*',
    'Content-Type': 'application/x-www-form-urlencoded',
    Connection: 'close',
    Host: target.host,
    'Content-Length': String(Buffer.byteLength(body)),
  }
  const { request } = target.protocol === 'https:' ? https : http
  return request(target, { method: 'POST', headers, agent: false }, onResponse)
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ECONNREFUSED') return 'The connection was refused.'
  if (error.code === 'ENOTFOUND') return 'The host name does not resolve.'
  if (error.code?.startsWith('HPE_')) return 'The answer is not HTTP.'
  return `The connection failed (${error.code ?? 'unknown'}).`
}
