// Clients that keep a connection and give nothing for it.

import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import { requestText } from './raw.ts'

export interface SlowClient {
  readonly socket: Socket
  /** What the service has said to it. */
  said(): string
  /** When the service ended it, in ms from its beginning; rejects where the test was quicker. */
  readonly endedAfterMs: Promise<number>
}

const keptAlive = { Connection: 'keep-alive' }

async function connect(baseUrl: string, reads: boolean): Promise<SlowClient> {
  const socket = net.connect(Number(new URL(baseUrl).port), '127.0.0.1')
  const beganMs = performance.now()
  let said = ''
  if (reads) socket.setEncoding('latin1').on('data', text => (said += text))
  // A reset is an end as well: what the service had to say is no longer read then.
  socket.on('error', () => {})
  const endedAfterMs = once(socket, 'close').then(() => performance.now() - beganMs)
  await once(socket, 'connect')
  return { socket, said: () => said, endedAfterMs }
}

/** Connects, and asks nothing. */
export const silent = (baseUrl: string) => connect(baseUrl, true)

/** Has asked once, and keeps the connection. */
export async function idle(baseUrl: string): Promise<SlowClient> {
  const client = await connect(baseUrl, true)
  client.socket.write(requestText('GET /healthz', keptAlive))
  await once(client.socket, 'data')
  return client
}

/** A body that is said to be long, byte by byte, one in a second. */
export async function slowBody(baseUrl: string, authorization: string): Promise<SlowClient> {
  const client = await connect(baseUrl, true)
  const form = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': '10000' }
  client.socket.write(requestText('POST /api/v5/rest/offers', { ...form, ...keptAlive, Authorization: authorization }))
  const writing = setInterval(() => client.socket.write('a'), 1_000)
  client.socket.once('close', () => clearInterval(writing))
  return client
}

/** Asks for more than a connection holds, and reads none of it. */
export async function slowReader(baseUrl: string, path: string, times: number): Promise<SlowClient> {
  const client = await connect(baseUrl, false)
  client.socket.pause()
  client.socket.write(requestText(`GET ${path}`, keptAlive).repeat(times))
  return client
}
