// What a merchant's endpoint may answer, in pieces of any size, and how the connection then ends. A second reader, who has all of it at
// once and no state, says what it means: hooks and Pre-Sale are decided by nothing else.

import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { preSaleVerdict } from '../../../src/core/pre-sale.ts'
import { isAccepted } from '../../../src/core/retry-schedule.ts'
import { storable } from '../../../src/hooks/storable.ts'
import { Exchange } from '../../../src/hooks/wire/exchange.ts'
import { OnWire } from '../../../src/hooks/wire/on-wire.ts'
import { type Chance, pick } from './chance.ts'
import { damaged, shorter } from './damage.ts'
import type { Fuzzed } from './fuzz.ts'
import { nothingLeaks } from './leaks.ts'
import { statusOf } from './strict-answer.ts'

interface Answer {
  /** Of bytes. */
  readonly text: string
  readonly cuts: readonly number[]
  readonly isOrderly: boolean
}

const spices = [
  ...[
    '\r',
    '\n',
    '\r\n',
    '\r\n\r\n',
    '\0',
    ' ',
    '\t',
    ':',
    ';',
    '0',
    'f',
    '-1',
    '+5',
    '0x5',
    '\xff',
    'HTTP/1.1 200 OK\r\n',
  ],
  ...[
    'Content-Length: 7\r\n',
    'content-length:\t7\r\n',
    'Content-Length: 7, 7\r\n',
    'Content-Length: 99999999999999999999\r\n',
  ],
  ...[
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
    'Transfer-Encoding : chunked\r\n',
    ' folded\r\n',
  ],
  ...[
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 101 Switching\r\n\r\n',
    'HTTP/2 200\r\n',
    'ICY 200 OK\r\n',
    '0\r\n\r\n',
  ],
  ...['FFFFFFFF\r\n', '100000000\r\n', `X: ${'x'.repeat(17_000)}\r\n`, 'y'.repeat(17_000)],
]
const statuses = [200, 201, 204, 299, 100, 103, 199, 300, 301, 304, 400, 404, 409, 429, 499, 500, 503, 599, 600, 999]

function whole(chance: Chance): string {
  const status = pick(statuses, chance)
  const head = `HTTP/1.${chance(4) === 0 ? 0 : 1} ${status} ${pick(['OK', '', 'No No'], chance)}\r\n`
  const interim = chance(6) === 0 ? 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n' : ''
  const other = pick(['', 'Server: x\r\nDate: now\r\n', 'Location: http://169.254.169.254/\r\n'], chance)
  const body = 'no '.repeat(chance(pick([3, 40], chance)))
  const framed = [
    `Content-Length: ${body.length}\r\n\r\n${body}`,
    `\r\n${body}`,
    `Transfer-Encoding: chunked\r\n\r\n${body === '' ? '' : `${body.length.toString(16)};x=y\r\n${body}\r\n`}0\r\nT: x\r\n\r\n`,
  ]
  return `${interim}${head}${other}${pick(framed, chance)}`
}

function make(chance: Chance): Answer {
  const answer = whole(chance)
  const text = chance(5) === 0 ? answer : damaged(answer, chance, spices)
  const cuts = Array.from({ length: chance(4) }, () => chance(text.length + 1)).sort((a, b) => a - b)
  return { text, cuts, isOrderly: chance(3) > 0 }
}

class Line extends EventEmitter {
  write(): boolean {
    return true
  }
  destroy(): void {}
}

async function hold({ text, cuts, isOrderly }: Answer): Promise<string> {
  const line = new Line()
  const exchange = new Exchange('POST / HTTP/1.1\r\n\r\n', 60_000, new OnWire())
  exchange.goOver(line as unknown as Socket)
  const bytes = Buffer.from(text, 'latin1')
  for (const [index, end] of [...cuts, bytes.length].entries())
    line.emit('data', bytes.subarray(cuts[index - 1] ?? 0, end))
  if (isOrderly) line.emit('end')
  line.emit('close')
  const { status, reason, answer } = await exchange.posted
  const meant = statusOf(text, isOrderly)
  assert.equal(status, meant, `read as ${status} (${reason}), and it means ${meant}`)
  assert.equal(reason === null, status !== null)
  nothingLeaks(reason ?? '')
  const kept = storable(answer)
  assert.ok(Buffer.byteLength(answer) <= 3 * 16_384 && !kept.includes('\0') && kept.isWellFormed(), 'it can be kept')
  assert.equal(isAccepted(status), meant !== null && meant >= 200 && meant < 300)
  const verdict = preSaleVerdict([{ status }])
  assert.equal(verdict, decisionOf(meant))
  return verdict
}

/** As the interface has it. */
function decisionOf(status: number | null): string {
  if (status === null || Math.floor(status / 100) === 5) return 'error'
  return Math.floor(status / 100) === 2 ? 'passed' : 'stopped'
}

export function open(): Fuzzed<Answer> {
  return {
    make,
    hold,
    *smaller({ text, cuts, isOrderly }) {
      if (cuts.length > 0) yield { text, cuts: [], isOrderly }
      for (const less of shorter(text)) yield { text: less, cuts: cuts.filter(cut => cut <= less.length), isOrderly }
    },
    shown: ({ text, cuts, isOrderly }) =>
      `${JSON.stringify(text)} cut at [${cuts}], ${isOrderly ? 'then the end' : 'then broken'}`,
  }
}
