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

const [lf, cr, dot] = [0x0a, 0x0d, 0x2e]

/**
 * Undoes what a client did to a mail: a dot at the beginning of a line is doubled, and one alone between two CRLF ends the mail
 * (RFC 5321, 4.5.2). A line may also begin after a bare LF, where nothing ends: such a mail is refused as a whole.
 */
export class DataDecoder {
  /** As much of the line so far as matters. A dot that begins it, and a CR after that, are held back until the next byte. */
  #at: 'line start' | 'after bare lf' | 'line' | 'cr' | 'dot' | 'dot after bare lf' | 'dot cr' = 'line start'

  /** `end`: where in the chunk the mail is over; null: it goes on. */
  read(chunk: Buffer): { readonly content: Buffer; readonly end: number | null } {
    // What was held back comes before the chunk's own bytes.
    const content = Buffer.allocUnsafe(chunk.length + 2)
    let length = 0
    for (let place = 0; place < chunk.length; place += 1) {
      const byte = chunk[place] ?? 0
      if (this.#at === 'dot cr' && byte === lf) return { content: content.subarray(0, length), end: place + 1 }
      const heldBack = this.#step(byte)
      if (heldBack === null) continue
      for (const held of heldBack) content[length++] = held
      content[length++] = byte
    }
    return { content: content.subarray(0, length), end: null }
  }

  /** Null: the byte is held back, or is the dot that was added. Else what was held back before it and is content. */
  #step(byte: number): readonly number[] | null {
    const before = this.#at
    const isLineStart = before === 'line start' || before === 'after bare lf'
    if (isLineStart && byte === dot) {
      this.#at = before === 'line start' ? 'dot' : 'dot after bare lf'
      return null
    }
    if (before === 'dot' && byte === cr) {
      this.#at = 'dot cr'
      return null
    }
    if (byte === lf) this.#at = before === 'cr' ? 'line start' : 'after bare lf'
    else this.#at = byte === cr ? 'cr' : 'line'
    if (before === 'dot cr') return dotAndCr
    return (before === 'dot' || before === 'dot after bare lf') && byte !== dot ? oneDot : nothing
  }
}

const dotAndCr = [dot, cr] as const
const oneDot = [dot] as const
const nothing = [] as const
