import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evidence } from '../../../test/support/mail-evidence.ts'
import { mailDomain, payment, sentence, testIntake } from '../../../test/support/test-intake.ts'
import { until } from '../../../test/support/until.ts'
import { type MailReader, TooCostlyMailError } from './mail-reader.ts'
import { createMailThreads, type MailThreadLimits } from './mail-threads.ts'
import { readInThisThread } from './read-in-this-thread.ts'
import { takeIn } from './take-in.ts'

const envelope = { mailFrom: 'ada@shop.test', rcptTo: payment }
const fields = ['From: ada@shop.test', `To: ${payment}`, 'Message-ID: <1@shop.test>', 'Subject: Payment']
const mail = (body: string, ...more: string[]) => Buffer.from([...fields, ...more, '', body].join('\r\n'))
const plain = mail(sentence)
const consent = {
  ...{ isReply: false, isSentByAnother: false, subjects: 1, texts: [sentence], token: null },
  ...{
    isSubjectSigned: true,
    isReadingSigned: true,
    written: [],
    isSignedForAnother: false,
    expected: [sentence],
  },
}
const megabyteOfAt = mail('@'.repeat(1_000_000))

/** `reader`: of a network of its own. */
async function withThreads(
  limits: Partial<MailThreadLimits>,
  use: (reader: MailReader, of: (network: string) => MailReader) => Promise<void>,
  nowMs?: () => number,
) {
  const threads = createMailThreads({ threadsMax: 1, ...limits }, nowMs)
  try {
    await use(threads.of('192.0.2.1'), threads.of)
  } finally {
    await threads.close()
  }
}

/** What a result is, whether its bytes are Buffers or were copied. */
const plainly = (result: unknown) =>
  JSON.parse(JSON.stringify(result, (_, value) => (value instanceof Set ? [...value] : value)))

test('a thread reads what the event loop would read, and a failure there is a failure here', async () => {
  await withThreads({}, async reader => {
    const [there, here] = await Promise.all(
      [reader, readInThisThread].map(each => each.describe(plain, envelope, mailDomain)),
    )
    assert.ok(there?.kind === 'payment' && here?.kind === 'payment')
    assert.deepEqual(there.keys.proven, new Uint8Array(here.keys.proven))
    assert.deepEqual(plainly({ ...there, keys: null }), plainly({ ...here, keys: null }))
    const signed = mail('x', 'DKIM-Signature: v=1; a=rsa-sha256; d=shop.test; s=a; h=from; bh=eA==; b=eA==')
    const found = await reader.verifySignatures(signed, new Map())
    assert.deepEqual(plainly(found), plainly(await readInThisThread.verifySignatures(signed, new Map())))
    assert.equal(await reader.redact(plain), plain.toString('latin1'))
    const [judgedThere, judgedHere] = await Promise.all([reader, readInThisThread].map(each => each.judge(evidence)))
    assert.deepEqual(judgedThere?.verdict, judgedHere?.verdict)
    assert.deepEqual(judgedThere?.provenBy, [new Uint8Array(32).fill(1)])
    assert.deepEqual(await reader.judgeConsent(consent), await readInThisThread.judgeConsent(consent))
    const noText = undefined as unknown as string
    await assert.rejects(reader.describe(plain, envelope, noText), TypeError)
    assert.equal((await reader.describe(plain, envelope, mailDomain))?.kind, 'payment')
  })
})

test('the event loop turns while a megabyte is taken in', async () => {
  await withThreads({}, async reader => {
    let turns = 0
    let isDone = false
    const turn = () => {
      turns += 1
      if (!isDone) setImmediate(turn)
    }
    setImmediate(turn)
    const to = { ...envelope, rcptTo: `transaction@${mailDomain}`, clientAddress: null, helo: null }
    const taken = await takeIn({ ...testIntake(async () => []), reader }, to, megabyteOfAt)
    isDone = true
    assert.equal(taken.kind, 'refused')
    assert.ok(turns > 50, `${turns} turns`)
  })
})

