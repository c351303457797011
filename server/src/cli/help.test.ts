import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands, groups } from './commands.ts'
import { helpOf, overview } from './help.ts'
import { parsedWords } from './parsed-words.ts'

test('in every help, what an option is for stands apart from its name, in one column', async () => {
  for (const listed of commands) {
    const lines = helpOf(listed, await listed.load()).split('\n')
    const options = lines.filter(line => line.startsWith('  --'))
    const columns = options.map(line => /^ {2}--\S+(?: \S+)? {2,}(?=\S)/.exec(line)?.[0].length ?? assert.fail(line))
    assert.ok(new Set(columns).size <= 1, listed.name)
  }
})

test('every help shows an example, which the command itself understands', async () => {
  for (const listed of commands) {
    const command = await listed.load()
    const help = helpOf(listed, command)
    assert.ok(command.examples.length > 0, listed.name)
    for (const example of command.examples) {
      assert.ok(help.includes(`\n  ${example}\n`), example)
      const [program, ...words] = wordsOf(example.replace('--version', 'version'))
      const name = listed.name.split(' ')
      assert.deepEqual([program, ...words.slice(0, name.length)], ['tillbell', ...name])
      parsedWords(listed.name, command, words.slice(name.length))
    }
  }
})

/** As a shell would, of what examples have: words apart by blanks, and words in single quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

test('the overview has every command once, under the title of its group, and what one develops with first', () => {
  const lines = overview([]).split('\n')
  const titles = lines.filter(line => /^\S.*:$/.test(line))
  assert.deepEqual(
    titles,
    Object.values(groups).map(title => `${title}:`),
  )
  assert.match(titles[0] ?? '', /Develop/)
  for (const { name, group } of commands) {
    const own = lines.flatMap((line, index) => (line.startsWith(`  tillbell ${name}  `) ? [index] : []))
    assert.equal(own.length, 1, name)
    const [above] = lines
      .slice(0, own[0])
      .filter(line => /^\S.*:$/.test(line))
      .slice(-1)
    assert.equal(above, `${groups[group]}:`)
  }
})
