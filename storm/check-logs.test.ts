import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { openLog } from '../server/src/observe/log.ts'
import { ConnectionLostError } from '../server/src/store/database.ts'
import { logFindings } from './check-logs.ts'

function logged(...errors: readonly unknown[]): string[] {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _, done) {
      lines.push(...String(chunk).trimEnd().split('\n'))
      done()
    },
  })
  const log = openLog('info', sink)
  for (const err of errors) log.error({ err }, 'sweeping failed')
  return lines
}

test('what the weather explains is no finding, and all else is one, however often it was said', () => {
  const weather = [new ConnectionLostError('gone'), Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })]
  assert.deepEqual(logFindings(['no JSON', ...logged(...weather)]), [])
  const own = () => Object.assign(new Error('duplicate key'), { code: '23505' })
  const [finding, ...others] = logFindings(logged(own(), ...weather, own()))
  assert.match(finding ?? '', /^logged 2 times: sweeping failed: duplicate key \(\{/)
  assert.deepEqual(others, [])
})
