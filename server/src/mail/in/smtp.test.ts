import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { createAuthority } from '../../../test/support/certificates.ts'
import { conversation, converse, send, write } from '../../../test/support/mailbox.ts'
import { writeRecords } from '../../../test/support/tls-records.ts'
import { until } from '../../../test/support/until.ts'
import { createNetworkLimiter } from './network-limiter.ts'
import type { Envelope, Taken } from './ports.ts'
import { createSmtpServer, type SmtpOptions } from './smtp.ts'

const payment = 'payment-id-0199a000-0000-7000-8000-000000000001@pay.test'
const mail = write('ada@shop.test', { to: payment })
const dropped: Taken = { kind: 'dropped', why: 'A test.' }

async function start(given: Partial<SmtpOptions> = {}) {
  const taken: { envelope: Envelope; raw: Buffer }[] = []
  const failures: unknown[] = []
  const away: string[] = []
  const server = createSmtpServer({
    hostname: 'mail.pay.test',
    tls: null,
    take: async (envelope, raw) => {
      taken.push({ envelope, raw })
      return dropped
    },
    limiter: createNetworkLimiter(),
    isRecipient: async address => address.toLowerCase() === payment,
    turnedAway: why => void away.push(why),
    failed: error => void failures.push(error),
    ...given,
  })
  const port = await server.listen('127.0.0.1', 0)
  after(() => server.close())
  return { port, taken, failures, away, close: () => server.close() }
}

async function greeted(port: number, localAddress?: string) {
  const client = await converse(port, '127.0.0.1', localAddress)
  after(() => client.socket.destroy())
  assert.match(await client.hear(), /^220 mail\.pay\.test/)
  const extensions = await client.say('EHLO client.test')
  return { ...client, extensions }
}

const toRcpt = async (say: (line: string) => Promise<string>) => {
  await say('MAIL FROM:<ada@shop.test>')
  return say(`RCPT TO:<${payment}>`)
}

const { port, taken, failures, away, close } = await start()

test('a mail is handed over byte for byte, with what the connection said', async () => {
  assert.match(await send(port, mail, { from: 'Ada@Shop.test', to: payment.toUpperCase() }), /^250 /)
  const [first] = taken.splice(0)
  assert.ok(first?.raw.equals(mail))
  const envelope = { mailFrom: 'ada@shop.test', rcptTo: payment, clientAddress: '127.0.0.1', helo: 'client.test' }
  assert.deepEqual(first?.envelope, envelope)
  await send(port, mail, { from: '', to: payment })
  assert.equal(taken.splice(0)[0]?.envelope.mailFrom, '')
})

test('a session offers no login, and no STARTTLS without a certificate', async () => {
  const { extensions, say } = await greeted(port)
  assert.match(extensions, /^250-mail\.pay\.test\r\n/)
  assert.match(extensions, /SIZE/)
  assert.doesNotMatch(extensions, /AUTH|STARTTLS/)
  assert.match(await say('STARTTLS'), /^5/)
  assert.match(await say('AUTH PLAIN AGEAYg=='), /^5/)
})

test('an unknown recipient is refused at once, a second one for now', async () => {
  const { say } = await greeted(port)
  await say('MAIL FROM:<ada@shop.test>')
  assert.match(await say('RCPT TO:<someone@pay.test>'), /^550 5\.1\.1 /)
  assert.match(await say('DATA'), /^503/)
  assert.match(await say(`RCPT TO:<${payment}>`), /^250 /)
  assert.match(await say(`RCPT TO:<${payment}>`), /^452 4\.5\.3 /)
})

test('whoever tries unknown recipients is hung up on', async () => {
  const { port, away } = await start({ limits: { unknownRecipientsMax: 3 } })
  const { socket, say } = await greeted(port)
  await say('MAIL FROM:<ada@shop.test>')
  for (const code of [/^550/, /^550/, /^421/]) assert.match(await say('RCPT TO:<x@pay.test>'), code)
  await once(socket, 'close')
  assert.deepEqual(away, Array(3).fill('unknown_recipient'))
})

