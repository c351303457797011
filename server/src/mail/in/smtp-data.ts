// The mail that follows DATA, decoded, and read to its end: what is too big is counted, not kept.

import type { Readable } from 'node:stream'

/** `gone`: the client left in the middle, and nobody waits for an answer. */
export async function readMail(stream: Readable, bytesMax: number): Promise<Buffer | 'too big' | 'gone'> {
  const kept = new GrowingBuffer(bytesMax)
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) kept.add(chunk)
  } catch {
    return 'gone'
  }
  return kept.content() ?? 'too big'
}

const growsByBytes = 65_536

/**
 * Bytes are copied into one piece: kept as they come, a mail in pieces of one byte takes a hundred times its size. The piece is
 * shared with the threads that read it, without further copies, and grows in place: copies of a megabyte make V8 collect garbage
 * in the whole heap, which takes more of the machine than the mail itself.
 */
class GrowingBuffer {
  readonly #bytesMax: number
  readonly #shared: SharedArrayBuffer
  /** Its length follows that of the shared bytes. */
  readonly #bytes: Uint8Array
  #length = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
    this.#shared = new SharedArrayBuffer(0, { maxByteLength: bytesMax })
    this.#bytes = new Uint8Array(this.#shared)
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length
    if (length <= this.#bytesMax) {
      if (length > this.#shared.byteLength)
        this.#shared.grow(Math.min(Math.max(length, this.#shared.byteLength + growsByBytes), this.#bytesMax))
      this.#bytes.set(chunk, this.#length)
    }
    this.#length = length
  }

  /** Null: there was more than may be kept. */
  content(): Buffer | null {
    return this.#length > this.#bytesMax ? null : Buffer.from(this.#shared, 0, this.#length)
  }
}

const lf = 0x0a
const cr = 0x0d
const dot = 0x2e

/** Where in a line the next byte stands. A dot that begins a line, and a CR after that, are held back until the next byte. */
const lineStart = 0
const inLine = 1
const afterCr = 2
const afterDot = 3
const afterDotCr = 4

interface Decoded {
  readonly content: Buffer
  /** Where in the chunk the mail is over; null: it goes on. */
  readonly end: number | null
}

/**
 * Undoes what a client did to a mail: a dot at the beginning of a line is doubled, and one alone between two CRLF ends the mail
 * (RFC 5321, 4.5.2). Lines end with CRLF here: a mail with other line ends is refused as a whole.
 *
 * This is done in the event loop. A chunk without a line that begins with a dot is passed on as it is, by one native search. In
 * others each byte is looked at: a native search for each of many dots takes ten times as long.
 */
export class DataDecoder {
  #at = lineStart

  read(chunk: Buffer): Decoded {
    const beginsWithoutDot = this.#at === inLine || (this.#at === lineStart && chunk[0] !== dot)
    if (!beginsWithoutDot || chunk.includes('\r\n.', 0, 'latin1')) return this.#readBytes(chunk)
    const last = chunk.at(-1)
    if (last === cr) this.#at = afterCr
    else if (last !== undefined) this.#at = last === lf && chunk.at(-2) === cr ? lineStart : inLine
    return { content: chunk, end: null }
  }

  #readBytes(chunk: Buffer): Decoded {
    // What was held back comes before the chunk's own bytes.
    const content = Buffer.allocUnsafe(chunk.length + 2)
    let length = 0
    let at = this.#at
    for (let place = 0; place < chunk.length; place += 1) {
      const byte = chunk[place] as number
      if (at === lineStart && byte === dot) {
        at = afterDot
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
      } else if (at === afterDot && byte !== dot) {
        content[length++] = dot
      }
      if (byte === cr) at = afterCr
      else at = byte === lf && at === afterCr ? lineStart : inLine
      content[length++] = byte
    }
    this.#at = at
    return { content: content.subarray(0, length), end: null }
  }
}
