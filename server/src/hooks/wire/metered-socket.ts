// A connection under a TLS one, through which every byte passes that the other side sends: what these bytes cost to compute is
// measured, and how many there may be is bounded. Node would otherwise hand them to OpenSSL without telling anybody.

import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

export interface Meter {
  /** CPU time of this thread, in ms. */
  spend(cpuMs: number): void
}

/** A handshake has some 5 KB, an answer of which 16 KiB are read may be as large as that. TLS adds what nobody asked for. */
const bytesMax = 256 * 1024

export class MeteredSocket extends Duplex {
  readonly #socket: Socket
  readonly #meter: Meter
  #bytes = 0

  constructor(socket: Socket, meter: Meter) {
    super({ allowHalfOpen: true })
    this.#socket = socket
    this.#meter = meter
    socket.on('data', bytes => this.#take(bytes))
    socket.on('end', () => this.push(null))
    socket.on('error', error => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(bytes: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }

  /** TLS reads what is pushed before `push` returns, the certificates of the other side included. */
  #take(bytes: Buffer): void {
    this.#bytes += bytes.length
    if (this.#bytes > bytesMax) {
      this.destroy(new TooManyBytesError())
      return
    }
    const before = process.threadCpuUsage()
    const wantsMore = this.push(bytes)
    const { user, system } = process.threadCpuUsage(before)
    if (!wantsMore) this.#socket.pause()
    this.#meter.spend((user + system) / 1_000)
  }
}

export class TooManyBytesError extends Error {
  readonly code = 'TOO_MANY_BYTES'
  constructor() {
    super(`the other side sent more than ${bytesMax} bytes`)
  }
}