test('20 MB: refused, and the next mail of the connection is taken', async () => {
  const { socket, say, hear } = await greeted(port)
  assert.match(await say('MAIL FROM:<ada@shop.test> SIZE=20000000'), /^552 5\.3\.4 Nothing was charged: /)
  await toRcpt(say)
  await say('DATA')
  const line = `${'x'.repeat(998)}\r\n`
  for (let count = 0; count < 20; count += 1) if (!socket.write(line.repeat(1_000))) await once(socket, 'drain')
  assert.match(await say('.'), /^552 5\.3\.4 /)
  assert.equal(taken.length, 0)
  await toRcpt(say)
  await say('DATA')
  socket.write(mail)
  socket.write('.\r\n')
  assert.match(await hear(), /^250/)
  assert.equal(taken.splice(0).length, 1)
})

test('lines that end otherwise than with CRLF are refused whole: no second mail is smuggled in', async () => {
  const smuggled = 'MAIL FROM:<eve@evil.test>\r\nRCPT TO:<x@pay.test>\r\nDATA\r\nFrom: eve\r\n'
  for (const end of ['\n.\n', '\n.\r\n', '\r.\r\n', '\r.\r', '\r\n.\n', '\r\n.\r', '\n\n.\r\n', '\0.\r\n']) {
    const { socket, say } = await greeted(port)
    await toRcpt(say)
    await say('DATA')
    socket.write(`Subject: a\r\n\r\nbody${end}${smuggled}`)
    assert.match(await say('\r\n.'), /^550 5\.6\.0 /, JSON.stringify(end))
    assert.match(await say('NOOP'), /^250/)
  }
  assert.deepEqual(taken, [])
})

test('dots at the beginning of lines come as they were written', async () => {
  const dots = Buffer.from('Subject: dots\r\n\r\n.\r\n..\r\n.a\r\n')
  await send(port, dots, { from: 'ada@shop.test', to: payment })
  assert.ok(taken.splice(0)[0]?.raw.equals(dots))
})

test('each outcome has its code, and a bug of ours says nothing about itself', async () => {
  const outcomes: [() => Taken, RegExp][] = [
    [() => ({ kind: 'refused', enhanced: '5.7.1', sentence: 'No token.' }), /^550 5\.7\.1 No token\.$/],
    [() => ({ kind: 'not_now', enhanced: '4.4.3', sentence: 'Try again.' }), /^451 4\.4\.3 Try again\.$/],
    [() => dropped, /^250 /],
    [
      () => {
        throw new Error('secret')
      },
      /^451 4\.3\.0 [^:]*$/,
    ],
  ]
  for (const [outcome, expected] of outcomes) {
    const { port, failures } = await start({ take: async () => outcome() })
    const said = await send(port, mail, { from: 'ada@shop.test', to: payment })
    assert.match(said, expected)
    assert.doesNotMatch(said, /secret/)
    assert.equal(failures.length, said.startsWith('451 4.3.0') ? 1 : 0)
  }
  const { port } = await start({ isRecipient: () => Promise.reject(new Error('secret')) })
  assert.match(await send(port, mail, { from: 'ada@shop.test', to: payment }), /^451 4\.3\.0 (?!.*secret)/)
})

test('too many connections, in all and of one network, are told to come later', async () => {
  for (const limits of [{ connectionsMax: 2 }, { connectionsPerNetworkMax: 2 }]) {
    const { port, away } = await start({ limits })
    const [first] = [await greeted(port), await greeted(port)]
    const third = await converse(port)
    assert.match(await third.hear(), /^421 /)
    assert.deepEqual(away, ['turned_away'])
    first?.socket.destroy()
    await until('a place is free', async () => {
      const next = await converse(port)
      const said = await next.hear()
      next.socket.destroy()
      return said.startsWith('220')
    })
  }
})

/** Every address of 127.0.0.0/8 counts as a network of its own. */
const startCounting = (connectionsMax: number, take: SmtpOptions['take'] = async () => dropped) =>
  start({ limiter: { ...createNetworkLimiter(), isCounted: () => true }, limits: { connectionsMax }, take })

