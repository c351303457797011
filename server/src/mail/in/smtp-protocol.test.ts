// What the server says, word by word, on real sockets: as RFC 5321, 1870, 2034 and 6531 want it.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { converse, domain, mailDate, sign } from '../../../test/support/mailbox.ts'
import { payment, testIntake } from '../../../test/support/test-intake.ts'
import { createNetworkLimiter } from './network-limiter.ts'
import type { InboundPorts, Taken } from './ports.ts'
import { createSmtpServer, type SmtpOptions } from './smtp.ts'
import { takeIn } from './take-in.ts'

const shop = domain('shop.test')
const resolve: InboundPorts['resolve'] = async (name, type) => {
  const found = shop.records.get(`${type} ${name}`)
  if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  return found.map(text => [text])
}

const taken: Taken[] = []
async function listenWith(given: Partial<SmtpOptions> = {}) {
  const server = createSmtpServer({
    hostname: 'mail.pay.test',
    tls: null,
    take: async (envelope, raw) => {
      const outcome = await takeIn(testIntake(resolve), envelope, raw)
      taken.push(outcome)
      return outcome
    },
    limiter: createNetworkLimiter(),
    isRecipient: async address => address.toLowerCase() === payment,
    turnedAway: () => {},
    failed: error => assert.fail(String(error)),
    ...given,
  })
  return { port: await server.listen('127.0.0.1', 0), close: () => server.close() }
}

const { port, close } = await listenWith()
after(close)

async function greeted(to = port) {
  const client = await converse(to)
  after(() => client.socket.destroy())
  assert.match(await client.hear(), /^220 mail\.pay\.test ESMTP/)
  return { ...client, extensions: await client.say('EHLO client.test') }
}

test('EHLO says how big a mail may be, and which extensions there are', async () => {
  const { extensions } = await greeted()
  const offered = extensions.split('\r\n').map(line => line.slice(4))
  assert.deepEqual(offered.slice(1).toSorted(), [
    ...['8BITMIME', 'ENHANCEDSTATUSCODES', 'PIPELINING', 'SIZE 1048576', 'SMTPUTF8'],
  ])
})

test('VRFY is neither yes nor no, and HELP helps', async () => {
  const { say } = await greeted()
  assert.match(await say('VRFY ada'), /^252 2\.1\.5 /)
  assert.equal(await say('VRFY ada'), await say(`VRFY <${payment}>`), 'it says nothing about who is here')
  assert.match(await say('HELP'), /^214 2\.0\.0 /)
  assert.match(await say('HELP MAIL'), /^214 2\.0\.0 /)
})

test('every reply has one enhanced status code, but the greeting, those to EHLO and 354', async () => {
  const { say } = await greeted()
  const dialogue: [string, RegExp][] = [
    ['NOOP', /^250 2\.0\.0 /],
    ['RSET', /^250 2\.0\.0 /],
    ['NONSENSE', /^500 5\.5\.2 /],
    ['EXPN list', /^500 5\.5\.2 /],
    ['MAIL FROM:nobody', /^501 5\.1\.7 /],
    ['RCPT TO:<x@y.test>', /^503 5\.5\.1 /],
    ['MAIL FROM:<ada@shop.test> SIZE=x', /^501 5\.5\.4 /],
    ['MAIL FROM:<ada@shop.test> SIZE=2000000', /^552 5\.3\.4 Nothing was charged: /],
    ['MAIL FROM:<ada@shop.test> SIZE=1000 BODY=8BITMIME', /^250 2\.1\.0 /],
    ['MAIL FROM:<ada@shop.test>', /^503 5\.5\.1 /],
    ['RCPT TO:<nobody@pay.test>', /^550 5\.1\.1 Nothing was charged: /],
    ['DATA', /^503 5\.5\.1 /],
    [`RCPT TO:<${payment}>`, /^250 2\.1\.5 /],
    [`RCPT TO:<${payment}>`, /^452 4\.5\.3 /],
    ['DATA', /^354 (?![245]\.)/],
    ['Subject: \0x\r\n.', /^550 5\.6\.0 Nothing was charged: /],
    ['QUIT', /^221 2\.0\.0 /],
  ]
  for (const [line, expected] of dialogue) {
    const said = await say(line)
    assert.match(said, expected, line)
    assert.doesNotMatch(said, /\d\.\d+\.\d+ \d\.\d+\.\d+/, line)
  }
})

