// A merchant's endpoint in a process of its own: answers 200 at once and notes when each notification came. Asked over IPC, it
// says how many came since it was last emptied, or empties itself and says which.

import { createServer } from 'node:net'

const arrivedAtMs: [transaction: string, atMs: number][] = []
const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

const server = createServer(socket => {
  let text = ''
  socket.setEncoding('latin1')
  socket.on('error', () => {})
  socket.on('data', chunk => {
    text += chunk
    const head = text.indexOf('\r\n\r\n')
    if (head === -1) return
    const length = Number(/content-length: ([0-9]+)/i.exec(text)?.[1] ?? 0)
    if (text.length < head + 4 + length) return
    const transaction = /transaction%22%3A%22([0-9a-f-]{36})/.exec(text)?.[1] ?? ''
    arrivedAtMs.push([transaction, Date.now()])
    socket.end(answer)
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  process.send?.({ port: address.port })
})
process.on('message', asked => {
  process.send?.(asked === 'how many?' ? { count: arrivedAtMs.length } : { arrivedAtMs: arrivedAtMs.splice(0) })
})
process.on('disconnect', () => process.exit())
