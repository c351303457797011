// A card that comes by a name: no number passes through whoever hands it on.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { chargeWith, inTime } from '../../../test/gateways/conformance/bench.ts'
import type { Gateway } from '../../core/gateway.ts'
import { memoryBooks } from './books.ts'
import { openSandboxOverHttp } from './http-adapter.ts'
import { openSandbox } from './in-process.ts'
import { createSandboxServer } from './server.ts'
import { behaviours, cardRefusals, testCardNamed } from './test-cards.ts'

const world = { books: memoryBooks(), fingerprintKey: Buffer.alloc(32, 7) }

const sandboxes: { readonly [where: string]: (context: TestContext) => Promise<Gateway> } = {
  'in process': async () => openSandbox({ ...world, account: 'references' }),
  async 'over HTTP'(context) {
    const server = createSandboxServer(world)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    assert.ok(address !== null && typeof address === 'object')
    const gateway = openSandboxOverHttp({ url: `http://127.0.0.1:${address.port}`, account: 'references' })
    context.after(() => {
      gateway.close()
      server.close()
    })
    return gateway
  },
}

for (const [where, open] of Object.entries(sandboxes)) {
  test(`${where}: a reference stores a card that does as it says, and shows what it says`, async context => {
    const gateway = await open(context)
    const stored = await gateway.storeCard({ reference: 'test:insufficient_funds:1881:03-2031' }, inTime())
    assert.ok(stored.kind === 'stored')
    assert.deepEqual([stored.mask, stored.expiryMonth, stored.expiryYear, stored.type], ['1881', 3, 2031, 'visa'])
    const card = { reference: 'test:insufficient_funds', mask: '1008', expiryMonth: 12, expiryYear: 2042 }
    const charge = await chargeWith(gateway, card)
    assert.deepEqual(await gateway.send(charge, inTime()), { kind: 'declined', code: 'insufficient_funds' })
  })

  test(`${where}: a reference that means nothing is refused without being repeated`, async context => {
    const gateway = await open(context)
    const refused = { kind: 'refused', sentence: cardRefusals.reference }
    for (const reference of [
      'tok_visa',
      'test:',
      'test:toString',
      'test:success:188:12-2040',
      'test:success ',
      'test',
    ]) {
      assert.deepEqual(await gateway.storeCard({ reference }, inTime()), refused, reference)
    }
    const noMonth = { kind: 'refused', sentence: cardRefusals.expiry }
    assert.deepEqual(await gateway.storeCard({ reference: 'test:success:1881:13-2040' }, inTime()), noMonth)
  })
}

test('there is a name for everything that a card can do', () => {
  for (const behaviour of Object.keys(behaviours)) {
    assert.equal(testCardNamed(`test:${behaviour}`)?.behaviour, behaviour)
  }
})
