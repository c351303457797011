// The SMTP dialogue, where the library's differs from the RFCs or from what we want to say. The library has no options for these:
// it takes any parameter of MAIL and RCPT, takes addresses that are not ASCII without SMTPUTF8, and writes its own enhanced status
// code before a reply that already begins with one. And it takes a turn of the event loop for every line of a mail that begins with
// two dots: a megabyte of them takes two seconds. So its connection is extended here, and nowhere else.

import { isAscii, isUtf8 } from 'node:buffer'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import { LimitedRecords } from '../../tls/limit-records.ts'
import { DataDecoder } from './smtp-data.ts'

/** Those of the extensions that EHLO names. DSN and REQUIRETLS are not among them, and RCPT has none. */
const mailParameters = new Set(['SIZE', 'BODY', 'SMTPUTF8'])
const hasEnhancedCode = /^[245]\.\d{1,3}\.\d{1,3} /
/** The longest that there can be, MAIL with an address of 254 characters and all parameters, has a fifth of it. */
const commandBytesMax = 2_048
/** Of MAIL and RCPT. There are six at most: the command, `FROM:`, the address and three parameters. */
const wordsMax = 10
/** Both since a mail was last taken. Clients need three commands for a mail, and send up to a hundred recipients ahead. */
const commandsMax = 250
const refusalsMax = 20
/** Of one connection, before others have their turn. The library counts only commands that are answered at once. */
const commandsAtOnce = 10
/** Their own word is not repeated: it may be anything. */
const unknownParameter = [555, '5.5.4 This parameter is not supported.'] as const
const sizeShape = /^\d{1,20}$/

export class ProtocolServer extends SMTPServer {
  /** Called for each connection that is ended because of its TLS records. */
  readonly onTooManyRecords: () => void

  constructor(onTooManyRecords: () => void, options: SMTPServerOptions) {
    super(options)
    this.onTooManyRecords = onTooManyRecords
  }

  override connect(...[socket, options]: Parameters<SMTPServer['connect']>): void {
    const connection = new ProtocolConnection(this, socket, options)
    this.connections.add(connection)
    connection.on('error', error => this._onError(error))
    connection.on('connect', data => this._onClientConnect(data))
    connection.init()
  }
}

class ProtocolConnection extends SMTPConnection {
  #commands = 0
  #refusals = 0

  /** After STARTTLS. What TLS reads passes through here. */
  override upgrade(...given: Parameters<SMTPConnection['upgrade']>): void {
    const { _socket: plain, _parser: parser } = this
    if (parser !== false) plain.unpipe(parser)
    plain.removeAllListeners()
    const { onTooManyRecords } = this._server as ProtocolServer
    // The library makes a TLSSocket over it, which takes any stream, and calls nothing of it that is of sockets alone.
    this._socket = new LimitedRecords(plain, onTooManyRecords) as Duplex as Socket
    super.upgrade(...given)
  }

  override _createParser(): SMTPStream {
    const parser = new ProtocolStream({ maxCommandLength: commandBytesMax })
    parser.oncommand = (command, done) => this.#take(command, done)
    parser.on('error', error => this.send(421, `4.7.0 ${error.message}.`))
    return parser
  }

