import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const log = `import { openLog } from '${new URL('log.ts', import.meta.url).href}'
const log = openLog('info')
`

function saidBy(program: string): { said: string[]; code: number | null } {
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', log + program])
  const lines = stderr.toString().split('\n')
  return { said: lines.flatMap(line => (line.startsWith('{') ? [JSON.parse(line).msg] : [])), code: status }
}

test('what is logged last is there, however the process ends', () => {
  const ends: readonly [string, number][] = [
    ['', 0],
    ['process.exit(3)', 3],
    ["throw new Error('a bug')", 1],
    ["Promise.reject(new Error('a bug'))", 1],
  ]
  for (const [end, code] of ends) {
    assert.deepEqual(saidBy(`log.info('one'); log.warn('two')\n${end}`), { said: ['one', 'two'], code }, end)
  }
})

test('lines keep their order over many milliseconds', () => {
  const program = `for (let i = 0; i < 50; i++) { log.info(String(i)); await new Promise(resolve => setTimeout(resolve, 1)) }`
  assert.deepEqual(
    saidBy(program).said,
    Array.from({ length: 50 }, (_, index) => String(index)),
  )
})
