import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { MerchantId, WorkerId } from '../core/ids.ts'
import type { HeldMail, MailEnd } from '../core/outgoing-mail.ts'
import type { Mail, MailOutcome } from './mailer.ts'
import { createOutbox, type Written } from './outbox.ts'

const noon = new Date('2026-11-15T12:00:00Z')
const after = (minutes: number) => new Date(noon.getTime() + minutes * 60_000)
const notNow = { kind: 'not_now', cause: 'Away.' } as const
const refused = { kind: 'refused', cause: 'Nobody here.' } as const

interface Row extends HeldMail {
  dueAt: Date | null
  end: MailEnd | null
  held: boolean
}

/** A database and a relay in memory. `takes` says what the relay does with a mail. */
function outboxWith(takes: (held: HeldMail) => MailOutcome | Promise<MailOutcome>) {
  const rows: Row[] = []
  const sent: string[] = []
  const told: string[] = []
  const worked: unknown[] = []
  const counted = new Set<string>()
  const world = { now: noon, written: null as Written | null }
  const isDue = (row: Row) => !row.held && row.dueAt !== null && row.dueAt <= world.now
  const outbox = createOutbox({
    store: {
      listDue: async () => [...new Set(rows.filter(isDue).map(({ merchantId }) => merchantId))],
      async claim(merchantId, { holder, limit }) {
        const due = rows.filter(row => row.merchantId === merchantId && isDue(row)).slice(0, limit)
        return due.map(row => {
          Object.assign(row, { held: true, attempts: row.attempts + 1, leaseNo: row.leaseNo + 1, holder })
          return { ...row }
        })
      },
      async settle(held, end) {
        const row = rows.find(({ id }) => id === held.id)
        if (row === undefined || !row.held || row.leaseNo !== held.leaseNo) return false
        Object.assign(row, { held: false, end, dueAt: end.state === 'waiting' ? end.dueAt : null })
        return true
      },
      freeOthers: async () => 0,
    },
    worksFor(merchant, work) {
      worked.push(merchant.merchantId)
      return work()
    },
    write: async held => world.written ?? mailFor(held),
    async mayGo({ id }) {
      const may = counted.size === 0
      if (may) counted.add(id)
      return may
    },
    didNotGo: async ({ id }) => void counted.delete(id),
    holder: async () => 'me' as WorkerId,
    now: () => world.now,
    observe: {
      settled: (_, { state }) => told.push(state),
      tooLate: () => told.push('too late'),
      freed: () => told.push('freed'),
      failed: error => told.push(String(error)),
    },
  })
  const mailFor = (held: HeldMail): Written => {
    const bound = held.kind === 'receipt' ? null : { kind: held.kind, name: 'ada@example.com' }
    return { kind: 'mail', mail: mailOf(held), send: () => bring(held), bound }
  }
  async function bring(held: HeldMail): Promise<MailOutcome> {
    const outcome = await takes(held)
    if (outcome.kind === 'taken') sent.push(held.id)
    return outcome
  }
  return { outbox, rows, sent, told, worked, world, owe: (change: Partial<Row> = {}) => owe(rows, change) }
}

function owe(rows: Row[], change: Partial<Row>): Row {
  const row = {
    merchantId: 'one' as MerchantId,
    id: `mail ${rows.length}` as HeldMail['id'],
    letterId: '' as HeldMail['letterId'],
    transactionId: '' as HeldMail['transactionId'],
    kind: 'receipt' as const,
    createdAt: noon,
    attempts: 0,
    followsLost: false,
    holder: '' as WorkerId,
    leaseNo: 0,
    ...{ dueAt: noon, end: null, held: false },
    ...change,
  }
  rows.push(row)
  return row
}

function mailOf({ id }: HeldMail): Mail {
  return { about: id, to: { name: '', address: 'ada@example.com' }, subject: 'b', text: 'c' }
}

test('what the relay takes is sent, and sent once', async () => {
  const { outbox, owe, rows, sent, told, worked } = outboxWith(() => ({ kind: 'taken' }))
  for (let count = 0; count < 20; count++) owe({ merchantId: `m${count % 3}` as MerchantId })
  assert.equal(await outbox.sendDue(), 20)
  assert.equal(await outbox.sendDue(), 0)
  assert.equal(new Set(sent).size, 20)
  assert.deepEqual(new Set(told), new Set(['sent']))
  assert.deepEqual(worked.sort(), rows.map(({ merchantId }) => merchantId).sort(), 'each in the name of its merchant')
})

