// Dashboard passwords: argon2id, in the usual encoded form so that its costs can be raised later.

import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

const cost = { memory: 19_456, passes: 2, parallelism: 1 }

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await promisify(argon2)('argon2id', { message: password, nonce, tagLength: 32, ...cost })
  const encoded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encoded(nonce)}$${encoded(tag)}`
}

export function newPassword(): string {
  return randomBytes(15).toString('base64url')
}
