import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerParser } from './answer-parser.ts'

const notHttp = 'The answer is not HTTP.'
const tooLong = 'The headers of the answer exceed 16 KiB.'

function parse(text: string): AnswerParser {
  const parser = new AnswerParser()
  parser.feed(Buffer.from(text, 'latin1'))
  return parser
}

const ok = 'HTTP/1.1 200 OK\r\n'

const whole: readonly (readonly [text: string, status: number, body: string])[] = [
  [`${ok}Content-Length: 2\r\n\r\nhi`, 200, 'hi'],
  [`${ok}Content-Length: 2\r\n\r\nhi, and garbage`, 200, 'hi'],
  [`${ok}content-LENGTH:2\r\n\r\nhi`, 200, 'hi'],
  [`${ok}Content-Length: \t 2 \t\r\n\r\nhi`, 200, 'hi'],
  [`${ok}Content-Length: 2\r\nContent-Length: 02\r\n\r\nhi`, 200, 'hi'],
  [`${ok}Content-Length: 0\r\n\r\n`, 200, ''],
  ['HTTP/1.0 500 Oh no\r\nContent-Length: 1\r\n\r\n!', 500, '!'],
  ['HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n\r\n', 302, ''],
  ['HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', 200, ''],
  ['HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n', 200, ''],
  ['HTTP/1.1 999 D\xe9j\xe0 vu\r\nContent-Length: 0\r\n\r\n', 999, ''],
  ['HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
  ['HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello', 204, ''],
  ['HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', 304, ''],
  [`${ok}Empty:\r\nX: \xff\t\r\nContent-Length: 0\r\n\r\n`, 200, ''],
  [
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nContent-Length: 9\r\n\r\nHTTP/1.1 201 C\r\nContent-Length: 1\r\n\r\n+',
    201,
    '+',
  ],
  [`${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n`, 200, 'hi0123456789'],
  [`${ok}Transfer-Encoding:  Chunked \r\n\r\n001 ;a="b"; c\r\n!\r\n000\r\nTrailer: yes\r\n\r\n`, 200, '!'],
]
for (const [text, status, body] of whole) {
  test(`${JSON.stringify(text)} is whole`, () => {
    const parser = parse(text)
    assert.deepEqual([parser.whole, parser.problem, parser.status, parser.body], [true, null, status, body])
  })
}

const refused = [
  'nonsense\r\n\r\n',
  'SSH-2.0-OpenSSH_9.6\r\n',
  '\x16\x03\x01',
  'H\n',
  '\r\nHTTP/1.1 200 OK\r\n',
  'http/1.1 200 OK\r\n',
  'HTTP/2 200\r\n',
  'HTTP/1.2 200 OK\r\n',
  'HTTP/1.1  200 OK\r\n',
  'HTTP/1.1 20 OK\r\n',
  'HTTP/1.1 2000 OK\r\n',
  'HTTP/1.1 099 OK\r\n',
  'HTTP/1.1 200OK\r\n',
  'HTTP/1.1 200 O\0K\r\n',
  'HTTP/1.1 200 O\rK\r\n',
  'HTTP/1.1 200 OK\n',
  'HTTP/1.1 101 Switching Protocols\r\n',
  `${ok}X: y\n`,
  `${ok}\n`,
  `${ok}X : y\r\n`,
  `${ok} X: y\r\n`,
  `${ok}X: y\r\n folded\r\n`,
  `${ok}X\r\n`,
  `${ok}: y\r\n`,
  `${ok}X(: y\r\n`,
  `${ok}X\xe9: y\r\n`,
  `${ok}X: y\x01\r\n`,
  `${ok}X: y\x7f\r\n`,
  `${ok}X: a\rb\r\n`,
  `${ok}Content-Length: 2\r\nContent-Length: 3\r\n`,
  `${ok}Content-Length: 2, 2\r\n`,
  `${ok}Content-Length: +2\r\n`,
  `${ok}Content-Length: -2\r\n`,
  `${ok}Content-Length: 0x2\r\n`,
  `${ok}Content-Length: 2\xa0\r\n`,
  `${ok}Content-Length:\r\n`,
  `${ok}Content-Length: ${'9'.repeat(20)}\r\n`,
  `${ok}Transfer-Encoding: gzip, chunked\r\n`,
  `${ok}Transfer-Encoding: identity\r\n`,
  `${ok}Transfer-Encoding: chunked, chunked\r\n`,
  `${ok}Transfer-Encoding: xchunked\r\n`,
  `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n`,
  `${ok}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n`,
  `${ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`,
  ...[
    'g\r\n',
    '\r\n',
    '-1\r\n',
    '0x1\r\n',
    ' 1\r\n',
    '1 \r\n',
    '1\n',
    '123456789\r\n',
    '1;\0\r\n',
    '1\r\nabcd',
    '1\r\na\n',
    '0\r\nX\r\n',
  ].map(chunks => `${ok}Transfer-Encoding: chunked\r\n\r\n${chunks}`),
]
for (const text of refused) {
  test(`${JSON.stringify(text)} is not HTTP`, () => {
    const { problem, whole, status } = parse(text)
    assert.deepEqual([problem, whole], [notHttp, false])
    if (!text.includes('\r\n\r\n')) assert.equal(status, null)
  })
}

test('a long text that does not begin like HTTP is not HTTP, with or without an end of line', () => {
  for (const text of ['x'.repeat(20_000), `${'x'.repeat(20_000)}\r\n`]) assert.equal(parse(text).problem, notHttp)
})

test('nothing is read after what is not HTTP', () => {
  const parser = parse('HTTP/1.1 200 OK\n')
  assert.equal(parser.feed(Buffer.from(`${ok}Content-Length: 0\r\n\r\n`)), 0)
  assert.deepEqual([parser.whole, parser.status], [false, null])
})

test('without a length the end of the connection is the end', () => {
  const parser = parse(`${ok}\r\nall of`)
  assert.deepEqual([parser.whole, parser.endsWithConnection, parser.status], [false, true, 200])
  parser.feed(Buffer.from(' it'))
  assert.equal(parser.body, 'all of it')
  for (const text of [
    '',
    'HTTP/1.1 ',
    ok,
    `${ok}Content-Length: 3\r\n\r\nhi`,
    `${ok}Transfer-Encoding: chunked\r\n\r\n`,
  ]) {
    assert.equal(parse(text).endsWithConnection, false, text)
  }
})

test('whether anything came is known, also after the first byte', () => {
  for (const [text, hasBegun] of [
    ['', false],
    ['H', true],
    [ok, true],
  ] as const) {
    assert.equal(parse(text).hasBegun, hasBegun, text)
  }
})

test('heads end at 16 KiB, whether by one line, many lines or many interim answers', () => {
  for (const text of [`${ok}X: ${'y'.repeat(16_384)}`, `${ok}${'X: y\r\n'.repeat(3_000)}`]) {
    assert.equal(parse(text).problem, tooLong)
  }
  assert.equal(parse('HTTP/1.1 100 C\r\n\r\n'.repeat(1_000)).problem, notHttp)
  const trailers = `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n${'X: y\r\n'.repeat(3_000)}`
  assert.equal(parse(trailers).problem, tooLong)
  const just = `${ok}X: ${'y'.repeat(16_384 - ok.length - 7)}\r\n\r\n`
  assert.equal(just.length, 16_384)
  assert.equal(parse(just).status, 200)
})

test('a chunk size line ends at 1 KiB', () => {
  const head = `${ok}Transfer-Encoding: chunked\r\n\r\n`
  assert.equal(parse(`${head}1;${'x'.repeat(1_020)}\r\n!`).body, '!')
  assert.equal(parse(`${head}1;${'x'.repeat(1_021)}\r\n!`).problem, notHttp)
  assert.equal(parse(`${head}1;${'x'.repeat(1_023)}`).problem, notHttp)
})

test('16 KiB of a body are enough, however it is framed', () => {
  const long = 'x'.repeat(20_000)
  for (const text of [
    `${ok}Content-Length: 20000\r\n\r\n${long}`,
    `${ok}Content-Length: 999999999999\r\n\r\n${long}`,
    `${ok}\r\n${long}`,
    `${ok}Transfer-Encoding: chunked\r\n\r\n4E20\r\n${long}\r\n0\r\n\r\n`,
    `${ok}Transfer-Encoding: chunked\r\n\r\n${`10\r\n${'x'.repeat(16)}\r\n`.repeat(1_250)}`,
  ]) {
    const parser = parse(text)
    assert.deepEqual([parser.whole, parser.status], [true, 200])
    assert.equal(parser.body, long.slice(0, 16_384))
  }
})

test('a body in very many chunks, or with long words about them, is read to a part; the status counts', () => {
  const head = `${ok}Transfer-Encoding: chunked\r\n\r\n`
  for (const [chunk, count] of [
    ['1\r\nx\r\n', 1_024],
    [`1;${'y'.repeat(1_000)}\r\nx\r\n`, 16],
  ] as const) {
    const bytes = Buffer.from(`${head}${chunk.repeat(20_000)}`)
    const parser = new AnswerParser()
    assert.ok(parser.feed(bytes) <= head.length + (count + 1) * chunk.length, 'nothing is read after that')
    assert.deepEqual([parser.whole, parser.status, parser.body], [true, 200, 'x'.repeat(count)])
    const few = parse(`${head}${chunk.repeat(count)}0\r\n\r\n`)
    assert.deepEqual([few.whole, few.body], [true, 'x'.repeat(count)])
  }
})

test('an answer in very many pieces ends: by its status, if that is there', () => {
  const fed = (text: string) => {
    const parser = new AnswerParser()
    for (const byte of Buffer.from(text)) parser.feed(Buffer.of(byte))
    return parser
  }
  const body = fed(`HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n${'x'.repeat(9_000)}`)
  assert.deepEqual([body.status, body.whole, body.problem], [200, true, null])
  assert.ok(body.body.length < 2_000)
  const line = fed(`HTTP/1.1 200 ${'O'.repeat(9_000)}\r\n\r\n`)
  assert.deepEqual([line.status, line.whole, line.problem], [null, false, 'The answer came in too many pieces.'])
})

test('a body is read as UTF-8, and bytes that are not are replaced', () => {
  const parser = new AnswerParser()
  parser.feed(Buffer.from(`${ok}\r\né€😀`))
  parser.feed(Buffer.from([0xff, 0x21]))
  assert.equal(parser.body, 'é€😀\ufffd!')
})

test("a proxy's answer ends with its head, and what follows is not taken", () => {
  const parser = new AnswerParser(true)
  const head = 'HTTP/1.1 200 Connection established\r\nContent-Length: 5\r\n\r\n'
  assert.equal(parser.feed(Buffer.from(`${head}hello`)), head.length)
  assert.deepEqual([parser.whole, parser.status, parser.body], [true, 200, ''])
})
