// One request over an open connection, and what came back. The connection is not used again.

import type { Socket } from 'node:net'
import { AnswerParser } from './answer-parser.ts'
import { type Limit, leftMs } from './limit.ts'

export interface Exchanged {
  /** Null: no whole answer, and `reason` says why. */
  readonly status: number | null
  readonly reason: string | null
  readonly answer: string
}

export function exchange(socket: Socket, request: string, limit: Limit): Promise<Exchanged> {
  const { promise, resolve } = Promise.withResolvers<Exchanged>()
  const parser = new AnswerParser()
  const end = (reason: string | null) => {
    clearTimeout(timer)
    socket.destroy()
    resolve({ status: reason === null ? parser.status : null, reason, answer: parser.body })
  }
  const timer = setTimeout(() => end(tooLate(parser, limit)), leftMs(limit))
  socket.on('data', bytes => {
    parser.feed(bytes)
    if (parser.whole || parser.problem !== null) end(parser.problem)
  })
  socket.once('end', () => end(parser.endsWithConnection ? null : broke(parser)))
  socket.once('error', () => end(broke(parser)))
  socket.once('close', () => end(broke(parser)))
  // What is ASCII, as a hook's is, is the same bytes in both, and sooner written.
  socket.write(request, Buffer.byteLength(request) === request.length ? 'latin1' : 'utf8')
  return promise
}

function tooLate({ status }: AnswerParser, { text }: Limit): string {
  return status === null ? `No answer ${text}.` : `Answered ${status}, but not the whole of it ${text}.`
}

function broke({ hasBegun }: AnswerParser): string {
  return `The connection broke ${hasBegun ? 'during' : 'before'} the answer.`
}
