// Whole SMTP sessions, as a bad client has them: half commands, everything at once, lines without end, lines that end in other ways,
// a second mail hidden in the first, and gone in the middle. A second reader follows what was said by the replies alone: what was taken
// is what stands between a DATA that was allowed and the next CRLF.CRLF, once, and nothing else.

import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:net'
import { type Duplex, duplexPair } from 'node:stream'
import { createNetworkLimiter } from '../../../src/mail/in/network-limiter.ts'
import type { Envelope } from '../../../src/mail/in/ports.ts'
import { createSmtpServer } from '../../../src/mail/in/smtp.ts'
import { type Chance, pick } from './chance.ts'
import { damaged, shorter } from './damage.ts'
import type { Fuzzed } from './fuzz.ts'
import { nothingLeaks } from './leaks.ts'
import { readStrictly, repliesIn } from './strict-dialogue.ts'

const payment = 'payment-id-0199a000-0000-7000-8000-000000000001@pay.test'
const ends = [
  '\r\n.\r\n',
  '\n.\n',
  '\n.\r\n',
  '\r.\r\n',
  '\r\n.\n',
  '\r\n.\r',
  '\r\n..\r\n',
  '\r\n\r\n.\r\n',
  '\0.\r\n',
  '\r\n. \r\n',
]
const hidden = `MAIL FROM:<eve@evil.test>\r\nRCPT TO:<${payment}>\r\nDATA\r\nFrom: eve@evil.test\r\n\r\nhidden\r\n.\r\n`
const spices = [
  ...[
    ...ends,
    '\r\n',
    '\n',
    '\r',
    '\0',
    ' ',
    '\t',
    '<',
    '>',
    ':',
    '@',
    '\xff',
    '.',
    hidden,
    'x'.repeat(2_000),
    'x'.repeat(17_000),
  ],
  ...[
    'QUIT\r\n',
    'RSET\r\n',
    'NOOP\r\n',
    'DATA\r\n',
    'EHLO x\r\n',
    'BDAT 5 LAST\r\n',
    'VRFY x\r\n',
    'AUTH PLAIN x\r\n',
    'STARTTLS\r\n',
  ],
  ...[
    'GET / HTTP/1.1\r\n',
    ' SIZE=20000000',
    ' SIZE=-1',
    ' BODY=8BITMIME',
    ' SMTPUTF8',
    'XCLIENT ADDR=127.0.0.1\r\n',
    'PROXY TCP4 1 2 3 4\r\n',
  ],
]
const bodies = [
  'From: ada@shop.test\r\n\r\nPlease',
  '',
  '.\r\n..',
  '..',
  'Subject: x\r\n\r\n.a\r\n..b\r\n',
  'a\nb',
  'x'.repeat(3_000),
]

interface Dialogue {
  /** Of bytes. */
  readonly said: string
  readonly cuts: readonly number[]
  /** The client does not even wait for the greeting. */
  readonly isEarly: boolean
}

function session(chance: Chance): string {
  const mail = () => {
    const again = chance(8) === 0 ? `RCPT TO:<${payment}>\r\n` : ''
    const to = chance(5) === 0 ? pick(['x@pay.test', `${payment.toUpperCase()}`, 'postmaster'], chance) : payment
    const stuffed = pick(bodies, chance).replace(/^\./gm, '..')
    const end = chance(3) === 0 ? pick(ends, chance) : '\r\n.\r\n'
    return `MAIL FROM:<${pick(['ada@shop.test', '', 'a"b@x', 'é@x.test'], chance)}>\r\nRCPT TO:<${to}>\r\n${again}DATA\r\n${stuffed}${end}`
  }
  const lines = [pick(['EHLO client.test\r\n', 'HELO x\r\n', 'ehlo [127.0.0.1]\r\n'], chance), mail()]
  if (chance(2) === 0) lines.push(pick([mail(), 'RSET\r\n', 'NOOP\r\n', hidden], chance))
  return `${lines.join('')}QUIT\r\n`
}

function make(chance: Chance): Dialogue {
  const whole = session(chance)
  const said = chance(4) === 0 ? whole : damaged(whole, chance, spices)
  const cuts = Array.from({ length: chance(6) }, () => chance(said.length + 1)).sort((a, b) => a - b)
  return { said, cuts, isEarly: chance(50) === 0 }
}

