// The shop in a process of its own, on plain sockets, so that it takes as little of the machine as it can. Told where to ask and for
// how long, it says how many payments were made in a second.

import { connect } from 'node:net'
import { quantile } from '../result.ts'
import { connections, type Shop, type Sold } from './shop.ts'

let lastRefusal = ''

interface Told extends Shop {
  readonly seconds: number
}

process.on('message', (told: Told) => {
  sell(told).then(sold => process.send?.(sold))
})
process.on('disconnect', () => process.exit())

async function sell(told: Told): Promise<Sold> {
  const tookMs: number[] = []
  let refused = 0
  const beganMs = performance.now()
  const untilMs = beganMs + told.seconds * 1_000
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const ask = connection(told)
      while (performance.now() < untilMs) {
        const askedMs = performance.now()
        const status = await ask.next()
        tookMs.push(performance.now() - askedMs)
        refused += Number(status !== 200)
      }
      ask.close()
    }),
  )
  const seconds = (performance.now() - beganMs) / 1_000
  const paid = tookMs.length - refused
  return {
    lastRefusal,
    perSecond: paid / seconds,
    refused,
    p50Ms: quantile(tookMs, 0.5),
    p99Ms: quantile(tookMs, 0.99),
  }
}

/** One request at a time; its status. */
function connection({ port, path, authorization, body }: Shop) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let answered = Promise.withResolvers<number>()
  let text = ''
  socket.setEncoding('latin1')
  socket.on('error', error => answered.reject(error))
  socket.on('close', () => answered.reject(new Error('the connection was closed')))
  socket.on('data', chunk => {
    text += chunk
    const head = text.indexOf('\r\n\r\n')
    if (head === -1) return
    const length = Number(/content-length: ([0-9]+)/i.exec(text)?.[1])
    if (text.length < head + 4 + length) return
    const status = Number(text.slice(9, 12))
    if (status !== 200) lastRefusal = text.slice(0, 600)
    text = ''
    answered.resolve(status)
  })
  return {
    next(): Promise<number> {
      answered = Promise.withResolvers<number>()
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${authorization}\r\n` +
          `Content-Type: application/json\r\nIdempotency-Key: ${crypto.randomUUID()}\r\n` +
          `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
      return answered.promise
    },
    close() {
      answered.promise.catch(() => {})
      socket.destroy()
    },
  }
}
