// Bytes that come in pieces, up to a limit.

import { joined } from '../bytes.ts'

export class GatheredBytes {
  readonly #bytesMax: number
  readonly #pieces: Uint8Array[] = []
  #count = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** False: that is too much, and was not kept. */
  add(piece: Uint8Array): boolean {
    if (this.#count + piece.length > this.#bytesMax) return false
    this.#pieces.push(piece)
    this.#count += piece.length
    return true
  }

  bytes(): Uint8Array {
    return joined(this.#pieces)
  }
}
