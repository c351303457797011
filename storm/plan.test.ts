import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chanceOf } from './chance.ts'
import { planOf } from './plan.ts'

const planFor = (seed: number) => planOf(chanceOf(seed, 'plan'), 600_000)

test('a seed draws the same storm again, and another seed another one', () => {
  assert.deepEqual(planFor(7), planFor(7))
  assert.notDeepEqual(planFor(7), planFor(8))
})

test('ten minutes have every kind of fault, in the order of time', () => {
  const plan = planFor(7)
  assert.equal(new Set(plan.map(({ kind }) => kind)).size, 16)
  assert.deepEqual(
    plan,
    plan.toSorted((a, b) => a.atMs - b.atMs),
  )
  assert.ok(plan.every(({ atMs }) => atMs < 600_000))
})

test('who draws for one purpose does not change what is drawn for another', () => {
  const [first, other] = [chanceOf(7, 'a customer'), chanceOf(7, 'another')]
  const before = other.next()
  for (let times = 0; times < 10; times++) first.next()
  const again = chanceOf(7, 'another')
  assert.equal(again.next(), before)
})
