import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands } from '../cli/commands.ts'
import { changesBetween, nearest } from './nearest.ts'

test('changes are letters added, left out, changed or swapped', () => {
  const pairs: readonly (readonly [string, string, number])[] = [
    ['', '', 0],
    ['abc', 'abc', 0],
    ['abc', 'abcd', 1],
    ['abc', 'ab', 1],
    ['abc', 'axc', 1],
    ['abc', 'acb', 1],
    ['', 'abc', 3],
    ['abcd', 'badc', 2],
    ['listen', 'silent', 4],
  ]
  for (const [a, b, changes] of pairs) {
    assert.equal(changesBetween(a, b), changes, `${a} ${b}`)
    assert.equal(changesBetween(b, a), changes, `${b} ${a}`)
  }
})

test('a mistyped command finds the one that was meant, and something else finds none', () => {
  const names = commands.map(({ name }) => name)
  const typed: readonly (readonly [string, string | null])[] = [
    ['srve', 'serve'],
    ['verfiy', 'verify'],
    ['hook list', 'hooks list'],
    ['merchants list', 'merchant list'],
    ['privatekey create', 'private-key create'],
    ['nonsense', null],
    ['x', null],
    ['xyzve', null],
    ['frobnicate everything', null],
  ]
  for (const [word, meant] of typed) assert.equal(nearest(word, names), meant, word)
})
