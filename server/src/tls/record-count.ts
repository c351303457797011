// The records of TLS in the bytes of a connection, counted before TLS reads them. Each costs a call or more of OpenSSL, however few bytes
// it has, and says nothing to Node where it only changes keys: one that is of 27 bytes takes 12 to 28 µs. What costs even more are the
// messages of a handshake: a thousand that ask for another one fit into 4 KB, and a ClientHello of 64 KB takes 50 ms to compare. So a
// connection may have only so many small records, and only so much of a handshake.

import { PieceCount } from '../core/piece-count.ts'

export interface RecordLimits {
  /** As many may be small. */
  readonly freeRecords: number
  /** Of the handshake, until keys are changed. */
  readonly handshakeBytesMax: number
  /**
   * Of the one record of the handshake that may come after keys were changed: Finished in TLS 1.2, which is small, and in TLS 1.3 a
   * hello after a HelloRetryRequest.
   */
  readonly lastHandshakeBytesMax: number
}

const headerBytes = 5
const [changeCipherSpec, handshake] = [20, 22]

export class RecordCount {
  readonly #limits: RecordLimits
  readonly #count: PieceCount
  /** Of the record that has begun and is not over. */
  #bytesLeft = 0
  /** Of its header, where that is not complete. */
  #header: number[] = []
  #handshakeBytes = 0
  #hasChangedKeys = false
  #isHandshakeOver = false

  constructor(limits: RecordLimits) {
    this.#limits = limits
    this.#count = new PieceCount(limits.freeRecords)
  }

  /** All that have begun. */
  get records(): number {
    return this.#count.pieces
  }

  /** False: there are too many, or too much of a handshake. What is not TLS at all is for TLS to refuse. */
  mayRead(bytes: Buffer): boolean {
    let at = 0
    while (at < bytes.length) {
      if (this.#bytesLeft > 0) {
        const taken = Math.min(this.#bytesLeft, bytes.length - at)
        this.#bytesLeft -= taken
        at += taken
        continue
      }
      this.#header.push(bytes[at] ?? 0)
      at += 1
      if (this.#header.length === headerBytes && !this.#begin()) return false
    }
    return true
  }

  #begin(): boolean {
    const [type = 0, , , high = 0, low = 0] = this.#header
    this.#header = []
    this.#bytesLeft = high * 256 + low
    this.#count.add(headerBytes + this.#bytesLeft)
    if (type === changeCipherSpec) this.#hasChangedKeys = true
    return !this.#count.hasTooMany() && (type !== handshake || this.#mayReadHandshake(this.#bytesLeft))
  }

  #mayReadHandshake(bytes: number): boolean {
    if (!this.#hasChangedKeys) {
      this.#handshakeBytes += bytes
      return this.#handshakeBytes <= this.#limits.handshakeBytesMax
    }
    if (this.#isHandshakeOver) return false
    this.#isHandshakeOver = true
    return bytes <= this.#limits.lastHandshakeBytesMax
  }
}
