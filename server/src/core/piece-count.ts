// What a connection sends in pieces may not come in very many small ones: each costs a call, however few bytes it has. For the chunks
// of a body, and for the records of TLS.

/** So that the network may make pieces of some hundred bytes of what a client sends, and a mail may come line by line. */
const bytesOfPieceMin = 128

export class PieceCount {
  readonly #free: number
  #pieces = 0
  #bytes = 0

  /** `free` may be as small as they like: clients that write every few bytes by themselves send little. */
  constructor(free: number) {
    this.#free = free
  }

  get pieces(): number {
    return this.#pieces
  }

  /** Bytes of all pieces so far. */
  get bytes(): number {
    return this.#bytes
  }

  add(bytes: number): void {
    this.#pieces += 1
    this.#bytes += bytes
  }

  hasTooMany(): boolean {
    return this.#pieces > this.#free + this.#bytes / bytesOfPieceMin
  }
}
