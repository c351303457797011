import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellOf } from './sales-file.ts'

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
    ['\t=1', "'\t=1"],
    ['\r=1', `"'\r=1"`],
    ['=hyperlink("http://a","b")', `"'=hyperlink(""http://a"",""b"")"`],
    ['a=1', 'a=1'],
  ]
  for (const [text, cell] of cells) assert.equal(cellOf(text), cell, JSON.stringify(text))
})
