// The records of TLS in the bytes of a connection, counted before TLS reads them. Each costs a call or more of OpenSSL, however few bytes
// it has, and says nothing to Node where it only changes keys: one that is of 27 bytes takes 12 to 28 µs. So a connection may have
// only so many small ones.

import { PieceCount } from '../core/piece-count.ts'

const headerBytes = 5

export class RecordCount {
  readonly #count: PieceCount
  /** Of the record that has begun and is not over. */
  #bytesLeft = 0
  /** Of its header, where that is not complete. */
  #header: number[] = []

  /** `free`: as many as may be small. */
  constructor(free: number) {
    this.#count = new PieceCount(free)
  }

  /** False: there are too many. What is not TLS at all is for TLS to refuse. */
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
    const [, , , high = 0, low = 0] = this.#header
    this.#header = []
    this.#bytesLeft = high * 256 + low
    this.#count.add(headerBytes + this.#bytesLeft)
    return !this.#count.hasTooMany()
  }
}
