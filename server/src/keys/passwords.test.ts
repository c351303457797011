import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import { fitsPassword, hashPassword, isHashedCheaply, newPassword } from './passwords.ts'

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

test('a password is kept as argon2id in the usual form, which holds all that is needed to check it', async () => {
  const password = 'Zoë & the 🐎 battery'
  const hash = await hashPassword(password)
  const [, memory, passes, parallelism, nonce = '', tag] = form.exec(hash) ?? assert.fail(hash)
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  assert.ok(cost.memory >= 19_456 && cost.passes >= 2, 'no cheaper than what OWASP asks for')
  const checked = (message: string) =>
    argon2Sync('argon2id', { message, nonce: Buffer.from(nonce, 'base64'), tagLength: 32, ...cost })
      .toString('base64')
      .replaceAll('=', '')
  assert.equal(checked(password), tag)
  assert.notEqual(checked(`${password} `), tag)
  assert.ok(!hash.includes(password))
})

test('the same password is never kept the same way twice', async () => {
  assert.notEqual(await hashPassword('same'), await hashPassword('same'))
})

test('a password that we make has 120 bits of chance, and no character that a shell or a URL minds', () => {
  const made = Array.from({ length: 100 }, newPassword)
  for (const password of made) assert.match(password, /^[A-Za-z0-9_-]{20}$/)
  assert.equal(new Set(made).size, 100)
})

test('a hash of lower costs still fits, and is known to be cheap', async () => {
  const nonce = Buffer.alloc(16, 7)
  const tag = argon2Sync('argon2id', { message: 'old', nonce, tagLength: 32, memory: 8_192, passes: 1, parallelism: 1 })
  const encoded = [nonce, tag].map(bytes => bytes.toString('base64').replaceAll('=', ''))
  const cheap = `$argon2id$v=19$m=8192,t=1,p=1$${encoded.join('$')}`
  assert.equal(await fitsPassword(cheap, 'old'), true)
  assert.equal(await fitsPassword(cheap, 'new'), false)
  assert.deepEqual([isHashedCheaply(cheap), isHashedCheaply(await hashPassword('old'))], [true, false])
})
