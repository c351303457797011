// One request and what came back, over a connection that is used for nothing else. No event of a plain connection has two listeners: Node keeps two
// in an array, which V8 may come to make in old space, and all that hangs on the connection then stays until the next full collection. So `end`,
// which Node listens to itself, is listened to only where it says something: that an answer without a length is whole.

import { Socket } from 'node:net'
import type { Linked } from '../chain.ts'
import { AnswerParser } from './answer-parser.ts'
import { type Limit, limitOf, textOf } from './limit.ts'
import { isNothingLeft, nothingLeft } from './nothing-left.ts'
import type { OnWire } from './on-wire.ts'
import { whyNotOpened } from './open-tcp.ts'

export interface Posted {
  /** Null: no whole answer, and `reason` says why. */
  readonly status: number | null
  readonly reason: string | null
  readonly durationMs: number
  /** At most the first 16 KiB. */
  readonly answer: string
  /** It did not even leave, for want of something here: says nothing of the other side. */
  readonly isOurs?: true
}

const connectMaxMs = 5_000
/** What plain connections are read into, all of them: what is kept of it is copied before the next one is read. */
const room = Buffer.allocUnsafeSlow(65_536)

export class Exchange implements Linked<Exchange> {
  before: Exchange | null = null
  after: Exchange | null = null
  /** Rejects only where something of ours went wrong. */
  readonly posted: Promise<Posted>

  readonly #onWire: OnWire
  #request: string
  readonly #startedMs = performance.now()
  readonly #timeoutMs: number
  readonly #resolve: (posted: Posted) => void
  readonly #reject: (error: unknown) => void
  readonly #parser = new AnswerParser()
  #socket: Socket | null = null
  #isConnected = false
  #isOver = false

  /** `request`: whole, each character a byte. */
  constructor(request: string, timeoutMs: number, onWire: OnWire) {
    const { promise, resolve, reject } = Promise.withResolvers<Posted>()
    this.posted = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#request = request
    this.#timeoutMs = timeoutMs
    this.#onWire = onWire
    onWire.add(this)
  }

  get connectLimit(): Limit {
    return limitOf(this.#startedMs, this.#connectMs)
  }

  /** By a plain connection that is made for it. */
  connectTo(host: string, port: number): void {
    if (this.#isOver) return
    const callback = (bytes: number) => {
      const endedWithConnection = this.#parser.endsWithConnection
      this.#take(room, bytes)
      if (this.#parser.endsWithConnection && !endedWithConnection) socket.once('end', () => this.#endOrderly())
      return true
    }
    const socket: Socket = new Socket({ onread: { buffer: room, callback } }).setNoDelay().connect(port, host)
    this.#socket = socket
    socket.on('connect', () => this.#ask(socket))
    socket.on('error', error => this.end(this.#isConnected ? this.#broke() : whyNotOpened(error)))
    socket.on('close', () => this.end())
  }

  /** By a connection that is open. Whoever opened it listens to its errors. */
  goOver(socket: Socket): void {
    if (this.#isOver) {
      socket.destroy()
      return
    }
    this.#socket = socket
    socket.on('data', bytes => this.#take(bytes, bytes.length))
    socket.on('end', () => this.#endOrderly())
    socket.on('close', () => this.end())
    this.#ask(socket)
  }

  /** Null: the answer is whole. */
  end(reason: string | null = this.#broke()): void {
    if (!this.#leave()) return
    const { status, body } = this.#parser
    const durationMs = Math.round(performance.now() - this.#startedMs)
    const isOurs = reason !== null && !this.#isConnected && (reason === nothingLeft || isNothingLeft())
    if (isOurs) this.#resolve({ status: null, reason: nothingLeft, durationMs, answer: '', isOurs })
    else this.#resolve({ status: reason === null ? status : null, reason, durationMs, answer: body })
  }

  /** For want of something here: it says nothing of the other side, and is not counted as an attempt. */
  notSent(reason: string): void {
    if (this.#leave()) this.#resolve({ status: null, reason, durationMs: 0, answer: '', isOurs: true })
  }

  /** Whoever looks its name up, or opens a connection for it, watches the time meanwhile. */
  endIfLate(nowMs: number): void {
    if (this.#socket === null) return
    const limitMs = this.#isConnected ? this.#timeoutMs : this.#connectMs
    if (nowMs - this.#startedMs >= limitMs) this.end(this.#whatIsMissing(textOf(limitOf(this.#startedMs, limitMs))))
  }

  fail(error: unknown): void {
    if (this.#leave()) this.#reject(error)
  }

  get #connectMs(): number {
    return Math.min(connectMaxMs, this.#timeoutMs)
  }

  /** False: it was over before. */
  #leave(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#onWire.remove(this)
    this.#socket?.destroy()
    return true
  }

  #ask(socket: Socket): void {
    this.#isConnected = true
    socket.write(this.#request, 'latin1')
    this.#request = '' // it is Node's now, or gone
  }

  #take(bytes: Buffer, end: number): void {
    const parser = this.#parser
    parser.feed(bytes, end)
    if (parser.whole || parser.problem !== null) this.end(parser.problem)
  }

  /** The other side says that it has said all. A connection that closes without that broke, be it without an error. */
  #endOrderly(): void {
    this.end(this.#parser.endsWithConnection ? null : this.#broke())
  }

  #whatIsMissing(late: string): string {
    if (!this.#isConnected) return `No connection ${late}.`
    const { status } = this.#parser
    return status === null ? `No answer ${late}.` : `Answered ${status}, but not the whole of it ${late}.`
  }

  #broke(): string {
    return `The connection broke ${this.#parser.hasBegun ? 'during' : 'before'} the answer.`
  }
}
