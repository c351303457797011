// A server that answers as it is told to, over real sockets, and calls to it. Shared by the tests beside it.

import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { call, type Pause } from '../../../sdk/src/client/call.ts'
import { TillbellError } from '../../../sdk/src/client/errors.ts'
import { type Operation, operations } from '../../../sdk/src/client/operations.ts'
import { type CallOptions, checkedSettings, type TillbellOptions } from '../../../sdk/src/client/settings.ts'

interface Seen {
  readonly url: string
  readonly method: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Behaviour = (response: ServerResponse) => void

export const secret = 'sk_sécret'
export const withBody = (status: number, body: unknown, headers: { [name: string]: string } = {}): Behaviour => {
  return response => response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
}
export const sold = { transaction: { id: 'one', status: 'Successful' }, errors: null }
export const done = withBody(200, sold, { 'x-request-id': 'r-1' })
export const failed = (status: number, errorCode?: string) =>
  withBody(status, {
    transaction: { id: 'one', status: 'Failed', error_code: errorCode },
    errors: { general: 'It failed.' },
  })
export const refused = (status: number, headers: { [name: string]: string } = {}) =>
  withBody(status, { transaction: null, errors: { general: 'No.' } }, { 'x-request-id': 'r-2', ...headers })
export const cut: Behaviour = response => response.destroy()
export const cutWithin: Behaviour = response => {
  response.writeHead(200, { 'content-length': '1000' }).write('{"transaction":')
  setImmediate(() => response.destroy())
}
export const never: Behaviour = () => {}
export const neverEnds: Behaviour = response => void response.writeHead(200).write('{"transaction":')

interface Far {
  readonly baseUrl: string
  readonly seen: Seen[]
  readonly pausedMs: number[]
  ask(more?: Partial<TillbellOptions>, options?: CallOptions, operation?: Operation): Promise<unknown>
}

const pauseNot =
  (pausedMs: number[]): Pause =>
  async ms =>
    void pausedMs.push(ms)

/** Answers by turns, the last one from then on. Nothing is waited for between the tries. */
export async function against(behaviours: readonly Behaviour[], work: (far: Far) => Promise<void>): Promise<void> {
  const seen: Seen[] = []
  const pausedMs: number[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { url = '', method = '', headers } = request
    seen.push({ url, method, headers, body: Buffer.concat(chunks).toString() })
    const behaviour = behaviours[Math.min(seen.length, behaviours.length) - 1]
    behaviour?.(response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask: Far['ask'] = (more, options = {}, operation = operations.transactions.create) => {
    const settings = checkedSettings({ apiKey: 'pk', apiSecret: secret, baseUrl, ...more })
    const asked = {
      operation,
      name: operation.path.includes('{') ? 'a/b' : null,
      arguments: { token: 'card' },
      options,
    }
    return call(settings, asked, pauseNot(pausedMs))
  }
  try {
    await work({ baseUrl, seen, pausedMs, ask })
  } finally {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
}

export async function failureOf(work: Promise<unknown>): Promise<TillbellError> {
  const error = await work.then(
    () => assert.fail('it was answered'),
    error => error,
  )
  assert.ok(error instanceof TillbellError, inspect(error))
  assert.doesNotMatch(
    inspect(error, { depth: null, showHidden: true }),
    /sk_s|Basic|cGs6/,
    'the secret stays out of it',
  )
  return error
}
