// Bodies of requests, and of the answers to them. Those of requests are all read here, into one buffer, and none may come in very many
// pieces: Node makes a Buffer and a call of every chunk of a chunked body, and 64 KiB hold 10,000 chunks of one byte.

import { IncomingMessage, ServerResponse } from 'node:http'
import { errorCodes, type FastifyContentTypeParser, type FastifyRequest } from 'fastify'
import { PieceCount } from '../core/piece-count.ts'
import { createWaitingAnswers, endInPieces, pieceBytes } from './answer-in-pieces.ts'
import { ApiError } from './errors.ts'
import type { LargeBodies } from './large-bodies.ts'
import { lingerAfterAnswer } from './linger.ts'

/** Of a chunked body. */
const freeChunks = 1_000
const bytesAtFirst = 4_096

/** Of answers of more than a piece that were not taken yet. */
const waitingBytesMax = 128 * 1_048_576

/** For `http.createServer`. `onDisconnect` is called for each client that is disconnected: because of its chunks, or because it did not take its answer. */
export function messageClasses(onDisconnect: (why: 'chunks' | 'slow') => void) {
  const waiting = createWaitingAnswers(waitingBytesMax)

  class CountedRequest extends IncomingMessage {
    readonly #count = new PieceCount(freeChunks)

    /** Node's parser calls it for each piece of the body, whether or not somebody reads it. */
    override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
      // The end of a body of which pieces were dropped: it must not be taken for the whole.
      if (this.socket.destroyed) return false
      if (piece === null) return super.push(null)
      this.#count.add(piece.length)
      if (!this.#hasTooManyPieces()) return super.push(piece, encoding)
      this.socket.destroy()
      onDisconnect('chunks')
      return false
    }

    /** A body with a length comes in as many pieces as were read from the connection: a slow client's may be one byte each. */
    #hasTooManyPieces(): boolean {
      return this.headers['transfer-encoding'] !== undefined && this.#count.hasTooMany()
    }

    /** Whether nothing more of it is to come. Of a body with a length that is known before `complete`. */
    hasArrived(): boolean {
      if (this.complete) return true
      const { 'transfer-encoding': encoding, 'content-length': length = '0' } = this.headers
      return encoding === undefined && this.#count.bytes >= Number(length)
    }
  }

  /** An answer that comes before the whole request is the last of its connection. */
  class ClosingResponse extends ServerResponse<CountedRequest> {
    override writeHead(status: number, ...others: unknown[]): this {
      if (!this.req.hasArrived()) {
        this.shouldKeepAlive = false
        lingerAfterAnswer(this.req.socket)
      }
      return (super.writeHead as (...all: unknown[]) => this).call(this, status, ...others)
    }

    override end(...all: unknown[]): this {
      const [body] = all
      const end = (...others: unknown[]) => (super.end as (...all: unknown[]) => this).apply(this, others)
      const isLarge = (typeof body === 'string' || body instanceof Uint8Array) && body.length > pieceBytes
      if (!isLarge) return end(...all)
      const bytes = typeof body === 'string' ? Buffer.from(body) : body
      const disconnect = () => {
        this.req.socket.destroy()
        onDisconnect('slow')
      }
      endInPieces(this, bytes, { waiting, disconnect, end: last => end(last, ...all.slice(1)) })
      return this
    }
  }

  return { IncomingMessage: CountedRequest, ServerResponse: ClosingResponse }
}

/** Of more bytes it is a large one, and waits for its turn. */
const smallBytesMax = 2_048
const retryAfterS = 1

interface InTurns {
  readonly large: LargeBodies
  readonly nameOf: (request: FastifyRequest) => string
}

/** For `addContentTypeParser`: `parse` gets a body that is not larger than its route takes. */
export function bodyParser(
  parse: (body: Buffer, request: FastifyRequest) => unknown,
  turns: InTurns | null = null,
): FastifyContentTypeParser {
  return (request, payload, done) => {
    const parsed = (bytes: Buffer): readonly [Error | null, unknown?] => {
      try {
        return [null, parse(bytes, request)]
      } catch (error) {
        return [error as Error]
      }
    }
    readBody(payload, request.routeOptions.bodyLimit, (error, bytes) => {
      const finish = () => done(...(error === null ? parsed(bytes) : ([error] as const)))
      if (error !== null || turns === null || bytes.length <= smallBytesMax) return finish()
      if (!turns.large.read(turns.nameOf(request), finish))
        done(ApiError.tooMany('Too many large requests are being read at once. Try again.', retryAfterS))
    })
  }
}

function readBody(
  message: IncomingMessage,
  bytesMax: number,
  done: (error: Error | null, bytes: Buffer) => void,
): void {
  const body = new BodyBuffer(bytesMax)
  const finish = (error: Error | null) => {
    message.off('data', add).off('end', end).off('error', breakOff).off('close', breakOff)
    if (error !== null) message.pause()
    done(error, body.bytes)
  }
  const add = (piece: Buffer) => {
    if (!body.add(piece)) finish(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
  }
  const announced = Number(message.headers['content-length'] ?? Number.NaN)
  const end = () => {
    const isWhole = Number.isNaN(announced) || body.length === announced
    finish(isWhole ? null : new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH())
  }
  const breakOff = () => finish(new ApiError(400, { general: 'The body did not arrive.' }))
  if (announced > bytesMax) finish(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
  else if (message.destroyed) breakOff()
  else message.on('data', add).on('end', end).on('error', breakOff).on('close', breakOff)
}

/** The first piece is kept as it is: most bodies have no other. */
class BodyBuffer {
  readonly #bytesMax: number
  #buffer: Buffer = Buffer.alloc(0)
  #length = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get length(): number {
    return this.#length
  }

  get bytes(): Buffer {
    return this.#length === this.#buffer.length ? this.#buffer : this.#buffer.subarray(0, this.#length)
  }

  /** False: there is no room for it. */
  add(piece: Buffer): boolean {
    const length = this.#length + piece.length
    if (length > this.#bytesMax) return false
    if (this.#length === 0) this.#buffer = piece
    else {
      if (length > this.#buffer.length) this.#growTo(length)
      piece.copy(this.#buffer, this.#length)
    }
    this.#length = length
    return true
  }

  /** Twice of what has come, and not what was announced: that costs a client nothing. */
  #growTo(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#bytesMax, Math.max(bytesAtFirst, 2 * length)))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}
