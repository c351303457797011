import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Domain, domain, sign, write } from '../../../test/support/mailbox.ts'
import { payment, testIntake } from '../../../test/support/test-intake.ts'
import { until } from '../../../test/support/until.ts'
import type { Envelope, InboundPorts, Taken } from './ports.ts'
import { takeIn } from './take-in.ts'
import { inTurn, type Turn } from './turns.ts'

const envelope: Envelope = { mailFrom: null, rcptTo: null, clientAddress: null, helo: null }
const dropped: Taken = { kind: 'dropped', why: '' }

test('some at once, some wait, the rest may come again', async () => {
  const held: PromiseWithResolvers<Taken>[] = []
  const take = inTurn(
    () => {
      const one = Promise.withResolvers<Taken>()
      held.push(one)
      return one.promise
    },
    { atOnceMax: 2, waitingMax: 1, outsideMax: 1, outsidePerNetworkMax: 1, waitingPerNetworkMax: 1 },
  )
  const results = [1, 2, 3, 4].map(() => take(envelope, Buffer.alloc(0)).catch(() => 'failed'))
  assert.equal(((await results[3]) as Taken).kind, 'not_now')
  assert.equal(held.length, 2)
  held[0]?.reject(new Error('a bug gives its turn back too'))
  assert.equal(await results[0], 'failed')
  await until('who waited has the turn', async () => held.length === 3)
  held[1]?.resolve(dropped)
  held[2]?.resolve(dropped)
  assert.deepEqual(await Promise.all(results.slice(1, 3)), [dropped, dropped])
  const [fifth, sixth] = [take(envelope, Buffer.alloc(0)), take(envelope, Buffer.alloc(0))]
  await until('both have a turn', async () => held.length === 5)
  for (const one of held) one.resolve(dropped)
  assert.deepEqual(await Promise.all([fifth, sixth]), [dropped, dropped])
})

test('honest mail goes on while sixty others wait for DNS that says nothing', async () => {
  const [shop, silent] = [domain('shop.test'), domain('silent.test')]
  const held = Promise.withResolvers<never>()
  const undecided: (string | null)[] = []
  const intake = testIntake(async (name, type) => {
    if (name.endsWith('silent.test')) return held.promise
    const found = shop.records.get(`${type} ${name}`)
    if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    return found.map(text => [text])
  })
  const mayBeUndecided: InboundPorts['mayBeUndecided'] = async (_, clientAddress) => {
    undecided.push(clientAddress)
    return true
  }
  let outside = 0
  const take = inTurn((envelope, raw, turn) => {
    const counted: Turn = {
      outside(client, wait) {
        outside += 1
        return turn.outside(client, wait)
      },
    }
    return takeIn({ ...intake, mayBeUndecided }, envelope, raw, counted)
  })
  const send = async (by: Domain, clientAddress: string) => {
    const mail = await sign(write(`ada@${by.name}`, { to: payment }), { by })
    return take({ mailFrom: `ada@${by.name}`, rcptTo: payment, clientAddress, helo: null }, mail)
  }
  const clients = Array.from({ length: 60 }, (_, place) => `192.0.2.${Math.floor(place / 8)}`)
  const waiting = clients.map(client => send(silent, client))
  await until('all of them wait', async () => outside === clients.length)
  const behind = Array.from({ length: 24 }, () => send(silent, '192.0.2.0'))
  await until('those of one network wait for each other', async () => outside === clients.length + behind.length)
  assert.equal((await send(silent, '192.0.2.0')).kind, 'not_now', 'its network has enough of them')
  const honest = await send(shop, '198.51.100.1')
  assert.ok(honest.kind === 'taken' && honest.verdict.isProven)
  const more = Array.from({ length: 4 }, () => send(silent, '198.51.100.2'))
  await until('all places are taken', async () => outside === clients.length + behind.length + 2 + more.length)
  assert.equal((await send(shop, '198.51.100.1')).kind, 'not_now')
  held.reject(Object.assign(new Error('no answer'), { code: 'ETIMEOUT' }))
  for (const taken of await Promise.all([...waiting, ...behind, ...more])) {
    assert.ok(taken.kind === 'not_now' && taken.enhanced === '4.4.3')
  }
  const all = [...clients, ...Array(24).fill('192.0.2.0'), ...Array(4).fill('198.51.100.2')]
  assert.deepEqual(undecided.toSorted(), all.toSorted())
  assert.equal((await send(shop, '192.0.2.0')).kind, 'taken')
})