test('a parameter that was not offered is refused, and nothing is begun', async () => {
  const { say } = await greeted()
  for (const parameter of ['RET=FULL', 'ENVID=x', 'AUTH=<>', 'REQUIRETLS', 'X', 'SIZE=1 HOLDFOR=5', '__PROTO__=x']) {
    assert.match(await say(`MAIL FROM:<ada@shop.test> ${parameter}`), /^555 5\.5\.4 /, parameter)
  }
  assert.match(await say(`RCPT TO:<${payment}>`), /^503 /)
  await say('MAIL FROM:<ada@shop.test>')
  for (const parameter of ['NOTIFY=NEVER', 'ORCPT=rfc822;x', 'SIZE=1', 'X=y']) {
    assert.match(await say(`RCPT TO:<${payment}> ${parameter}`), /^555 5\.5\.4 /, parameter)
  }
  assert.match(await say(`RCPT TO:<${payment}>`), /^250 /)
})

test('an address that is not ASCII needs SMTPUTF8; in its ASCII form it does not', async () => {
  const { say } = await greeted()
  assert.match(await say('MAIL FROM:<zoë@shop.test>'), /^553 5\.6\.7 /)
  assert.match(await say('MAIL FROM:<ada@bücher.test>'), /^553 5\.6\.7 /)
  assert.match(await say(`RCPT TO:<${payment}>`), /^503 /)
  assert.match(await say('MAIL FROM:<ada@xn--bcher-kva.test>'), /^250 /)
  assert.match(await say('RCPT TO:<zoë@pay.test>'), /^553 5\.6\.7 /)
  await say('RSET')
  assert.match(await say('MAIL FROM:<zoë@shop.test> SMTPUTF8'), /^250 /)
  assert.match(await say('RCPT TO:<zoë@pay.test>'), /^550 5\.1\.1 /)
  await say('RSET')
  assert.match(await say('MAIL FROM:<ada@shop.test> SMTPUTF8=x'), /^501 /)
})

test('bytes that are no UTF-8 are no address, SMTPUTF8 or not', async () => {
  const { socket, hear } = await greeted()
  socket.write(Buffer.from('MAIL FROM:<zo\xeb@shop.test> SMTPUTF8\r\n', 'latin1'))
  assert.match(await hear(), /^553 5\.6\.7 /)
})

test('a mail by SMTPUTF8, from an address that is not ASCII, is believed as any other', async () => {
  const lines = [
    'From: Zoë <zoë@shop.test>',
    `To: ${payment}`,
    'Subject: Zahlung für Zoë',
    `Date: ${mailDate(new Date())}`,
    'Message-ID: <1@shop.test>',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'Bitte schön.',
    '',
  ]
  const mail = await sign(Buffer.from(lines.join('\r\n')), { by: shop })
  const { socket, say } = await greeted()
  await say('MAIL FROM:<zoë@shop.test> BODY=8BITMIME SMTPUTF8')
  await say(`RCPT TO:<${payment}>`)
  await say('DATA')
  socket.write(mail)
  assert.match(await say('.'), /^250 2\.6\.0 /)
  const [outcome] = taken.splice(0)
  assert.ok(outcome?.kind === 'taken')
  assert.deepEqual([outcome.verdict.sender, outcome.verdict.isProven], ['zoë@shop.test', true])
})

test('a line that no client needs ends the connection, and what was sent behind it is not read', async () => {
  const { say, socket } = await greeted()
  const closed = once(socket, 'close')
  const long = `MAIL FROM:<ada@shop.test> ${'A=1 '.repeat(600)}`
  assert.match(await say(`${long}\r\nNOOP\r\n${long}`), /^421 4\.7\.0 [^\r\n]*(\r\n)?$/)
  await closed
  const { say: sayAgain } = await greeted()
  const address = `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.test`
  assert.match(await sayAgain(`MAIL FROM:<${address}> SIZE=1000000 BODY=8BITMIME SMTPUTF8`), /^250 /)
})

/** The replies to one write, up to the end of the connection. */
async function repliesTo(text: string): Promise<string[]> {
  const { socket } = await greeted()
  let heard = ''
  socket.removeAllListeners('data').on('data', more => (heard += String(more)))
  const closed = once(socket, 'close')
  socket.write(`${text}QUIT\r\n`)
  await closed
  return heard.trimEnd().split('\r\n')
}

