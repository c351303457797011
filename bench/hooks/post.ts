// How a program posts that has no client of its own: by Node's.

import { request } from 'node:http'
import { hookBody } from '@tillbell/sdk'
import { privateKey } from './contestant.ts'

/** What is kept of each delivery: a part of what Tillbell keeps. */
export interface Posted {
  readonly status: number
  readonly durationMs: number
}

export function post(url: string, details: string): Promise<Posted> {
  const atMs = Date.now()
  const { promise, resolve, reject } = Promise.withResolvers<Posted>()
  const body = hookBody(details, privateKey)
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const asked = request(url, { method: 'POST', agent: false, headers, timeout: 15_000 }, response => {
    response.resume()
    response.once('error', reject)
    response.once('end', () => {
      const status = response.statusCode ?? 0
      if (status >= 200 && status <= 299) resolve({ status, durationMs: Date.now() - atMs })
      else reject(new Error(`answered ${status}`))
    })
  })
  asked.once('timeout', () => asked.destroy(new Error('no answer in time')))
  asked.once('error', reject)
  asked.end(body)
  return promise
}
