import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands } from './commands.ts'
import { helpOf } from './run.ts'

test('in every help, what an option is for stands apart from its name, in one column', async () => {
  for (const listed of commands) {
    const lines = helpOf(listed, await listed.load()).split('\n')
    const options = lines.filter(line => line.startsWith('  --'))
    const columns = options.map(line => /^ {2}--\S+(?: \S+)? {2,}(?=\S)/.exec(line)?.[0].length ?? assert.fail(line))
    assert.ok(new Set(columns).size <= 1, listed.name)
  }
})