test('commands that send no mail end the connection after 250', async () => {
  for (const commands of ['NOOP', 'RSET', 'HELP', 'VRFY ada', 'HELO a.test', 'MAIL FROM:<ada@shop.test>\r\nRSET']) {
    const replies = await repliesTo(`${commands}\r\n`.repeat(1_000))
    assert.match(replies.at(-1) ?? '', /^421 4\.7\.0 /, commands)
    assert.equal(replies.length, 250, commands)
  }
  const recipients = `RCPT TO:<${payment}>\r\n`.repeat(1_000)
  assert.equal((await repliesTo(`MAIL FROM:<ada@shop.test>\r\n${recipients}`)).length, 250)
})

test('commands that are refused end the connection after 20', async () => {
  const refused = [
    'MAIL FROM:nobody',
    `RCPT TO:<${payment}>`,
    'DATA',
    'MAIL FROM:<ada@shop.test> X=1',
    'EHLO',
    'EHLO\r\nNOOP',
  ]
  for (const commands of refused) {
    const replies = await repliesTo(`${commands}\r\n`.repeat(1_000))
    assert.match(replies.at(-1) ?? '', /^421 4\.7\.0 /, commands)
    assert.equal(replies.filter(reply => reply.startsWith('5')).length, 20, commands)
  }
})

test('a client that sends mail may send many, with RSET between them, and recipients ahead', async () => {
  const { socket, say, hear } = await greeted()
  for (let count = 0; count < 100; count += 1) {
    for (const line of ['RSET', 'NOOP', 'MAIL FROM:<>', `RCPT TO:<${payment}>`]) assert.match(await say(line), /^250 /)
    assert.match(await say('DATA'), /^354 /)
    assert.match(await say('Auto-Submitted: auto-replied\r\n\r\n.'), /^250 /)
  }
  socket.write(`MAIL FROM:<>\r\n${`RCPT TO:<${payment}>\r\n`.repeat(100)}DATA\r\n`)
  assert.match(await hear(), /^250 /)
  assert.match(await hear(), /^250 /)
  for (let count = 1; count < 100; count += 1) assert.match(await hear(), /^452 /)
  assert.match(await hear(), /^354 /)
  assert.match(await say('Auto-Submitted: auto-replied\r\n\r\n.'), /^250 /)
  taken.length = 0
})

test('a refusal of a mail is said as it is, and the connection ends with the next command', async () => {
  const { say } = await greeted()
  for (let count = 0; count < 20; count += 1) {
    for (const line of ['MAIL FROM:<ada@shop.test>', `RCPT TO:<${payment}>`]) assert.match(await say(line), /^250 /)
    assert.match(await say('DATA'), /^354 /)
    assert.match(await say('Subject: \0\r\n.'), /^550 5\.6\.0 /)
  }
  assert.match(await say('MAIL FROM:<ada@shop.test>'), /^421 4\.7\.0 /)
})

test('more parameters than there are to give are not read', async () => {
  const { say } = await greeted()
  assert.match(await say(`MAIL FROM:<ada@shop.test> ${'SIZE=1 '.repeat(200)}`), /^555 5\.5\.4 /)
  await say('MAIL FROM:<ada@shop.test>')
  assert.match(await say(`RCPT TO:<${payment}> ${'ORCPT '.repeat(200)}`), /^555 5\.5\.4 /)
  assert.match(await say(`RCPT TO:<${payment}>`), /^250 /)
})

test('commands of one piece do not keep others waiting', async t => {
  let turn = 0
  let next = setImmediate(function count() {
    turn += 1
    next = setImmediate(count)
  })
  t.after(() => clearImmediate(next))
  const asked: number[] = []
  const { port, close } = await listenWith({
    isRecipient: async () => {
      asked.push(turn)
      return false
    },
    limits: { unknownRecipientsMax: 1_000 },
  })
  t.after(close)
  const { say, socket } = await greeted(port)
  const closed = once(socket, 'close')
  await say(`MAIL FROM:<ada@shop.test>\r\n${'RCPT TO:<x@pay.test>\r\n'.repeat(1_000)}QUIT`)
  await closed
  const counts = Object.values(Object.groupBy(asked, each => each)).map(each => each?.length ?? 0)
  assert.ok(Math.max(...counts) <= 10, `${counts} in a turn`)
})
