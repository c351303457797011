import assert from 'node:assert/strict'
import { test } from 'node:test'
import nacl from 'tweetnacl'
import { newKeyPair } from './key-pair.ts'

test('a key pair is 32 bytes each in base64, fits together, and is fresh each time', () => {
  const one = newKeyPair()
  const secret = Buffer.from(one.privateKey, 'base64')
  assert.deepEqual([secret.length, Buffer.from(one.publicKey, 'base64').length], [32, 32])
  assert.equal(Buffer.from(nacl.box.keyPair.fromSecretKey(secret).publicKey).toString('base64'), one.publicKey)
  assert.notEqual(one.privateKey, newKeyPair().privateKey)
})
