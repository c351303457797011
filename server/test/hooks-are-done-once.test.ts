// What any store of seen hooks has to do, asked of the one in memory and of the one that the sdk's page shows for PostgreSQL, taken from there.

import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type HookStore, memoryStore } from '@tillbell/sdk'
import pg from 'pg'
import { blocksOf } from './support/code-blocks.ts'
import { emptyDatabase, type TestDatabase } from './support/database.ts'
import { until } from './support/until.ts'

const claimMs = 60_000
/** Has run out as soon as it is made. */
const noClaimMs = -1

function storeConformance(name: string, storeOf: () => HookStore): void {
  describe(name, () => {
    let store: HookStore
    before(() => {
      store = storeOf()
    })

    test('gives one claim to many who want it at once', async () => {
      const holders = Array.from({ length: 20 }, (_, index) => `holder ${index}`)
      const found = await Promise.all(holders.map(holder => store.claim('at once', holder, claimMs)))
      assert.deepEqual(found.toSorted(), ['new', ...Array(19).fill('running')].toSorted())
    })

    test('knows what is done, for good', async () => {
      await store.claim('done', 'a', claimMs)
      await store.done('done')
      await store.release('done', 'a')
      assert.equal(await store.claim('done', 'b', claimMs), 'done')
    })

    test('gives what was released, and what ran out, to the next', async () => {
      await store.claim('released', 'a', claimMs)
      await store.release('released', 'a')
      assert.equal(await store.claim('released', 'b', claimMs), 'new')
      await store.claim('ran out', 'a', noClaimMs)
      assert.equal(await store.claim('ran out', 'b', claimMs), 'new')
    })

    test('does not let one who is late release the claim of the next', async () => {
      await store.claim('late', 'a', noClaimMs)
      await store.claim('late', 'b', claimMs)
      await store.release('late', 'a')
      assert.equal(await store.claim('late', 'c', claimMs), 'running')
    })

    test('keeps what one who is late has done, whoever holds it or gave it up since', async () => {
      for (const key of ['held', 'given up']) {
        await store.claim(key, 'a', noClaimMs)
        await store.claim(key, 'b', claimMs)
        if (key === 'given up') await store.release(key, 'b')
        await store.done(key)
        assert.equal(await store.claim(key, 'c', claimMs), 'done', key)
      }
    })
  })
}

storeConformance('in memory', () => memoryStore())

describe('in PostgreSQL, as the page shows it', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let store: HookStore
  let openCount = 0
  const file = join(import.meta.dirname, `sql-store-${process.pid}.ts`)

  before(async () => {
    database = await emptyDatabase()
    pool = new pg.Pool({ connectionString: database.url })
    pool.on('connect', () => openCount++).on('remove', () => openCount--)
    const blocks = await blocksOf('sdk/README.md')
    const textOf = (word: string) => blocks.find(({ text }) => text.includes(word))?.text ?? assert.fail(word)
    await pool.query(textOf('create table hook_seen'))
    await writeFile(file, textOf('sqlStore'))
    store = (await import(file)).sqlStore(pool)
  })
  after(async () => {
    await rm(file, { force: true })
    await pool.end() // does not wait for its connections to be closed
    await until('its connections are closed', async () => openCount === 0)
    await database.drop()
  })

  storeConformance('the store', () => store)
})