test('a relay that is away is tried again after 1, 5 and 30 minutes, 2, 6, 12 and 24 hours, and then no more', async () => {
  const { outbox, owe, world } = outboxWith(() => notNow)
  const row = owe()
  const waits: number[] = []
  while (row.dueAt !== null) {
    const before = world.now
    await outbox.sendDue()
    if (row.dueAt === null) break
    waits.push((row.dueAt.getTime() - before.getTime()) / 60_000)
    world.now = row.dueAt
  }
  assert.deepEqual(waits, [1, 5, 30, 120, 360, 720, 1_440])
  assert.deepEqual([row.attempts, row.end], [8, { state: 'dropped', cause: 'Away.' }])
})

test('nobody waits for a mail for more than two days', async () => {
  const { outbox, owe, world } = outboxWith(() => notNow)
  const row = owe()
  world.now = after(48 * 60)
  await outbox.sendDue()
  assert.deepEqual(row.end, { state: 'dropped', cause: 'Away.' })
})

test('what is refused for good is dropped at once', async () => {
  const { outbox, owe } = outboxWith(() => refused)
  const row = owe()
  assert.equal(await outbox.sendDue(), 1)
  assert.deepEqual(row.end, { state: 'dropped', cause: 'Nobody here.' })
})

test('what nobody needs any more is not sent', async () => {
  const { outbox, owe, world, sent } = outboxWith(() => ({ kind: 'taken' }))
  world.written = { kind: 'skip', cause: 'The payment has changed since.' }
  const row = owe()
  await outbox.sendDue()
  assert.deepEqual([row.end, sent], [{ state: 'skipped', cause: 'The payment has changed since.' }, []])
})

test('one further_action is enough for an address; receipts go for each payment', async () => {
  const { outbox, owe, sent } = outboxWith(() => ({ kind: 'taken' }))
  const rows = [owe({ kind: 'further_action' }), owe({ kind: 'further_action' }), owe(), owe()]
  await outbox.sendDue()
  assert.deepEqual(
    rows.map(({ end }) => end?.state),
    ['sent', 'skipped', 'sent', 'sent'],
  )
  assert.equal(sent.length, 3)
})

test('one that the relay did not take does not count as the one that is enough', async () => {
  const says: MailOutcome[] = [notNow]
  const { outbox, owe, world, sent } = outboxWith(() => says.shift() ?? { kind: 'taken' })
  const row = owe({ kind: 'further_action' })
  await outbox.sendDue()
  world.now = after(1)
  await outbox.sendDue()
  assert.deepEqual([row.end?.state, sent.length], ['sent', 1])
})

test('one whose attempt was lost with its process is sent, though that attempt was counted', async () => {
  const { outbox, owe, sent } = outboxWith(() => ({ kind: 'taken' }))
  owe({ kind: 'further_action' })
  await outbox.sendDue()
  const lost = owe({ kind: 'further_action', attempts: 1, followsLost: true })
  await outbox.sendDue()
  assert.deepEqual([lost.end?.state, sent.length], ['sent', 2])
})

test('one that ends its process over and over is given up', async () => {
  const { outbox, owe, sent } = outboxWith(() => ({ kind: 'taken' }))
  const row = owe({ attempts: 20, followsLost: true })
  await outbox.sendDue()
  assert.deepEqual([row.end?.state, sent], ['dropped', []])
})

test('a merchant whose mails hang leaves room for the others', async () => {
  const hang = Promise.withResolvers<MailOutcome>()
  const { outbox, owe, sent } = outboxWith(({ merchantId }) =>
    merchantId === 'slow' ? hang.promise : { kind: 'taken' },
  )
  for (let count = 0; count < 20; count++) owe({ merchantId: 'slow' as MerchantId })
  const fast = owe({ merchantId: 'fast' as MerchantId })
  const sending = outbox.sendDue()
  for (let turns = 0; turns < 50 && fast.end === null; turns++) await turn()
  assert.deepEqual(sent, [fast.id])
  hang.resolve({ kind: 'taken' })
  await sending
  assert.equal(sent.length, 21)
})

test('a result that comes too late is not written', async () => {
  const { outbox, owe, rows, told } = outboxWith(() => {
    for (const row of rows) Object.assign(row, { leaseNo: row.leaseNo + 1 })
    return { kind: 'taken' }
  })
  const row = owe()
  await outbox.sendDue()
  assert.deepEqual([told, row.end], [['too late'], null])
})
