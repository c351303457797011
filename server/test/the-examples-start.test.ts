// The examples in Node start inside this repository as their READMEs say, by the Node that `npm ci` brings.

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const examples = resolve(import.meta.dirname, '../../examples')
const folder = await mkdtemp(join(tmpdir(), 'tillbell-examples-start-'))
after(() => rm(folder, { recursive: true }))

/** A machine whose own Node is good for npm alone. */
async function pathWithAnOldNode(): Promise<string> {
  const old = `#!/bin/sh\ncase "$1" in */npm | */npx | *npm-cli.js | *npx-cli.js) exec '${process.execPath}' "$@" ;; esac\n`
  await writeFile(join(folder, 'node'), `${old}echo 'This Node is too old.' >&2\nexit 9\n`, { mode: 0o755 })
  return `${folder}:${process.env.PATH}`
}

for (const name of ['express-shop', 'fastify']) {
  test(`${name} starts inside this repository as its README says, also where the machine has an older Node`, async t => {
    if (spawnSync('npm', ['--version']).error !== undefined) return t.skip('npm is not installed')
    const readme = await readFile(join(examples, name, 'README.md'), 'utf8')
    const [, command = ''] = /^([a-z][^\n#]*?) *(?:#[^\n]*)?\n```$/m.exec(readme) ?? []
    // Without keys it says so and ends: nothing is left running.
    const env = { PATH: await pathWithAnOldNode(), HOME: folder, SHOP_DATABASE: join(folder, `${name}-start.sqlite`) }
    const { stderr } = await run('sh', ['-c', command], { cwd: join(examples, name), env }).catch(error => error)
    assert.match(stderr, /There is no Private Key|apiKey must be a text/, `${command}: ${stderr}`)
  })
}