test('where it is crowded, the oldest without a mail makes room, of the network that has most', async () => {
  const { port, away } = await startCounting(20)
  const strangers = []
  for (const [count, address] of [
    [6, '127.0.0.2'],
    [5, '127.0.0.3'],
    [4, '127.0.0.4'],
    [2, '127.0.0.5'],
  ] as const)
    for (let at = 0; at < count; at += 1) strangers.push(await greeted(port, address))
  const [first, second, third] = strangers
  assert.ok(first && second && third)
  await toRcpt(second.say)
  await second.say('DATA')
  second.socket.write('Subject: never ends')
  assert.match(await send(port, mail, { from: 'ada@shop.test', to: payment }), /^250 /)
  assert.match(await first.hear(), /^421 4\.3\.2 /)
  assert.deepEqual(away, ['turned_away'])
  const [customer] = [await greeted(port, '127.0.0.6'), await greeted(port, '127.0.0.7')]
  assert.match(await second.hear(), /^421 4\.3\.2 /, 'a mail that does not arrive is none')
  assert.match(await customer.say('NOOP'), /^250 /)
  assert.match(await third.say('NOOP'), /^250 /)
})

test('whoever brought a mail stays, and so does whose mail is being taken', async () => {
  const held = Promise.withResolvers<Taken>()
  const begun = Promise.withResolvers<void>()
  let takes = 0
  const { port } = await startCounting(10, async () => {
    takes += 1
    if (takes === 1) return dropped
    begun.resolve()
    return held.promise
  })
  const brings = async () => {
    const client = await greeted(port, '127.0.0.2')
    await toRcpt(client.say)
    await client.say('DATA')
    client.socket.write(mail)
    return client
  }
  const brought = await brings()
  assert.match(await brought.say('.'), /^250 /)
  const bringing = await brings()
  const answered = bringing.say('.')
  await begun.promise
  const others = []
  for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6', '127.0.0.7', '127.0.0.8'])
    others.push(await greeted(port, address))
  assert.match((await others[0]?.hear()) ?? '', /^421 4\.3\.2 /)
  assert.match(await brought.say('NOOP'), /^250 /)
  held.resolve(dropped)
  assert.match(await answered, /^250 /)
})

test('a network whose mails were refused too often is told so before it says anything, and before its next mail', async () => {
  const refusal: Taken = { kind: 'refused', enhanced: '5.7.1', sentence: 'No token.' }
  const counted: string[] = []
  const limiter: SmtpOptions['limiter'] = {
    turnsAway: () =>
      counted.length < 3 ? null : { kind: 'not_now', enhanced: '4.7.0', sentence: 'Too many mails were refused.' },
    count: (address, { kind }) => void counted.push(`${kind} ${address}`),
    isCounted: () => true,
  }
  const { port, away } = await start({ limiter, take: async () => refusal })
  const { say, socket } = await greeted(port)
  await say('MAIL FROM:<ada@shop.test>')
  await say('RCPT TO:<x@pay.test>')
  await say(`RCPT TO:<${payment}>`)
  await say('DATA')
  assert.match(await say('Subject: \0\r\n.'), /^550 5\.6\.0 /)
  await toRcpt(say)
  await say('DATA')
  socket.write('x'.repeat(1_100_000))
  assert.match(await say('\r\n.'), /^552 /)
  assert.deepEqual(counted, Array(3).fill('refused 127.0.0.1'), 'an unknown recipient, stray bytes, too big')
  assert.match(await say('MAIL FROM:<ada@shop.test>'), /^421 4\.7\.0 Too many mails were refused\.$/)
  await once(socket, 'close')
  const next = await converse(port)
  assert.match(await next.hear(), /^421 4\.7\.0 Too many mails were refused\.$/)
  assert.deepEqual(away.slice(-2), ['turned_away', 'turned_away'])
})

