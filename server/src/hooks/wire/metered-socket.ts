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

/** A handshake has some 5 KB, and of an answer 16 KiB of header fields and 16 KiB of body are read. TLS adds what nobody asked for. */
const bytesMax = 96 * 1024
const limits = {
  // A handshake has some ten, and an answer comes in a few, or line by line.
  freeRecords: 100,
  // Chains of certificates are long. After keys were changed there is Finished, in TLS 1.2, or a ServerHello that follows a
  // HelloRetryRequest: both are small. A ServerHello with an ML-KEM key is not, but our first ClientHello has offered that key already.
  ...{ handshakeBytesMax: 64 * 1024, lastHandshakeBytesMax: 256 },
}
/** Before others have their turn. */
const readBytesMax = 4_096

export class MeteredSocket extends UnderTls {
  readonly #meter: Meter
  readonly #records = new RecordCount(limits)
  #bytes = 0
  #unread: Buffer | null = null
  #isWaiting = false
  /** Its end, and the end of its connection, behind what it sent before. */
  readonly #afterwards: (() => void)[] = []

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
    this.#unread = this.#unread === null ? bytes : Buffer.concat([this.#unread, bytes])
    this.#wait()
  }

  protected override ended(): void {
    this.#afterAll(() => this.push(null))
  }

  protected override gone(): void {
    // Whoever reads hears of its end before.
    this.#afterAll(() => setImmediate(() => this.destroy()))
  }

  #afterAll(work: () => void): void {
    if (this.#unread === null) work()
    else this.#afterwards.push(work)
  }

  #wait(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#meter.inTurn(() => this.#read())
  }

  #read(): number {
    this.#isWaiting = false
    const unread = this.#unread
    if (unread === null || this.destroyed) return 0
    this.#unread = unread.length > readBytesMax ? unread.subarray(readBytesMax) : null
    const before = process.threadCpuUsage()
    const wantsMore = this.push(unread.subarray(0, readBytesMax))
    const { user, system } = process.threadCpuUsage(before)
    if (this.#unread !== null) this.#wait()
    else {
      if (wantsMore) this.socket.resume()
      for (const work of this.#afterwards.splice(0)) work()
    }
    const cpuMs = (user + system) / 1_000
    this.#meter.spend(cpuMs)
    return cpuMs
  }
}

export class TooManyBytesError extends Error {
  readonly code = 'TOO_MANY_BYTES'
  constructor() {
    super(`the other side sent more than ${bytesMax} bytes by TLS, or more of a handshake than there may be`)
  }
}
