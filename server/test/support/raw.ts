// Bytes on a socket, for what no HTTP client would send.

import net from 'node:net'
import type { Answer } from './client.ts'

const answerWithinMs = 5_000

/** Writes the bytes and reads until the service closes the connection: ask it to, or send what makes it. */
export function exchange(baseUrl: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = net.connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.setTimeout(answerWithinMs, () => {
    socket.destroy()
    reject(new Error(`the connection stayed open after: ${Buffer.concat(chunks)}`))
  })
  socket.on('data', chunk => chunks.push(chunk))
  socket.on('error', reject)
  socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')))
  socket.write(bytes)
  return promise
}

export async function sendRaw(baseUrl: string, bytes: string | Buffer): Promise<Answer> {
  return parsedAnswer(await exchange(baseUrl, bytes))
}

/** A request's text: the connection is closed after its answer. */
export function requestText(line: string, headers: { readonly [name: string]: string }, body = ''): string {
  const all = { Host: 'tillbell.test', Connection: 'close', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`${line} HTTP/1.1`, ...lines, '', body].join('\r\n')
}

function parsedAnswer(answer: string): Answer {
  const end = answer.indexOf('\r\n\r\n')
  const [line = '', ...lines] = answer.slice(0, end).split('\r\n')
  const headers = lines.map(each => {
    const colon = each.indexOf(':')
    return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()]
  })
  const text = answer.slice(end + 4)
  const json = text === '' ? null : JSON.parse(text)
  return { status: Number(line.split(' ')[1]), headers: Object.fromEntries(headers), text, json }
}
