import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import * as fc from 'fast-check'
import { parseSecretKey, parseSecretKeys, secretKeysInFolder } from './secret-key.ts'

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tillbell-key-'))
})
after(() => rm(root, { recursive: true }))

let folders = 0
function newFolder(): string {
  folders += 1
  return join(root, `deep-${folders}`, 'data')
}

/** Reads each file as soon as it is there, and tells what it first found. */
const watcher = `
  const { readFileSync } = require('node:fs')
  const { parentPort, workerData } = require('node:worker_threads')
  const firstSeen = file => {
    for (;;) {
      try {
        return readFileSync(file, 'utf8')
      } catch {}
    }
  }
  parentPort.postMessage(workerData.map(firstSeen))
`

describe('a secret key’s text', () => {
  test('is 32 bytes in base64, padded or not, of either alphabet', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), bytes => {
        const key = Buffer.from(bytes)
        for (const text of [key.toString('base64'), key.toString('base64url'), key.toString('base64').slice(0, -1)]) {
          assert.deepEqual(parseSecretKey(text), key)
        }
      }),
    )
  })

  test('of another length is none', () => {
    for (const length of [0, 1, 16, 31, 33, 64]) {
      assert.equal(parseSecretKey(randomBytes(length).toString('base64')), null, `${length} bytes`)
    }
  })

  test('in another form is none', () => {
    const key = randomBytes(32)
    const text = key.toString('base64')
    const inside = `${text.slice(0, 9)} ${text.slice(9)}`
    for (const wrong of [
      key.toString('hex'),
      ` ${text}`,
      `${text}\n`,
      inside,
      `${text}==`,
      `${text}é`,
      'x'.repeat(32),
    ]) {
      assert.equal(parseSecretKey(wrong), null, wrong)
    }
  })
})

describe('several keys', () => {
  const [one, two] = [randomBytes(32), randomBytes(32)]
  const texts = [one, two].map(key => key.toString('base64'))

  test('stand one behind the other, in the order in which they are used', () => {
    assert.deepEqual(parseSecretKeys(texts.join(',')), [one, two])
    assert.deepEqual(parseSecretKeys(texts.join(', ')), [one, two])
    assert.deepEqual(parseSecretKeys(texts.toReversed().join('\n')), [two, one])
    assert.deepEqual(parseSecretKeys(`${texts[0]}`), [one])
  })

  test('are none where one of them is none, or where they are more than four', () => {
    for (const wrong of ['', ',', `${texts[0]},`, `,${texts[0]}`, `${texts[0]},half a k`, `${texts[0]};${texts[1]}`]) {
      assert.equal(parseSecretKeys(wrong), null, wrong)
    }
    assert.equal(parseSecretKeys(Array(4).fill(texts[0]).join())?.length, 4)
    assert.equal(parseSecretKeys(Array(5).fill(texts[0]).join()), null)
  })

  test('are read from the file of the data folder as well', async () => {
    const folder = newFolder()
    await secretKeysInFolder(folder)
    await writeFile(join(folder, 'secret.key'), `${texts.join('\n')}\n`)
    assert.deepEqual(await secretKeysInFolder(folder), [one, two])
  })
})

describe('the key in the data folder', () => {
  test('is made by the first start, for its owner alone', async () => {
    const folder = newFolder()
    const [key, ...others] = await secretKeysInFolder(folder)
    assert.deepEqual([key.length, others], [32, []])
    const file = join(folder, 'secret.key')
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal((await stat(folder)).mode & 0o777, 0o700)
    assert.equal(await readFile(file, 'utf8'), `${key.toString('base64')}\n`)
    assert.deepEqual(await readdir(folder), ['secret.key'], 'nothing else is left there')
  })

  test('is the same at every later start', async () => {
    const folder = newFolder()
    const key = await secretKeysInFolder(folder)
    for (let start = 0; start < 3; start++) assert.deepEqual(await secretKeysInFolder(folder), key)
  })

  test('is another in another folder', async () => {
    assert.notDeepEqual(await secretKeysInFolder(newFolder()), await secretKeysInFolder(newFolder()))
  })

  test('is one, however many start at the same time', async () => {
    for (let round = 0; round < 20; round++) {
      const folder = newFolder()
      const keys = await Promise.all(Array.from({ length: 8 }, () => secretKeysInFolder(folder)))
      assert.equal(new Set(keys.map(([key]) => key.toString('hex'))).size, 1)
      assert.deepEqual(await readdir(folder), ['secret.key'])
    }
  })

  test('is never seen half written, by whoever looks at that very moment', async () => {
    const folders = Array.from({ length: 200 }, newFolder)
    const watching = new Worker(watcher, { eval: true, workerData: folders.map(folder => join(folder, 'secret.key')) })
    try {
      const seen = once(watching, 'message')
      await once(watching, 'online')
      for (const folder of folders) await secretKeysInFolder(folder)
      const [texts] = await seen
      for (const text of texts) assert.match(text, /^[A-Za-z0-9+/]{43}=\n$/)
    } finally {
      await watching.terminate()
    }
  })

  test('is not overwritten when it is broken: what it sealed could never be opened again', async () => {
    const folder = newFolder()
    await secretKeysInFolder(folder)
    const file = join(folder, 'secret.key')
    await writeFile(file, 'half a k')
    await assert.rejects(secretKeysInFolder(folder), { message: `${file} does not hold a key: 32 bytes in base64.` })
    assert.equal(await readFile(file, 'utf8'), 'half a k')
  })
})
