import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Domain, domain, sign, write } from '../../../test/support/mailbox.ts'
import { payment, testIntake } from '../../../test/support/test-intake.ts'
import { until } from '../../../test/support/until.ts'
import type { Envelope, InboundPorts, Taken } from './ports.ts'
import { takeIn } from './take-in.ts'
import { inTurn, type Turn, tooManyAtOnce } from './turns.ts'

const envelope: Envelope = { mailFrom: null, rcptTo: null, clientAddress: null, helo: null }
const dropped: Taken = { kind: 'dropped', why: '' }

const outsideLimits = { outsideMax: 1, outsidePerNetworkMax: 1, waitingPerNetworkMax: 1 }

/** Mails that hang until a test ends them. The first letter of a mail's name is that of its network. */
function hangingMails(atOnceMax: number, waitingMax: number) {
  const held = new Map<string, PromiseWithResolvers<Taken>>()
  const take = inTurn(
    (_, raw) => {
      const one = Promise.withResolvers<Taken>()
      held.set(raw.toString(), one)
      return one.promise
    },
    { atOnceMax, waitingMax, ...outsideLimits },
  )
  return {
    bring: (...names: string[]) =>
      names.map(name => {
        const clientAddress = `2001:db8:0:${name.charAt(0)}::${name.slice(1)}`
        return take({ ...envelope, clientAddress }, Buffer.from(name))
      }),
    end(name: string, error?: Error) {
      const one = held.get(name)
      held.delete(name)
      if (error === undefined) one?.resolve(dropped)
      else one?.reject(error)
    },
    /** Who has a turn, after all that follows from what was done before. */
    async atWork() {
      await setImmediate()
      return [...held.keys()].join(' ')
    },
  }
}

test('one network has half of the turns and half of the places to wait, and leaves the rest to others', async () => {
  const { bring, end, atWork } = hangingMails(4, 8)
  assert.equal(await bring('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7').at(-1), tooManyAtOnce)
  assert.equal(await atWork(), 'a1 a2')
  assert.equal(await bring('b1', 'b2', 'b3', 'b4').at(-1), tooManyAtOnce)
  assert.equal(await bring('c1', 'c2', 'c3').at(-1), tooManyAtOnce)
  assert.equal(await atWork(), 'a1 a2 b1 c1')
  const [ofAFourth] = bring('d1')
  end('a1')
  assert.equal(await atWork(), 'a2 b1 c1 d1')
  end('d1')
  assert.equal(await ofAFourth, dropped)
  assert.equal(await atWork(), 'a2 b1 c1', 'one is free for whoever has none')
  end('a2')
  assert.equal(await atWork(), 'b1 c1 a3')
})

test('free turns go to the networks in turns, and the mails of one keep their order', async () => {
  const { bring, end, atWork } = hangingMails(1, 8)
  const all = bring('a1', 'a2', 'a3', 'b1', 'c1', 'c2', 'b2')
  const order: string[] = []
  for (const _ of all) {
    const name = await atWork()
    order.push(name)
    end(name)
  }
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'c2'])
  for (const taken of await Promise.all(all)) assert.equal(taken, dropped)
})

test('a provider that is alone brings half of all that may wait at once, and all are taken', async () => {
  const take = inTurn(async () => dropped)
  const from = { ...envelope, clientAddress: '192.0.2.1' }
  const taken = await Promise.all(Array.from({ length: 34 }, () => take(from, Buffer.alloc(0))))
  assert.ok(taken.every(each => each === dropped))
})

test('mail of which nobody says where it came from is of one network', async () => {
  const held = Promise.withResolvers<Taken>()
  const take = inTurn(() => held.promise, { atOnceMax: 2, waitingMax: 2, ...outsideLimits })
  const all = [1, 2, 3].map(() => take(envelope, Buffer.alloc(0)))
  assert.equal(await all[2], tooManyAtOnce)
  held.resolve(dropped)
  assert.deepEqual(await Promise.all(all.slice(0, 2)), [dropped, dropped])
})

test('a bug gives its turn back, too', async () => {
  const { bring, end, atWork } = hangingMails(1, 1)
  const [first, second] = bring('a1', 'b1')
  assert.equal(await atWork(), 'a1')
  end('a1', new Error('a bug'))
  await assert.rejects(first as Promise<Taken>, /a bug/)
  assert.equal(await atWork(), 'b1')
  end('b1')
  assert.equal(await second, dropped)
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
