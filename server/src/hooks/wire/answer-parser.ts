// An HTTP/1 answer, read as its bytes come, in pieces of any size. Strict: what two readers could understand in two ways
// is refused. Bounded: 16 KiB of heads, 16 KiB of body in at most 1,024 chunks, and the rest is never read.

type Stage = 'status line' | 'headers' | 'sized' | 'until close' | 'chunk size' | 'chunk' | 'chunk end' | 'trailers'

const headBytesMax = 16_384
export const bodyBytesMax = 16_384
const chunkSizeLineBytesMax = 1_024
/** An honest one comes in a few. Those of one byte keep the event loop busy for next to no bandwidth. */
const piecesMax = 2_000
/** Of these, and of the lines that say how long they are: a body in chunks of one byte takes ten times as long to read. */
const chunksMax = 1_024
const chunkSizeBytesMax = 16_384

const statusLine = /^HTTP\/1\.[01] ([1-9][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?$/
const headerLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/
const lengthValue = /^[ \t]*([0-9]{1,15})[ \t]*$/
const chunkedValue = /^[ \t]*chunked[ \t]*$/i
const chunkSizeLine = /^([0-9A-Fa-f]{1,8})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?$/
const beginning = 'HTTP/1.'

const notHttp = 'The answer is not HTTP.'
const headTooLong = 'The headers of the answer exceed 16 KiB.'
const tooManyPieces = 'The answer came in too many pieces.'
const lineFeed = '\n'
const nothing = Buffer.alloc(0)
const lineEndBytes = 2

interface Head {
  readonly text: string
  readonly status: number
  readonly contentLength: number | null
  readonly chunked: boolean
}

/** The last that came in one piece: a busy endpoint says the same again and again. Copied, or it would keep all that came with it. */
let lastHead: Head | null = null

export class AnswerParser {
  /** Of the answer itself, once its head is whole; an interim answer (1xx) is skipped. */
  status: number | null = null
  /** What is wrong with the answer; nothing is read after that. */
  problem: string | null = null
  whole = false

  readonly #headOnly: boolean
  #stage: Stage = 'status line'
  #line = ''
  /** How much of the lines to come is read: of all heads together, so that interim answers come to an end. */
  #lineBytesLeft = headBytesMax
  #statusRead = 0
  #contentLength: number | null = null
  #chunked = false
  /** Of the body or the chunk. */
  #bytesLeft = 0
  #chunks = 0
  #pieces = 0
  #chunkSizeBytes = 0
  #kept: Buffer = nothing
  #keptBytes = 0

  /** `headOnly`: the answer of a proxy to CONNECT ends with its head. */
  constructor(headOnly = false) {
    this.#headOnly = headOnly
  }

  /** The body so far, at most 16 KiB of it. */
  get body(): string {
    return this.#keptBytes === 0 ? '' : this.#kept.toString('utf8', 0, this.#keptBytes)
  }

  /** The body has no length: the end of the connection is its end. */
  get endsWithConnection(): boolean {
    return this.#stage === 'until close'
  }

  get hasBegun(): boolean {
    return this.#stage !== 'status line' || this.#lineBytesLeft < headBytesMax
  }

  /** Reads on, up to the end, and says how many of the bytes belong to the answer. */
  feed(bytes: Buffer, end = bytes.length): number {
    let at = 0
    let text: string | null = null
    this.#pieces += 1
    if (this.#pieces > piecesMax) this.#endEarly()
    while (at < end && !this.whole && this.problem === null) {
      if (this.#isInBody()) at = this.#takeBody(bytes, at, end)
      else {
        text ??= bytes.toString('latin1', 0, end) // once for all lines of a piece: an answer mostly comes in one
        at = this.hasBegun ? this.#takeLine(text, at) : this.#takeHead(text, bytes)
      }
    }
    return at
  }

  /** A status that is there counts: of the body a part is enough. */
  #endEarly(): void {
    if (this.status === null) this.problem ??= tooManyPieces
    else this.whole = true
  }

  #isInBody(): boolean {
    return this.#stage === 'sized' || this.#stage === 'chunk' || this.#stage === 'until close'
  }

  /** With the interim ones before it. */
  #takeHead(text: string, bytes: Buffer): number {
    if (lastHead !== null && text.startsWith(lastHead.text)) return this.#takeAgain(lastHead)
    let at = 0
    while (at < text.length && this.status === null && this.problem === null) at = this.#takeLine(text, at)
    if (this.status !== null) lastHead = this.#headOf(bytes.toString('latin1', 0, at), this.status)
    return at
  }

  #headOf(text: string, status: number): Head {
    return { text, status, contentLength: this.#contentLength, chunked: this.#chunked }
  }

  #takeAgain({ text, status, contentLength, chunked }: Head): number {
    this.#lineBytesLeft -= text.length
    this.#statusRead = status
    this.#contentLength = contentLength
    this.#chunked = chunked
    this.#endHead()
    return text.length
  }

  #takeLine(text: string, at: number): number {
    const lineFeedAt = text.indexOf(lineFeed, at)
    const end = lineFeedAt === -1 ? text.length : lineFeedAt + 1
    this.#lineBytesLeft -= end - at
    if (this.#lineBytesLeft < 0) {
      this.problem = this.#stage === 'headers' || this.#stage === 'trailers' ? headTooLong : notHttp
      return end
    }
    const piece = text.slice(at, end)
    // Of a longer one the beginning was seen, and to look at it again joins all its pieces each time.
    const isBeginning = this.#stage === 'status line' && this.#line.length < beginning.length
    this.#line = this.#line === '' ? piece : this.#line + piece
    if (lineFeedAt !== -1) this.#endLine()
    else if (isBeginning) this.#expectBeginning()
    return end
  }

  /** What does not begin like HTTP may never send a line. */
  #expectBeginning(): void {
    if (!beginning.startsWith(this.#line.slice(0, beginning.length))) this.problem = notHttp
  }

  #endLine(): void {
    const line = this.#line
    this.#line = ''
    const isFine = line.endsWith('\r\n') && this.#readLine(line.slice(0, -2))
    if (!isFine) this.problem = notHttp
  }

  #readLine(line: string): boolean {
    switch (this.#stage) {
      case 'status line':
        return this.#readStatus(line)
      case 'headers':
        return line === '' ? this.#endHead() : this.#readHeader(line)
      case 'chunk size':
        return this.#readChunkSize(line)
      case 'chunk end':
        this.#expectChunk()
        return line === ''
      default: // trailers
        this.whole = line === ''
        return line === '' || headerLine.test(line)
    }
  }

  #readStatus(line: string): boolean {
    const status = statusLine.exec(line)?.[1]
    this.#statusRead = Number(status)
    this.#contentLength = null
    this.#chunked = false
    this.#stage = 'headers'
    return status !== undefined && this.#statusRead !== 101 // nobody asked for another protocol
  }

  #readHeader(line: string): boolean {
    if (!headerLine.test(line)) return false
    const colonAt = line.indexOf(':')
    if (isNamed(line, colonAt, 'content-length')) return this.#readLength(line.slice(colonAt + 1))
    if (isNamed(line, colonAt, 'transfer-encoding')) {
      if (this.#chunked) return false
      this.#chunked = chunkedValue.test(line.slice(colonAt + 1))
      return this.#chunked
    }
    return true
  }

  #readLength(value: string): boolean {
    const digits = lengthValue.exec(value)?.[1]
    if (digits === undefined) return false
    const earlier = this.#contentLength
    this.#contentLength = Number(digits)
    return earlier === null || earlier === this.#contentLength
  }

  #endHead(): boolean {
    if (this.#chunked && this.#contentLength !== null) return false
    if (this.#statusRead < 200) {
      this.#stage = 'status line'
      return true
    }
    this.status = this.#statusRead
    this.#bytesLeft = this.#contentLength ?? 0
    const hasNoBody = this.#headOnly || this.status === 204 || this.status === 304
    if (hasNoBody || this.#contentLength === 0) this.whole = true
    else if (this.#chunked) this.#expectChunk()
    else this.#stage = this.#contentLength === null ? 'until close' : 'sized'
    return true
  }

  #expectChunk(): void {
    this.#stage = 'chunk size'
    this.#lineBytesLeft = chunkSizeLineBytesMax
  }

  #readChunkSize(line: string): boolean {
    const digits = chunkSizeLine.exec(line)?.[1]
    if (digits === undefined) return false
    this.#bytesLeft = Number.parseInt(digits, 16)
    this.#stage = this.#bytesLeft === 0 ? 'trailers' : 'chunk'
    this.#lineBytesLeft = headBytesMax
    this.#chunks += 1
    this.#chunkSizeBytes += line.length
    if (this.#chunks > chunksMax || this.#chunkSizeBytes > chunkSizeBytesMax) this.whole = true
    return true
  }

  #takeBody(bytes: Buffer, at: number, bytesEnd: number): number {
    const end = this.#stage === 'until close' ? bytesEnd : Math.min(bytesEnd, at + this.#bytesLeft)
    this.#bytesLeft -= end - at
    this.#keep(bytes, at, Math.min(end, at + bodyBytesMax - this.#keptBytes))
    if (this.#keptBytes === bodyBytesMax) this.whole = true
    else if (this.#bytesLeft === 0 && this.#stage === 'sized') this.whole = true
    else if (this.#bytesLeft === 0 && this.#stage === 'chunk') {
      this.#stage = 'chunk end'
      this.#lineBytesLeft = lineEndBytes
    }
    return end
  }

  #keep(bytes: Buffer, at: number, end: number): void {
    const needed = this.#keptBytes + end - at
    if (needed > this.#kept.length) {
      const grown = Buffer.allocUnsafe(Math.min(bodyBytesMax, Math.max(needed, 2 * this.#kept.length)))
      this.#kept.copy(grown, 0, 0, this.#keptBytes)
      this.#kept = grown
    }
    bytes.copy(this.#kept, this.#keptBytes, at, end)
    this.#keptBytes = needed
  }
}

function isNamed(line: string, colonAt: number, name: string): boolean {
  return colonAt === name.length && line.slice(0, colonAt).toLowerCase() === name
}
