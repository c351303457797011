import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from './command.ts'
import { parsedWords } from './parsed-words.ts'

const command = {
  positionals: ['DURATION'],
  options: {
    amount: { type: 'amount', says: 'What to pay.' },
    key: { type: 'key', says: '', multiple: true },
    json: { type: 'flag', says: '' },
  },
}
const bell = { type: 'id', says: '', required: true, from: 'tillbell bell list shows them.' }
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

/** What is said of words that are refused. */
function refusal(...words: string[]): string {
  try {
    parsed(...words)
  } catch (error) {
    assert.ok(error instanceof UsageError)
    return error.message
  }
  return assert.fail('it is taken')
}

test('an option without its value is named, with what it is for; so is a flag that has one', () => {
  for (const words of [
    ['5m', '--amount'],
    ['5m', '--amount', '--json'],
    ['5m', '--amount', '-x'],
  ])
    assert.equal(refusal(...words), '--amount needs a value: --amount AMOUNT. What to pay.')
  assert.equal(parsed('5m', '--amount=-x').options.amount, '-x')
  assert.equal(parsed('5m', '--amount', '-').options.amount, '-')
  assert.equal(refusal('5m', '--json=1'), '--json takes no value.')
})

test('of an unknown option, what may have been meant is said: another, or a variable', () => {
  const lists = 'tillbell till --help lists them.'
  assert.equal(refusal('5m', '--amont', '5'), `Unknown option '--amont'. Did you mean --amount? ${lists}`)
  assert.equal(refusal('5m', '--port=5'), `Unknown option '--port'. It is set by the variable TILLBELL_PORT. ${lists}`)
  for (const word of ['-x', '--toString', '--nope'])
    assert.equal(refusal('5m', word), `Unknown option '${word}'. ${lists}`)
})

test('an option that is given twice is refused, unless it is a list', () => {
  assert.equal(refusal('5m', '--amount', '1', '--amount=1'), '--amount is given more than once: give one.')
  assert.deepEqual(parsed('5m', '--key', 'a', '--key', 'b', '--json', '--json').options.key, ['a', 'b'])
})

test('what an argument may be, and where the values of a required option are found, is said', () => {
  const takes = (...words: string[]) =>
    parsedWords('ring', { positionals: ['KIND'], choices: { KIND: ['loud', 'low'] }, options: { bell } }, words)
  assert.throws(() => takes(), { message: 'tillbell ring takes KIND, one of loud, low.' })
  assert.throws(() => takes('loud', 'low'), { message: 'tillbell ring takes KIND, one of loud, low.' })
  assert.throws(() => takes('loud'), { message: '--bell is required. tillbell bell list shows them.' })
})
