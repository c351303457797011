// The mail that follows DATA, decoded, and read to its end: what is too big is counted, not kept.

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

const lf = 0x0a
const cr = 0x0d
const dot = 0x2e

/** How much of the line so far matters. A dot that begins a line, and a CR after that, are held back until the next byte. */
const lineStart = 0
const afterBareLf = 1
const inLine = 2
const afterCr = 3
const afterDot = 4
const afterDotOfBareLf = 5
const afterDotCr = 6

/**
 * Undoes what a client did to a mail: a dot at the beginning of a line is doubled, and one alone between two CRLF ends the mail
 * (RFC 5321, 4.5.2). A line may also begin after a bare LF, where nothing ends: such a mail is refused as a whole.
 *
 * Numbers and one loop, because this is done in the event loop: with a method call and a name of the state for each byte, a
 * megabyte took 20 ms.
 */
export class DataDecoder {
  #at = lineStart

  /** `end`: where in the chunk the mail is over; null: it goes on. */
  read(chunk: Buffer): { readonly content: Buffer; readonly end: number | null } {
    // What was held back comes before the chunk's own bytes.
    const content = Buffer.allocUnsafe(chunk.length + 2)
    let length = 0
    let at = this.#at
    for (let place = 0; place < chunk.length; place += 1) {
      const byte = chunk[place] as number
      if (at <= afterBareLf && byte === dot) {
        at = at === lineStart ? afterDot : afterDotOfBareLf
        continue
      }
      if (at === afterDot && byte === cr) {
        at = afterDotCr
        continue
      }
      if (at === afterDotCr) {
        if (byte === lf) return { content: content.subarray(0, length), end: place + 1 }
        content[length++] = dot
        content[length++] = cr
      } else if (at >= afterDot && byte !== dot) {
        content[length++] = dot
      }
      if (byte === lf) at = at === afterCr ? lineStart : afterBareLf
      else at = byte === cr ? afterCr : inLine
      content[length++] = byte
    }
    this.#at = at
    return { content: content.subarray(0, length), end: null }
  }
}
