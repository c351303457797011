import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Chain, type Linked } from './chain.ts'

interface Member extends Linked<Member> {
  readonly number: number
}

const numbersIn = (chain: Chain<Member>) => [...chain].map(({ number }) => number)

test('whoever comes and goes: those that are there are there in the order in which they came', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5)), numbers => {
      const chain = new Chain<Member>()
      const members = Array.from({ length: 6 }, (_, number): Member => ({ number, before: null, after: null }))
      const expected: number[] = []
      for (const number of numbers) {
        const member = members[number] ?? assert.fail()
        const at = expected.indexOf(number)
        if (at === -1) expected.push(number)
        else expected.splice(at, 1)
        if (at === -1) chain.add(member)
        else chain.remove(member)
        assert.deepEqual(numbersIn(chain), expected)
        assert.deepEqual([chain.first?.number, chain.last?.number], [expected[0], expected.at(-1)])
        if (at !== -1) assert.deepEqual([member.before, member.after], [null, null], 'one that left keeps nobody')
      }
    }),
  )
})

test('to leave twice is to leave once, also for the only one', () => {
  const chain = new Chain<Member>()
  const [one, two] = [1, 2].map((number): Member => ({ number, before: null, after: null })) as [Member, Member]
  chain.add(one)
  chain.remove(one)
  chain.remove(one)
  chain.add(two)
  chain.remove(one)
  assert.deepEqual(numbersIn(chain), [2])
})

test('whoever is at hand may leave while they are gone through', () => {
  const chain = new Chain<Member>()
  for (const number of [1, 2, 3]) chain.add({ number, before: null, after: null })
  for (const member of chain) chain.remove(member)
  assert.deepEqual(numbersIn(chain), [])
})
