// The mail that follows DATA, read to its end: what is too big is counted, not kept.

import type { Readable } from 'node:stream'

/** `gone`: the client left in the middle, and nobody waits for an answer. */
export async function readMail(stream: Readable, bytesMax: number): Promise<Buffer | 'too big' | 'gone'> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes <= bytesMax) chunks.push(chunk)
      else chunks.length = 0
    }
  } catch {
    return 'gone'
  }
  return bytes > bytesMax ? 'too big' : Buffer.concat(chunks)
}
