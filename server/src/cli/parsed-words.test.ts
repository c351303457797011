import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from './command.ts'
import { parsedWords } from './parsed-words.ts'

const command = {
  positionals: ['DURATION'],
  options: { amount: { type: 'amount', says: '' }, json: { type: 'flag', says: '' } },
}
const parsed = (...words: string[]) => parsedWords('till', command, words)

test('a number below nothing is the value of the option before it, as with an equals sign', () => {
  for (const words of [
    ['5m', '--amount', '-5'],
    ['5m', '--amount=-5'],
    ['--amount', '-5', '5m'],
  ]) {
    const { options, positionals } = parsed(...words)
    assert.deepEqual([options.amount, positionals], ['-5', ['5m']])
  }
})

test('elsewhere it is an argument, also behind an option that takes no value', () => {
  assert.deepEqual(parsed('-5m').positionals, ['-5m'])
  const { options, positionals } = parsed('--json', '-5m')
  assert.deepEqual([options.json, positionals], [true, ['-5m']])
})

test('an option without its value is named', () => {
  for (const words of [
    ['5m', '--amount'],
    ['5m', '--amount', '--json'],
  ])
    assert.throws(
      () => parsed(...words),
      error => error instanceof UsageError && /--amount/.test(error.message),
    )
})
