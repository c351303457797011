// The library's own histogram is the judge: both are told the same, and must say the same.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import { QuickHistogram } from './quick-histogram.ts'

const name = 'waits_seconds'
const help = 'How long something waits.'
const buckets = [0.001, 0.01, 0.1, 1]

async function saidOf(values: readonly number[]): Promise<{ theirs: string; ours: string }> {
  const registries = [new Registry(), new Registry()] as const
  const theirs = new Histogram({ name, help, buckets, registers: [registries[0]] })
  const ours = new QuickHistogram({ name, help, buckets, registry: registries[1] })
  for (const value of values) {
    theirs.observe(value)
    ours.observe(value)
  }
  return { theirs: await registries[0].metrics(), ours: await registries[1].metrics() }
}

test('it says what the library says: nothing, values on each bound and between, and beyond the last', async () => {
  for (const values of [[], [0], buckets, [0.0005, 0.005, 0.05, 0.5, 5, 500], [0.1, 0.1, 0.1]]) {
    const { theirs, ours } = await saidOf(values)
    assert.equal(ours, theirs)
  }
})

test('of any values', () => {
  const property = fc.asyncProperty(fc.array(fc.double({ min: 0, max: 10, noNaN: true })), async values => {
    const { theirs, ours } = await saidOf(values)
    assert.equal(ours, theirs)
  })
  return fc.assert(property)
})

test('what is no number is refused, and spoils nothing', async () => {
  const registry = new Registry()
  const ours = new QuickHistogram({ name, help, buckets, registry })
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) assert.throws(() => ours.observe(value), TypeError)
  assert.match(await registry.metrics(), /waits_seconds_sum 0\nwaits_seconds_count 0\n/)
})
