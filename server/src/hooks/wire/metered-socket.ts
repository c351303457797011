// A connection under a TLS one, through which every byte passes that a merchant's endpoint sends: what these bytes cost to compute is
// measured, merchants take turns at having them read, and how many there may be is bounded.

import type { Socket } from 'node:net'
import { RecordCount } from '../../tls/record-count.ts'
import { UnderTls } from '../../tls/under-tls.ts'
import type { Reading } from './reading-turns.ts'

export interface Meter {
  /** CPU time of this thread, in ms. */
  spend(cpuMs: number): void
  /** Reads now, or in its merchant's turn. */
  inTurn(read: Reading): void
}

/** A handshake has some 5 KB, an answer of which 16 KiB are read may be as large as that. TLS adds what nobody asked for. */
const bytesMax = 256 * 1024
/** A handshake has some ten, and an answer comes in a few, or line by line. */
const freeRecords = 100

export class MeteredSocket extends UnderTls {
  readonly #meter: Meter
  readonly #records = new RecordCount(freeRecords)
  #bytes = 0

  constructor(socket: Socket, meter: Meter) {
    super(socket)
    this.#meter = meter
  }

  protected override receive(bytes: Buffer): void {
    this.#bytes += bytes.length
    if (this.#bytes > bytesMax || !this.#records.mayRead(bytes)) {
      this.destroy(new TooManyBytesError())
      return
    }
    // Nothing else is read of it before its turn.
    this.socket.pause()
    this.#meter.inTurn(() => this.#read(bytes))
  }

  // Behind what it sent before.
  protected override ended(): void {
    this.#meter.inTurn(() => {
      this.push(null)
      return 0
    })
  }

  protected override gone(): void {
    this.#meter.inTurn(() => {
      this.destroy()
      return 0
    })
  }

  #read(bytes: Buffer): number {
    if (this.destroyed) return 0
    const before = process.threadCpuUsage()
    const wantsMore = this.push(bytes)
    const { user, system } = process.threadCpuUsage(before)
    if (wantsMore) this.socket.resume()
    const cpuMs = (user + system) / 1_000
    this.#meter.spend(cpuMs)
    return cpuMs
  }
}

export class TooManyBytesError extends Error {
  readonly code = 'TOO_MANY_BYTES'
  constructor() {
    super(`the other side sent more than ${bytesMax} bytes, or very many small records of TLS`)
  }
}
