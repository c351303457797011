// The file: what is written is read again, wherever the stream was cut into pieces; and whatever is missing, changed or made by somebody else is refused.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { linesOf } from './lines.ts'
import { BackupRefusedError, DamagedBackupError, nameOfKey, type Part } from './parts.ts'
import { readBackup } from './read.ts'
import { written } from './write.ts'

const key = Buffer.alloc(32, 1)
const otherKey = Buffer.alloc(32, 2)
const takenAt = new Date('2026-11-15T10:00:00.000Z')
// Rows that look like their end, or like a part.
const rows = ['a\t\\\\.\n', '\\\\.\n', '{"table":"no"}\n', `${'long '.repeat(50)}\n`]

async function* from(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}

async function gathered(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const some of bytes) all.push(some)
  return Buffer.concat(all)
}

async function* parts(): AsyncGenerator<Exclude<Part, { kind: 'end' }>> {
  yield { kind: 'header', takenAt, version: 13, key: nameOfKey(key) }
  yield { kind: 'table', table: 'empty', columns: ['id'], rows: from([]) }
  yield { kind: 'table', table: 'full', columns: ['id', 'name'], rows: from(rows.map(row => Buffer.from(row))) }
  yield { kind: 'sequence', sequence: 'number', lastValue: 12n, isCalled: true }
}

let folder: string
let file: string
let plain: Buffer
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillbell-backup-'))
  file = join(folder, 'file')
  plain = await gathered(written(parts(), key, () => {}))
})
after(() => rm(folder, { recursive: true }))

async function read(bytes: Buffer, ...keys: Buffer[]): Promise<string> {
  await writeFile(file, bytes)
  const told: string[] = []
  for await (const part of readBackup(file, keys.length === 0 ? [key] : keys)) {
    if (part.kind !== 'table')
      told.push(JSON.stringify(part, (_, value) => (typeof value === 'bigint' ? `${value}` : value)))
    else told.push(part.table, (await gathered(part.rows)).toString())
  }
  return told.join('|')
}

test('what is written is read again', async () => {
  const text = await read(gzipSync(plain))
  assert.ok(text.includes(`|empty||full|${rows.join('')}|`), text)
  assert.ok(text.endsWith('|{"kind":"end","tables":2,"rows":4}'), text)
})

test('the rows are the same, wherever the stream is cut', async () => {
  const body = Buffer.from(`${rows.join('')}\\.\n{"rows":4}\n`)
  for (let at = 0; at <= body.length; at += 1) {
    const lines = linesOf(from([body.subarray(0, at), body.subarray(at)]))
    let seen = ''
    for await (const { some } of lines.rows()) seen += some
    assert.equal(seen, rows.join(''), `cut at ${at}`)
    assert.deepEqual((await lines.next()).value, { rows: 4 })
  }
})

test('a file that ends early is refused, wherever it ends', async () => {
  const whole = gzipSync(plain)
  for (let length = 0; length < whole.length; length += 1) {
    await assert.rejects(read(whole.subarray(0, length)), DamagedBackupError, `of ${length} bytes`)
  }
  for (let length = 0; length < plain.length; length += 7) {
    await assert.rejects(read(gzipSync(plain.subarray(0, length))), DamagedBackupError, `of ${length} bytes inside`)
  }
})

const isRefusal = (error: unknown) => error instanceof DamagedBackupError || error instanceof BackupRefusedError

test('a file of which any byte was changed is refused', async () => {
  for (let at = 0; at < plain.length; at += 1) {
    const changed = Buffer.from(plain)
    changed[at] = (changed[at] ?? 0) ^ 1
    await assert.rejects(read(gzipSync(changed)), isRefusal, `byte ${at} was changed`)
  }
  await assert.rejects(read(gzipSync(Buffer.concat([plain, Buffer.from('more\n')]))), DamagedBackupError)
})

test('whoever has not the key cannot make one that is taken', async () => {
  const forged = await gathered(written(parts(), otherKey, () => {}))
  await assert.rejects(read(gzipSync(forged)), DamagedBackupError)
  await assert.rejects(read(gzipSync(plain), otherKey), BackupRefusedError)
})

test('one that was made before the secret key was replaced is read while the former key is at hand', async () => {
  assert.equal(await read(gzipSync(plain), otherKey, key), await read(gzipSync(plain)))
})
