// Dashboard passwords: argon2id, in the usual encoded form so that its costs can be raised later.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const cost = { memory: 19_456, passes: 2, parallelism: 1 }

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await promisify(argon2)('argon2id', { message: password, nonce, tagLength: 32, ...cost })
  const encoded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encoded(nonce)}$${encoded(tag)}`
}

const encodedForm = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** With the costs that it was hashed with. */
export async function fitsPassword(passwordHash: string, given: string): Promise<boolean> {
  const [, memory, passes, parallelism, nonce, tag] = encodedForm.exec(passwordHash) ?? []
  if (nonce === undefined || tag === undefined) throw new Error('a password has no hash that can be read')
  const known = Buffer.from(tag, 'base64')
  const costs = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const work = { message: given, nonce: Buffer.from(nonce, 'base64'), tagLength: known.length, ...costs }
  return timingSafeEqual(await promisify(argon2)('argon2id', work), known)
}

/** Hashed when less was asked of a hash than now. */
export function isHashedCheaply(passwordHash: string): boolean {
  const [, memory, passes] = encodedForm.exec(passwordHash) ?? []
  return Number(memory) < cost.memory || Number(passes) < cost.passes
}

export function newPassword(): string {
  return randomBytes(15).toString('base64url')
}
