import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evidence } from '../../../test/support/mail-evidence.ts'
import { mailDomain, payment, sentence, testIntake } from '../../../test/support/test-intake.ts'
import { until } from '../../../test/support/until.ts'
import { TooCostlyMailError } from './mail-reader.ts'
import { createMailThreads, type MailThreadLimits } from './mail-threads.ts'
import { readInThisThread } from './read-in-this-thread.ts'
import { takeIn } from './take-in.ts'

const envelope = { mailFrom: 'ada@shop.test', rcptTo: payment }
const fields = ['From: ada@shop.test', `To: ${payment}`, 'Message-ID: <1@shop.test>', 'Subject: Payment']
const mail = (body: string, ...more: string[]) => Buffer.from([...fields, ...more, '', body].join('\r\n'))
const plain = mail(sentence)
const consent = {
  ...{ isReply: false, isSentByAnother: false, subjects: 1, texts: [sentence], token: null },
  ...{ isSubjectSigned: true, isSignedForAnother: false, expected: [sentence] },
}
const megabyteOfAt = mail('@'.repeat(1_000_000))

async function withThreads(
  limits: Partial<MailThreadLimits>,
  use: (t: ReturnType<typeof createMailThreads>) => Promise<void>,
) {
  const threads = createMailThreads({ threadsMax: 1, ...limits })
  try {
    await use(threads)
  } finally {
    await threads.close()
  }
}

/** What a result is, whether its bytes are Buffers or were copied. */
const plainly = (result: unknown) =>
  JSON.parse(JSON.stringify(result, (_, value) => (value instanceof Set ? [...value] : value)))

test('a thread reads what the event loop would read, and a failure there is a failure here', async () => {
  await withThreads({}, async threads => {
    const [there, here] = await Promise.all(
      [threads, readInThisThread].map(reader => reader.describe(plain, envelope, mailDomain)),
    )
    assert.ok(there?.kind === 'payment' && here?.kind === 'payment')
    assert.deepEqual(there.keys.proven, new Uint8Array(here.keys.proven))
    assert.deepEqual(plainly({ ...there, keys: null }), plainly({ ...here, keys: null }))
    const signed = mail('x', 'DKIM-Signature: v=1; a=rsa-sha256; d=shop.test; s=a; h=from; bh=eA==; b=eA==')
    const found = await threads.verifySignatures(signed, new Map())
    assert.deepEqual(plainly(found), plainly(await readInThisThread.verifySignatures(signed, new Map())))
    assert.equal(await threads.redact(plain), plain.toString('latin1'))
    const [judgedThere, judgedHere] = await Promise.all(
      [threads, readInThisThread].map(reader => reader.judge(evidence)),
    )
    assert.deepEqual(judgedThere?.verdict, judgedHere?.verdict)
    assert.deepEqual(judgedThere?.provenBy, [new Uint8Array(32).fill(1)])
    assert.deepEqual(await threads.judgeConsent(consent), await readInThisThread.judgeConsent(consent))
    const noText = undefined as unknown as string
    await assert.rejects(threads.describe(plain, envelope, noText), TypeError)
    assert.equal((await threads.describe(plain, envelope, mailDomain))?.kind, 'payment')
  })
})

test('the event loop turns while a megabyte is taken in', async () => {
  await withThreads({}, async threads => {
    let turns = 0
    let isDone = false
    const turn = () => {
      turns += 1
      if (!isDone) setImmediate(turn)
    }
    setImmediate(turn)
    const to = { ...envelope, rcptTo: `transaction@${mailDomain}`, clientAddress: null, helo: null }
    const taken = await takeIn({ ...testIntake(async () => []), reader: threads }, to, megabyteOfAt)
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
  await withThreads({ program, cpuMs: 300, heapMb: 32 }, async threads => {
    for (const word of ['loop', 'grow']) {
      const [costly, next] = [threads.redact(Buffer.from(word)), threads.redact(Buffer.from('say'))]
      await assert.rejects(costly, TooCostlyMailError, word)
      const thread = await next
      assert.equal(await threads.redact(Buffer.from('say')), thread, 'a new thread, and it stays')
    }
  })
})

test('after a costly message a thread takes no other for five times as long', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  await withThreads({ program }, async threads => {
    await threads.redact(Buffer.from('costly'))
    let isRead = false
    const next = threads.redact(Buffer.from('say')).then(() => {
      isRead = true
    })
    // A thread that takes jobs at once would have read this one: it starts anew, and reads, in the meantime.
    await withThreads({ program }, async others => void (await others.redact(Buffer.from('say'))))
    t.mock.timers.tick(499)
    await withThreads({ program }, async others => void (await others.redact(Buffer.from('say'))))
    assert.equal(isRead, false)
    t.mock.timers.tick(1)
    await next
  })
})

test('a thread that ends by itself fails its message and no other', async () => {
  await withThreads({ program }, async threads => {
    const [failing, next] = [threads.redact(Buffer.from('exit')), threads.redact(Buffer.from('say'))]
    await assert.rejects(failing, /ended with 7/)
    await next
  })
})

test('a thread that cannot start fails whoever waits, and is tried again for the next', async () => {
  await withThreads({ program: new URL('data:text/javascript,throw new Error("no start")') }, async threads => {
    const both = [threads.redact(plain), threads.redact(plain)]
    for (const each of both) await assert.rejects(each, /no start/)
    await assert.rejects(threads.redact(plain), /no start/)
  })
})

test('as many threads as allowed; each ends when it has nothing to do; none is left when closed', async () => {
  await withThreads({ program, threadsMax: 2, cpuMs: 300, idleMs: 1 }, async threads => {
    // It may be refused while the others are awaited.
    const refused = assert.rejects(threads.redact(Buffer.from('loop')), TooCostlyMailError)
    const first = await threads.redact(Buffer.from('say'))
    await until('it has ended', async () => (await threads.redact(Buffer.from('say'))) !== first)
    await refused
  })
  const threads = createMailThreads({ program, threadsMax: 1 })
  const [reading, waiting] = [threads.redact(Buffer.from('loop')), threads.redact(plain)]
  const both = Promise.all([reading, waiting].map(each => assert.rejects(each, /the service stops/)))
  await threads.close()
  await both
  await assert.rejects(threads.redact(plain), /the service stops/)
})
