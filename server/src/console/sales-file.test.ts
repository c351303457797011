import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mock, test } from 'node:test'
import { cellOf, takenOrEnded } from './sales-file.ts'

test('a cell is what it says, and never a formula', () => {
  const cells: readonly [text: string, cell: string][] = [
    ['Ada', 'Ada'],
    ['', ''],
    ['100.00', '100.00'],
    ['Ada, "the first"', '"Ada, ""the first"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@sum(a1)', "'@sum(a1)"],
    ['\t=1', "'\t'=1"],
    ['\r=1', `"'\r'=1"`],
    ['\t\t =1', "'\t\t' =1"],
    ['\n1', `"'\n1"`],
    ['＝1+1', "'＝1+1"],
    [' =1', "' =1"],
    ["x;=1+cmd|' /C calc'!A0;y", "x;'=1+cmd|' /C calc'!A0;y"],
    ['x; "=1";-2', `"x;' ""=1"";'-2"`],
    ['two\n=1', `"two\n'=1"`],
    ['Ada; Grace', 'Ada; Grace'],
    ['=hyperlink("http://a","b")', `"'=hyperlink(""http://a"",""b"")"`],
    ['a=1', 'a=1'],
  ]
  for (const [text, cell] of cells) assert.equal(cellOf(text), cell, JSON.stringify(text))
})

test('a file that nobody takes is ended, and one that is taken slowly is not', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  async function* pieces() {
    for (let count = 0; count < 5; count += 1) yield `${count}\n`
  }
  const [file, untouched] = [takenOrEnded(pieces()), takenOrEnded(pieces())]
  untouched.on('error', () => {})
  const taking = file[Symbol.asyncIterator]()
  for (let count = 0; count < 3; count += 1) {
    assert.equal(String((await taking.next()).value), `${count}\n`)
    mock.timers.tick(40_000)
  }
  assert.deepEqual([file.destroyed, untouched.destroyed], [false, true])
  const failed = once(file, 'error')
  mock.timers.tick(40_000)
  assert.equal(file.destroyed, true)
  assert.match(String(await failed), /nobody takes the file/)
  mock.timers.reset()
})

test('a file is not sent for ever, however steadily it is taken', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  async function* pieces() {
    for (;;) yield 'x\n'
  }
  const file = takenOrEnded(pieces())
  const taking = file[Symbol.asyncIterator]()
  for (let minute = 0; minute < 15; minute += 1) {
    assert.equal(String((await taking.next()).value), 'x\n')
    for (let part = 0; part < 2; part += 1) {
      mock.timers.tick(29_000)
      await taking.next()
    }
  }
  const failed = once(file, 'error')
  mock.timers.tick(31_000)
  assert.equal(file.destroyed, true)
  assert.match(String(await failed), /took too long/)
  mock.timers.reset()
})
