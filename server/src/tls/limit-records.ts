// Connections that strangers open to us with TLS: only as many small records, and as much of a handshake, as a client needs.

import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { networkOf } from '../core/tries.ts'
import { RecordCount } from './record-count.ts'
import { createRecordTurns } from './record-turns.ts'
import { UnderTls } from './under-tls.ts'

const limits = {
  // A mail may come line by line, and the headers of a request as well.
  freeRecords: 500,
  // Of a browser 2 KB, and as much once more where another key is asked for. There are no certificates of clients.
  ...{ handshakeBytesMax: 8_192, lastHandshakeBytesMax: 3_072 },
}

/** Of one connection at a time. */
const recordsAtOnce = 25

/** All of a process. */
const turns = createRecordTurns()

/** `onDisconnect` is called where it is ended because it sent too many. */
export class LimitedRecords extends UnderTls {
  readonly #count = new RecordCount(limits)
  readonly #network: string
  readonly #onDisconnect: () => void
  /** Pieces that wait for their turn. */
  #waiting = 0
  #isEnded = false

  constructor(socket: Socket, onDisconnect: () => void) {
    super(socket)
    this.#network = networkOf(socket.remoteAddress ?? '')
    this.#onDisconnect = onDisconnect
  }

  protected override receive(bytes: Buffer): void {
    if (this.destroyed) return
    const before = this.#count.records
    if (!this.#count.mayRead(bytes)) {
      this.destroy()
      this.#onDisconnect()
      return
    }
    const records = this.#count.records - before
    const pieces = Math.max(1, Math.ceil(records / recordsAtOnce))
    const pieceBytes = Math.ceil(bytes.length / pieces)
    for (let at = 0; at < bytes.length; at += pieceBytes)
      this.#takeTurn(bytes.subarray(at, at + pieceBytes), records / pieces)
    if (this.#waiting > 0) this.socket.pause()
  }

  #takeTurn(piece: Buffer, records: number): void {
    this.#waiting += 1
    turns.take(this.#network, records, () => {
      this.#waiting -= 1
      if (this.destroyed) return
      const wantsMore = this.push(piece)
      if (this.#waiting > 0) return
      if (this.#isEnded) this.push(null)
      else if (wantsMore) this.socket.resume()
      else this.socket.pause()
    })
  }

  protected override ended(): void {
    this.#isEnded = true
    if (this.#waiting === 0) super.ended()
  }

  override _read(): void {
    if (this.#waiting === 0) super._read()
  }
}

/** To be called before anybody else listens to its connections. */
export function limitRecords(server: Server, onDisconnect: () => void): void {
  // Node's own, which begins TLS on each.
  const [begin] = server.listeners('connection') as ((connection: Duplex) => void)[]
  if (begin === undefined) throw new Error('the server begins no TLS')
  server.removeListener('connection', begin)
  server.on('connection', (socket: Socket) => begin.call(server, new LimitedRecords(socket, onDisconnect)))
  server.on('secureConnection', secured => addAddress(secured))
}

/** Node knows the other side's of its own sockets alone. */
function addAddress(secured: TLSSocket): void {
  const { socket } = underneath(secured)
  for (const name of ['remoteAddress', 'remotePort', 'remoteFamily', 'localAddress', 'localPort'] as const)
    Object.defineProperty(secured, name, { get: () => socket[name] })
}

interface WithHandle {
  readonly _handle: { readonly _parentWrap: { readonly stream: UnderTls } }
}

function underneath(secured: TLSSocket): UnderTls {
  return (secured as unknown as WithHandle)._handle._parentWrap.stream
}
