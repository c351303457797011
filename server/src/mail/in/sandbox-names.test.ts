import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDns } from '../../../test/support/dns-server.ts'
import { payment, testIntake } from '../../../test/support/test-intake.ts'
import { signLetter, writeLetter } from '../../cli/written-letter.ts'
import { createMailResolver } from './resolver.ts'
import { sandboxMailKey, sandboxNames } from './sandbox-names.ts'
import { takeIn } from './take-in.ts'

const dns = await startDns(() => 'fails')
after(() => dns.close())

test('who sent a mail of the sandbox is found without a network, signed or not', async () => {
  const key = sandboxMailKey(Buffer.alloc(32, 7))
  const intake = testIntake(createMailResolver({ dns: dns.address, ownNames: sandboxNames(key) }).resolve)
  const envelope = { mailFrom: 'ada@example.com', rcptTo: payment, clientAddress: '127.0.0.1', helo: null }
  const written = { from: 'ada@example.com', to: payment, subject: 'Payment', text: 'Please.' }
  for (const isSigned of [true, false]) {
    const plain = writeLetter(written, new Date())
    const taken = await takeIn(intake, envelope, isSigned ? await signLetter(plain, key) : plain)
    assert.ok(taken.kind === 'taken', JSON.stringify(taken))
    assert.equal(taken.verdict.isProven, isSigned)
  }
  assert.deepEqual(dns.asked, [])
})