test('who says nothing is hung up on, and so is who says a little for ever', async () => {
  const idle = await start({ limits: { idleMs: 200 } })
  const quiet = await greeted(idle.port)
  assert.match(await quiet.hear(), /^421/)
  const { port } = await start({ limits: { sessionMs: 400 } })
  const slow = await greeted(port)
  await toRcpt(slow.say)
  await slow.say('DATA')
  const drip = setInterval(() => slow.socket.write('x'), 20)
  await new Promise(resolve => slow.socket.once('close', resolve))
  clearInterval(drip)
})

test('a client that leaves in the middle of a mail leaves nothing', async () => {
  const { socket, say } = await greeted(port)
  await toRcpt(say)
  await say('DATA')
  socket.write('Subject: half')
  socket.destroy()
  assert.match(await send(port, mail, { from: 'ada@shop.test', to: payment }), /^250/)
  assert.equal(taken.splice(0).length, 1)
})

/** A client after STARTTLS. */
async function secured(port: number, how: ConnectionOptions = {}) {
  const { socket, say, extensions } = await greeted(port)
  assert.match(extensions, /STARTTLS/)
  assert.match(await say('STARTTLS'), /^220/)
  socket.removeAllListeners('data')
  const secure = connectTls({ socket, rejectUnauthorized: false, ...how })
  await once(secure, 'secureConnect')
  return secure
}

test('a mail that comes line by line by TLS is taken, and one that comes byte by byte is not read to its end', async () => {
  const { port, taken, away } = await start({ tls: createAuthority('test').issue('mail.pay.test') })
  const lines = Buffer.from(`${String(mail)}${`${'x'.repeat(70)}\r\n`.repeat(800)}.\r\n`)
  const send = async (recordBytes: number) => {
    const secure = await secured(port)
    secure.on('error', () => {})
    const closed = once(secure, 'close')
    const inside = conversation(secure)
    await inside.say('EHLO client.test')
    await toRcpt(inside.say)
    await inside.say('DATA')
    await writeRecords(secure, lines, recordBytes)
    return { secure, closed, hear: inside.hear }
  }
  const client = await send(72)
  assert.match(await client.hear(), /^250/)
  client.secure.destroy()
  assert.deepEqual([taken.length, away], [1, []])
  await (await send(1)).closed
  assert.deepEqual([taken.length, away], [1, ['turned_away']])
})

test('STARTTLS with a group that costs much is refused', async () => {
  const { port } = await start({ tls: createAuthority('test').issue('mail.pay.test') })
  await assert.rejects(secured(port, { ecdhCurve: 'secp521r1' }))
  ;(await secured(port, { ecdhCurve: 'prime256v1' })).destroy()
})

test('STARTTLS, with what was said before it forgotten', async () => {
  const { port, taken } = await start({ tls: createAuthority('test').issue('mail.pay.test') })
  const secure = await secured(port)
  const inside = conversation(secure)
  assert.match(await inside.say('MAIL FROM:<ada@shop.test>'), /^503/)
  await inside.say('EHLO client.test')
  await toRcpt(inside.say)
  await inside.say('DATA')
  secure.write(mail)
  assert.match(await inside.say('.'), /^250/)
  assert.equal(taken.length, 1)
  secure.destroy()
})

test('closing lets a mail under way finish, and hangs up on the others', async () => {
  const held = Promise.withResolvers<Taken>()
  const begun = Promise.withResolvers<void>()
  const { port, close } = await start({
    take: () => {
      begun.resolve()
      return held.promise
    },
  })
  const bystander = await greeted(port)
  const sending = send(port, mail, { from: 'ada@shop.test', to: payment })
  await begun.promise
  const closed = close()
  assert.match(await bystander.hear(), /^421/)
  held.resolve(dropped)
  assert.match(await sending, /^250/)
  await closed
})

test('who was refused before there was a mail is counted', () => {
  assert.deepEqual([...new Set(away)].toSorted(), ['too_big', 'unknown_recipient', 'unreadable'])
})

test('nothing failed on the way', async () => {
  assert.deepEqual(failures, [])
  await close()
})