/** A thread that does what the message says. */
const program = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads'
    parentPort.on('message', ({ given: [bytes] }) => {
      const word = Buffer.from(bytes).toString()
      const kept = []
      while (word === 'loop') kept.length = 0
      while (word === 'grow') kept.push(new Array(100_000).fill({ word }))
      if (word === 'exit') process.exit(7)
      parentPort.postMessage({ kind: 'done', cpuMs: word === 'costly' ? 100 : 1, result: threadId })
    })
    parentPort.postMessage({ kind: 'ready' })`)}`,
)

test('a message that takes too much time or memory ends its thread and is refused; those behind it are read', async () => {
  let nowMs = 0
  const everybodyHasRested = () => {
    nowMs += 100_000
    return nowMs
  }
  const use = async (reader: MailReader) => {
    for (const word of ['loop', 'grow']) {
      const [costly, next] = [reader.redact(Buffer.from(word)), reader.redact(Buffer.from('say'))]
      await assert.rejects(costly, TooCostlyMailError, word)
      const thread = await next
      assert.equal(await reader.redact(Buffer.from('say')), thread, 'a new thread, and it stays')
    }
  }
  await withThreads({ program, cpuMs: 300, heapMb: 32 }, use, everybodyHasRested)
})

test('while one network rests after its costly message, those of others are read, in turns', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  const pass = (ms: number) => {
    nowMs += ms
    t.mock.timers.tick(ms)
  }
  const use = async (reader: MailReader, of: (network: string) => MailReader) => {
    const order: string[] = []
    const read = async (by: MailReader, name: string, word = 'say') => {
      await by.redact(Buffer.from(word))
      order.push(name)
    }
    await read(reader, 'costly', 'costly')
    pass(100) // which is what it took
    const behind = [read(reader, 'first behind it'), read(reader, 'second behind it')]
    await read(of('192.0.2.2'), 'of another')
    pass(499)
    await read(of('192.0.2.3'), 'of a third')
    pass(11) // the rest is over, and it is looked again
    await Promise.all(behind)
    assert.deepEqual(order, ['costly', 'of another', 'of a third', 'first behind it', 'second behind it'])
  }
  await withThreads({ program }, use, () => nowMs)
})

test('a message that ends its thread leaves a rest to its network, and none to others', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  const use = async (reader: MailReader, of: (network: string) => MailReader) => {
    await assert.rejects(reader.redact(Buffer.from('exit')), /ended with 7/)
    let isRead = false
    const next = reader.redact(plain).then(() => {
      isRead = true
    })
    nowMs += 100 + 499
    await of('192.0.2.2').redact(plain)
    assert.equal(isRead, false)
    nowMs += 11
    t.mock.timers.tick(10)
    await next
  }
  await withThreads({ program, cpuMs: 100 }, use, () => nowMs)
})

test('a thread that ends by itself fails its message and no other', async () => {
  await withThreads({ program }, async (reader, of) => {
    const [failing, next] = [reader.redact(Buffer.from('exit')), of('192.0.2.2').redact(Buffer.from('say'))]
    await assert.rejects(failing, /ended with 7/)
    await next
  })
})

test('a thread that cannot start fails whoever waits, and is tried again for the next', async () => {
  await withThreads({ program: new URL('data:text/javascript,throw new Error("no start")') }, async reader => {
    const both = [reader.redact(plain), reader.redact(plain)]
    for (const each of both) await assert.rejects(each, /no start/)
    await assert.rejects(reader.redact(plain), /no start/)
  })
})

test('as many threads as allowed; each ends when it has nothing to do; none is left when closed', async () => {
  await withThreads({ program, threadsMax: 2, cpuMs: 300, idleMs: 1 }, async (reader, of) => {
    // It may be refused while the others are awaited.
    const refused = assert.rejects(of('192.0.2.2').redact(Buffer.from('loop')), TooCostlyMailError)
    const first = await reader.redact(Buffer.from('say'))
    await until('it has ended', async () => (await reader.redact(Buffer.from('say'))) !== first)
    await refused
  })
  const threads = createMailThreads({ program, threadsMax: 1 })
  const reader = threads.of(null)
  const [reading, waiting] = [reader.redact(Buffer.from('loop')), reader.redact(plain)]
  const both = Promise.all([reading, waiting].map(each => assert.rejects(each, /the service stops/)))
  await threads.close()
  await both
  await assert.rejects(reader.redact(plain), /the service stops/)
})
