// A connection under a TLS one, through which every byte passes before TLS reads it. Node would otherwise hand them to OpenSSL without
// telling anybody.

import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

export class UnderTls extends Duplex {
  readonly socket: Socket

  constructor(socket: Socket) {
    super({ allowHalfOpen: true })
    this.socket = socket
    socket.on('data', bytes => this.receive(bytes))
    socket.on('end', () => this.ended())
    socket.on('error', error => this.destroy(error))
    socket.on('close', () => this.gone())
  }

  /** What the other side sent. TLS reads what is pushed before `push` returns, the certificates of the other side included. */
  protected receive(bytes: Buffer): void {
    if (!this.push(bytes)) this.socket.pause()
  }

  /** It sends no more. */
  protected ended(): void {
    this.push(null)
  }

  protected gone(): void {
    this.destroy()
  }

  override _read(): void {
    this.socket.resume()
  }

  override _write(bytes: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(bytes, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.socket.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.socket.destroy()
    done(error)
  }
}
