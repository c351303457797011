// COPY, both ways, as a stream: what one side cannot take yet, the other does not send. The driver speaks the protocol, and leaves to whoever
// asks what becomes of the rows.

import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type pg from 'pg'

/** The part of the driver's connection that is used here; its published types have none of it. */
interface Wire {
  readonly stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/** Rows come one by one, and are handed on in pieces of this size: a million small ones would take longer than all else. */
const pieceBytes = 64 * 1024

class CopyOut extends Readable {
  readonly #text: string
  #wire: Wire | null = null
  #rows: Buffer[] = []
  #bytes = 0

  constructor(text: string) {
    super({ highWaterMark: 4 * pieceBytes })
    this.#text = text
  }

  submit(wire: Wire): void {
    this.#wire = wire
    wire.query(this.#text)
  }

  override _read(): void {
    this.#wire?.stream.resume()
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    // A copy: the driver writes the next rows over these.
    this.#rows.push(Buffer.from(chunk))
    this.#bytes += chunk.length
    if (this.#bytes >= pieceBytes) this.#handOn()
  }

  #handOn(): void {
    const piece = Buffer.concat(this.#rows, this.#bytes)
    this.#rows = []
    this.#bytes = 0
    if (piece.length > 0 && !this.push(piece)) this.#wire?.stream.pause()
  }

  handleCommandComplete(): void {
    this.#handOn()
  }

  handleReadyForQuery(): void {
    this.#wire?.stream.resume()
    this.push(null)
  }

  handleError(error: Error): void {
    this.destroy(error)
  }
}

/** The rows that `copy … to stdout` answers, in its text format: a line each. */
export function copyOut(client: pg.Client, text: string): AsyncIterable<Buffer> {
  const rows = new CopyOut(text)
  client.query(rows as unknown as pg.Submittable)
  return rows
}

class CopyIn {
  readonly #text: string
  readonly #rows: AsyncIterable<Buffer>
  readonly #done: PromiseWithResolvers<void>
  #isOver = false
  #cause: unknown = null

  constructor(text: string, rows: AsyncIterable<Buffer>, done: PromiseWithResolvers<void>) {
    this.#text = text
    this.#rows = rows
    this.#done = done
  }

  submit(wire: Wire): void {
    wire.query(this.#text)
  }

  /** Where the rows end early, so does the copy: the database is told, and writes none of them. */
  async handleCopyInResponse(wire: Wire): Promise<void> {
    try {
      for await (const rows of this.#rows) {
        if (this.#isOver) return
        wire.sendCopyFromChunk(rows)
        if (wire.stream.writableNeedDrain) await Promise.race([once(wire.stream, 'drain'), this.#done.promise])
      }
      wire.endCopyFrom()
    } catch (error) {
      this.#cause ??= error
      wire.sendCopyFail('there are no more rows')
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#isOver = true
    this.#done.resolve()
  }

  handleError(error: Error): void {
    this.#isOver = true
    this.#done.reject(this.#cause ?? error)
  }
}

/** Writes the rows by `copy … from stdin`. */
export function copyIn(client: pg.Client, text: string, rows: AsyncIterable<Buffer>): Promise<void> {
  const done = Promise.withResolvers<void>()
  client.query(new CopyIn(text, rows, done) as unknown as pg.Submittable)
  return done.promise
}