const turn = () => new Promise<void>(resolve => setImmediate(resolve))
/** Within which whoever has something to say says it: nothing here waits for anybody else. */
const quietTurns = 16

export async function open(): Promise<Fuzzed<Dialogue>> {
  const listening = Promise.withResolvers<Server>()
  subscribe('tracing:net.server.listen:asyncStart', message =>
    listening.resolve((message as { server: Server }).server),
  )
  let taken: { readonly envelope: Envelope; readonly mail: string }[] = []
  const server = createSmtpServer({
    hostname: 'mail.pay.test',
    tls: null,
    take: async (envelope, raw) => {
      taken.push({ envelope, mail: raw.toString('latin1') })
      return { kind: 'dropped', why: 'A test.' }
    },
    limiter: createNetworkLimiter(['192.0.2.0/24']), // what is refused here is refused on purpose
    isRecipient: async address => address.toLowerCase() === payment,
    turnedAway: () => {},
    failed: error => assert.fail(String(error)),
  })
  await server.listen('127.0.0.1', 0)
  const accept = await listening.promise
  greetAtOnce()

  async function heardOf({ said, cuts, isEarly }: Dialogue): Promise<string> {
    const [client, inside] = duplexPair()
    let heard = ''
    client.on('data', chunk => {
      heard += chunk.toString('latin1')
    })
    client.on('error', () => {})
    const isClosed = new Promise<void>(resolve => inside.once('close', resolve))
    accept.emit('connection', asSocket(inside))
    while (!isEarly && heard === '') await turn()
    for (const [index, end] of [...cuts, said.length].entries()) {
      client.write(said.slice(cuts[index - 1] ?? 0, end), 'latin1')
      await turn()
    }
    await quiet(() => heard)
    client.end()
    await isClosed
    return heard
  }

  return {
    make,
    async hold(given) {
      taken = []
      const heard = await heardOf(given)
      nothingLeaks(heard.replaceAll('Error: ', '')) // the library's own word
      assert.ok(heard.length < 20_000, 'it talks without end')
      const replies = repliesIn(heard)
      const { code } = replies.shift() ?? assert.fail('it says nothing')
      if (code === '421') return 'too early'
      assert.equal(code, '220')
      const { mails, isOver } = readStrictly(given.said, replies)
      assert.deepEqual(
        taken.map(({ mail }) => mail),
        mails,
      )
      for (const { envelope } of taken) {
        assert.equal(envelope.rcptTo, payment)
        assert.match(envelope.mailFrom ?? '', /^[^\s<>\p{Cc}]*$/u)
      }
      if (isOver) assert.deepEqual(replies, [], 'it goes on after the end')
      return `${mails.length} taken`
    },
    *smaller({ said, cuts, isEarly }) {
      if (cuts.length > 0) yield { said, cuts: [], isEarly }
      for (const less of shorter(said)) yield { said: less, cuts: cuts.filter(cut => cut <= less.length), isEarly }
    },
    shown: ({ said, cuts }) => `${JSON.stringify(said)} cut at [${cuts}]`,
    close: () => server.close(),
  }
}

/** What the library asks of a socket, beside being a stream. */
function asSocket(stream: Duplex): Duplex {
  stream.allowHalfOpen = false
  return Object.assign(stream, {
    remoteAddress: '192.0.2.1',
    remotePort: 1,
    localAddress: '192.0.2.2',
    localPort: 25,
    readyState: 'open',
    setTimeout: () => stream,
  })
}

async function quiet(heard: () => string): Promise<void> {
  for (let [left, before] = [quietTurns, heard()]; left > 0; left -= 1) {
    await turn()
    if (heard() !== before) [left, before] = [quietTurns, heard()]
  }
}

/** The library waits a tenth of a second for clients that talk too early. On this thread, which has nothing else, that is no time. */
function greetAtOnce(): void {
  const { setTimeout } = globalThis
  const patched = (work: () => void, ms: number) => (ms === 100 ? setImmediate(work) : setTimeout(work, ms))
  globalThis.setTimeout = patched as unknown as typeof setTimeout
}
