// The audit finds nothing in a service that has done one of everything; and each thing that could be missing, double or
// wrong in its database is found and named.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Audit, audit } from '../src/store/audit.ts'
import type { Database, Scope } from '../src/store/database.ts'
import { audited } from './support/audited.ts'
import { refusedWith, tillbell } from './support/command.ts'
import { damages, harmless, unrest } from './support/damages.ts'
import { doOneOfEverything } from './support/one-of-everything.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
let merchant: string
const atEnd: (() => Promise<unknown>)[] = []
before(async () => {
  service = await startTestService()
  atEnd.push(service.stop)
  merchant = await doOneOfEverything({ after: work => void atEnd.push(work) }, service)
})
after(() => Promise.all(atEnd.map(end => end())))

test('a service that has done one of everything is clean, and all of it was looked at', async () => {
  const { sql } = service.database
  const { checked, notes } = await audited(sql)
  assert.deepEqual(notes, [])
  const rows = async (table: string) => (await sql`select from ${sql(table)}`).length
  assert.deepEqual(checked, {
    merchants: await rows('merchant'),
    transactions: await rows('transaction'),
    changes: await rows('transaction_change'),
    events: await rows('event'),
    deliveries: await rows('delivery'),
    attempts: await rows('attempt'),
    'payments by mail': (await sql`select from transaction where source = 'Email Transaction'`).length,
  })
  const kinds = async (column: string, table: string) =>
    (await sql`select distinct ${sql(column)} as it from ${sql(table)} order by 1`).map(({ it }) => it)
  assert.deepEqual(await kinds('state', 'whole_delivery'), ['canceled', 'delivered', 'dropped', 'pending'])
  assert.deepEqual(await kinds('kind', 'event'), ['error', 'far', 'transaction', 'update'])
  assert.deepEqual(await kinds('pre_sale', 'transaction'), ['error', 'not_asked', 'passed', 'stopped'])
  assert.deepEqual(await kinds('status', 'transaction'), [
    ...['Authorized', 'Failed', 'Further Action Required', 'Partially Refunded', 'Processing', 'Successful', 'Voided'],
  ])
})

class Undo extends Error {}

/** What the audit says of a damaged database; the damage is undone. */
async function afterDamage(sql: Database, statements: readonly string[]): Promise<Audit> {
  let said: Audit | null = null
  const work = sql.begin(async scope => {
    for (const statement of statements) {
      const { count } = await scope.unsafe(statement.replaceAll('MERCHANT', `'${merchant}'`))
      assert.ok(count !== 0 || /^(alter|drop)/.test(statement), `it damages nothing: ${statement}`)
    }
    said = await audit(inside(scope))
    throw new Undo()
  })
  await assert.rejects(work, Undo)
  assert.ok(said !== null)
  return said
}

/** A database as it is seen inside of one transaction, which cannot begin another. */
function inside(scope: Scope): Database {
  const same = (...given: Parameters<Scope>) => scope(...given)
  const nothing = async () => []
  const inner = Object.assign(same, { unsafe: nothing })
  return Object.assign(same, {
    unsafe: nothing,
    begin: (work: (scope: Scope) => unknown) => work(inner as never),
  }) as never
}

const sentencesOf = (findings: Audit['findings']) => findings.map(({ sentence }) => sentence)

for (const { what, statements, found } of damages) {
  test(`found: ${what}`, async () => {
    const sentences = sentencesOf((await afterDamage(service.database.sql, statements)).findings)
    for (const pattern of found)
      assert.ok(
        sentences.some(each => pattern.test(each)),
        sentences.join('\n'),
      )
    for (const each of sentences)
      assert.ok(
        found.some(pattern => pattern.test(each)),
        each,
      )
  })
}

for (const { what, statements } of harmless) {
  test(`no finding: ${what}`, async () => {
    assert.deepEqual((await afterDamage(service.database.sql, statements)).findings, [])
  })
}

for (const { what, statements, noted } of unrest) {
  test(`noted, and no finding: ${what}`, async () => {
    const { findings, notes } = await afterDamage(service.database.sql, statements)
    assert.deepEqual(findings, [])
    assert.equal(notes.length, 1)
    assert.match(notes[0]?.sentence ?? '', noted)
  })
}

test('of a database that is wholly wrong a thousand findings are told, and the rest counted', async () => {
  const lots = `insert into event (merchant_id, id, transaction_id, kind, type, at, version)
    select merchant_id, gen_random_uuid(), id, 'transaction', 'far', created_at, 99
    from transaction, generate_series(1, 2000) where id = (select id from transaction where merchant_id = MERCHANT limit 1)`
  const { findings, findingsLeftOut, checked } = await afterDamage(service.database.sql, [lots])
  assert.equal(findings.length, 1_000)
  assert.ok(findingsLeftOut >= 3_000)
  assert.ok(checked.events > 2_000, 'and every page was read')
})

test('the command says what it looked at, and ends with 0 when everything fits', async t => {
  const { database, dataFolder } = service
  const environment = { DATABASE_URL: database.url, TILLBELL_DATA: dataFolder, TILLBELL_LOG: 'error' }
  const all = await tillbell(t, ['audit'], environment)
  assert.deepEqual([all.code, all.stderr], [0, ''])
  assert.match(
    all.stdout,
    /^Checked 2 merchants, \d+ transactions, [^\n]+ attempts, 4 payments by mail\.\nEverything fits\.\n$/,
  )
  const one = await tillbell(t, ['audit', '--merchant', merchant, '--json'], environment)
  const { checked, ...rest } = JSON.parse(one.stdout)
  assert.deepEqual(rest, { findings: [], findings_left_out: 0, notes: [], notes_left_out: 0 })
  assert.deepEqual([checked.merchants, checked.transactions > 10], [1, true])
  refusedWith(await tillbell(t, ['audit', '--merchant', 'm_nobody'], environment), 4, /no merchant m_nobody/)
})

test('the command names what does not fit, and ends with 1', async t => {
  const { database, dataFolder } = service
  const environment = { DATABASE_URL: database.url, TILLBELL_DATA: dataFolder, TILLBELL_LOG: 'error' }
  await database.sql`update transaction set refund_reserved_minor = 1 where merchant_id = ${merchant} and status = 'Successful'
    and id = (select id from transaction where merchant_id = ${merchant} and status = 'Successful' limit 1)`
  const said = await tillbell(t, ['audit'], environment)
  assert.deepEqual([said.code, said.stderr], [1, ''])
  assert.match(
    said.stdout,
    /^m_\S+: transaction \S+ has \$0\.01 reserved[^\n]+\nChecked [^\n]+\n1 thing does not fit\.\n$/,
  )
})