  /** What the client sent after 421 is not read. */
  #take(...[command, done]: Parameters<SMTPConnection['_onCommand']>): void {
    if (this.#refusals >= refusalsMax) this.send(421, '4.7.0 Too many commands were refused.')
    else if (this.#commands >= commandsMax) this.send(421, '4.7.0 Too many commands without a mail.')
    else {
      this.#commands += 1
      const isTurnOver = this.#commands % commandsAtOnce === 0
      this._onCommand(command, isTurnOver && done ? () => setImmediate(done) : done)
    }
  }

  /** One enhanced status code in each reply: ours, where a reply has it (RFC 2034). */
  override send(...[code, text, context]: Parameters<SMTPConnection['send']>): void {
    if (code >= 500) this.#refusals += 1
    if (context === 'DATA_OK') [this.#commands, this.#refusals] = [0, 0]
    const isOurs = typeof text === 'string' && hasEnhancedCode.test(text)
    super.send(code, text, isOurs ? false : context)
  }

  /** Whether there is such an address is said to whoever sends mail to it (RFC 5321, 3.5.3). */
  override handler_VRFY(_: Buffer, done: () => void): void {
    this.send(252, '2.1.5 Addresses are not verified. Send the mail to find out.')
    done()
  }

  override handler_HELP(_: Buffer, done: () => void): void {
    this.send(214, '2.0.0 This server takes payments by mail. It speaks SMTP as in RFC 5321.')
    done()
  }

  override handler_MAIL(command: Buffer, done: () => void): void {
    const isInternational = /\sSMTPUTF8(?:\s|$)/i.test(command.toString('latin1'))
    if (!this.#refusesUnparsed(command, isInternational, done)) super.handler_MAIL(command, done)
  }

  override handler_RCPT(command: Buffer, done: () => void): void {
    const isInternational = this.session.envelope.smtpUtf8 === true
    if (!this.#refusesUnparsed(command, isInternational, done)) super.handler_RCPT(command, done)
  }

  /** Asked of the bytes: a domain in its ASCII form is turned into letters later. */
  #refusesUnparsed(command: Buffer, isInternational: boolean, done: () => void): boolean {
    const isText = isAscii(command) || (isInternational && isUtf8(command))
    const hasManyWords = command.toString('latin1').split(/\s+/, wordsMax + 1).length > wordsMax
    if (isText && !hasManyWords) return false
    if (isText) this.send(...unknownParameter)
    else this.send(553, '5.6.7 An address that is not ASCII needs SMTPUTF8, and must be UTF-8.')
    done()
    return true
  }

  /** Asked for MAIL and for RCPT, by the names of the parameters that need a value. */
  override _rejectInvalidParams(...given: Parameters<SMTPConnection['_rejectInvalidParams']>): boolean {
    const [{ args }, needValue, done] = given
    const known = needValue.includes('SIZE') ? mailParameters : new Set<string>()
    const unknown = Object.keys(args || {}).find(name => !known.has(name))
    if (unknown === undefined) return super._rejectInvalidParams(...given)
    this.send(...unknownParameter)
    done()
    return true
  }

  /** How big is too big is said in our words, by whoever is asked about the sender. */
  override _validateMailParams(parsed: Parameters<SMTPConnection['_validateMailParams']>[0]) {
    const { SIZE: size, ...others } = (parsed.args || {}) as { [name: string]: string | true }
    const isSize = typeof size === 'string' && sizeShape.test(size)
    return super._validateMailParams(isSize ? { ...parsed, args: others } : parsed)
  }
}

/** Reads what follows DATA chunk by chunk, however many of its lines begin with dots. */
class ProtocolStream extends SMTPStream {
  #decoder = new DataDecoder()

  override startDataMode(bytesMax: number): ReturnType<SMTPStream['startDataMode']> {
    this.#decoder = new DataDecoder()
    return super.startDataMode(bytesMax)
  }

  override _feedDataStream(chunk: Buffer, done: (error?: Error | null) => void): void {
    const { content, end } = this.#decoder.read(chunk)
    this._countDataBytes(content.length)
    if (end === null) this.#emit(content, done)
    else this._endDataMode(content, chunk.subarray(end), done)
  }

  /** Waits where whoever reads is slower. */
  #emit(content: Buffer, done: () => void): void {
    const stream = this._dataStream
    if (stream === null || !stream.writable || stream.write(content) || stream.destroyed) {
      done()
      return
    }
    const goOn = () => {
      stream.off('drain', goOn).off('close', goOn)
      done()
    }
    stream.on('drain', goOn).on('close', goOn) // one that is destroyed never drains
  }
}
