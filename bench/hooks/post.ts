// How a program posts that has no client of its own: by Node's.

import { request } from 'node:http'
import { hookBody } from '@tillbell/sdk'
import { privateKey } from './contestant.ts'

export function post(url: string, details: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
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
      if (status >= 200 && status <= 299) resolve()
      else reject(new Error(`answered ${status}`))
    })
  })
  asked.once('timeout', () => asked.destroy(new Error('no answer in time')))
  asked.once('error', reject)
  asked.end(body)
  return promise
}
