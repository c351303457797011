// A merchant's endpoint in a process of its own: answers 200 at once and notes when each notification came. Asked over IPC, it
// says how many came since it was last emptied, or empties itself and says which.

import { createServer } from 'node:net'

const arrivedAtMs: [transaction: string, atMs: number][] = []
const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

/**
 * When the steady counter was nothing: a time of day by it is finer than the clock's, which has whole milliseconds. A pause between the clock's tick
 * and the look at the counter makes it too early, never too late, so the latest of a few is right.
 */
const originMs = Math.max(...Array.from({ length: 5 }, originAtTick))

function originAtTick(): number {
  const beforeMs = Date.now()
  for (;;) {
    const nowMs = Date.now()
    if (nowMs !== beforeMs) return nowMs - performance.now()
  }
}

const server = createServer(socket => {
  let before: Buffer | null = null
  socket.on('error', () => {})
  socket.on('data', (piece: Buffer) => {
    const request = before === null ? piece : Buffer.concat([before, piece])
    if (isWhole(request)) {
      arrivedAtMs.push([transactionIn(request), originMs + performance.now()])
      socket.write(answer)
      socket.destroySoon() // as servers do that were asked to close: whoever waits for the other side to close first is woken once more
    } else before = request
  })
})

function isWhole(request: Buffer): boolean {
  const headEnd = request.indexOf('\r\n\r\n')
  if (headEnd === -1) return false
  const length = Number(/content-length: ([0-9]+)/i.exec(request.toString('latin1', 0, headEnd))?.[1] ?? 0)
  return request.length >= headEnd + 4 + length
}

const name = 'transaction%22%3A%22'

/** Read from the bytes: a piece of a text would keep all of it. */
function transactionIn(request: Buffer): string {
  const at = request.indexOf(name)
  return at === -1 ? '' : request.toString('latin1', at + name.length, at + name.length + 36)
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  process.send?.({ port: address.port })
})
process.on('message', asked => {
  process.send?.(asked === 'how many?' ? { count: arrivedAtMs.length } : { arrivedAtMs: arrivedAtMs.splice(0) })
})
process.on('disconnect', () => process.exit())
