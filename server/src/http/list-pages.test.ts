// A page is bounded in rows and bytes, and so is what is read for it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerText } from '../core/json.ts'
import type { Page } from '../core/lists.ts'
import { pageBytesMax, type ReadPage, readPage, rowsAtFirst } from './list-pages.ts'

/** Rows by id, newest first: the highest id. It counts how many are read. */
function listOf(sizes: readonly number[], limit: number, readAtMost = Number.POSITIVE_INFINITY) {
  const all = sizes.map((size, index) => ({ id: sizes.length - index, text: 'x'.repeat(size) }))
  const counted = { rows: 0, readings: 0 }
  const list = {
    page: { limit, after: null },
    async read({ limit, after }: Page<number>) {
      const found = all.filter(({ id }) => after === null || id < after).slice(0, Math.min(limit, readAtMost))
      counted.rows += found.length
      counted.readings += 1
      return found
    },
    ...(readAtMost < limit && { readsFewer: true as const }),
    idOf: ({ id }: { id: number }) => id,
    render: ({ id, text }: { id: number; text: string }) => ({ id, text }),
  }
  return { all, list, counted }
}

async function allPages(sizes: readonly number[], limit: number, readAtMost?: number) {
  const { list } = listOf(sizes, limit, readAtMost)
  const pages: { bytes: number; ids: number[] }[] = []
  let after: number | null = null
  do {
    const { text, nextAfter }: ReadPage<number> = await readPage({ ...list, page: { limit, after } })
    pages.push({ bytes: Buffer.byteLength(text), ids: JSON.parse(text).map(({ id }: { id: number }) => id) })
    after = nextAfter
  } while (after !== null)
  return pages
}

test('the text is that of all rows together', async () => {
  for (const count of [0, 1, 25]) {
    const { all, list } = listOf(new Array(count).fill(10), 50)
    assert.equal((await readPage(list)).text, answerText(all))
  }
})

test('every row is on one page, in order, whatever the sizes, and no page of several rows is too large', async () => {
  const [small, large, huge] = [100, 60_000, pageBytesMax + 1]
  const mixtures = [
    new Array(250).fill(small),
    Array.from({ length: 120 }, (_, index) => (index % 7 === 3 ? large : small)),
    [huge, small, huge, huge, small, small, large],
    [...new Array(56).fill(small), ...new Array(6).fill(huge)],
  ]
  for (const sizes of mixtures)
    for (const readAtMost of [1, 3, undefined]) {
      const pages = await allPages(sizes, 100, readAtMost)
      assert.deepEqual(
        pages.flatMap(({ ids }) => ids),
        sizes.map((_, index) => sizes.length - index),
      )
      for (const { bytes, ids } of pages) {
        assert.ok(ids.length <= 100)
        assert.ok(bytes <= pageBytesMax || ids.length === 1, `${ids.length} rows of ${bytes} bytes`)
      }
    }
})

test('at most one reading goes beyond what the page shows', async () => {
  for (const sizes of [new Array(100).fill(pageBytesMax), new Array(100).fill(50_000), new Array(100).fill(100)]) {
    const { list, counted } = listOf(sizes, 100)
    const shown = JSON.parse((await readPage(list)).text).length
    assert.ok(counted.rows <= shown + rowsAtFirst, `${counted.rows} were read for ${shown}`)
  }
})

test('a list of few rows is read once, and a page of a hundred ordinary ones twice', async () => {
  for (const [sizes, limit, readings] of [
    [[100, 100, 100], 25, 1],
    [new Array(100).fill(1_500), 100, 2],
    [[], 25, 1],
  ] as const) {
    const { list, counted } = listOf(sizes, limit)
    await readPage(list)
    assert.equal(counted.readings, readings)
  }
})
