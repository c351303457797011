// Tokens as the interface's older clients for Ruby and PHP write them: byte by byte, after the grammar alone.

import nacl from 'tweetnacl'

export interface OlderToken {
  /** `email<…>`, `card<…>` or `url<…>`; with `:group`, where one is wanted. */
  readonly target: string
  readonly amount?: number
  readonly expiresS?: number
  /** As it is written behind the last slash; null: neither is there. */
  readonly userData?: string | Buffer | null
  readonly version?: bigint
}

export interface OlderKeys {
  readonly privateKey: string
  readonly servicePublicKey: string
  readonly partnerId: number
}

const urlSafe = (bytes: Buffer) => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_')

export function olderToken(keys: OlderKeys, asked: OlderToken): string {
  const { target, amount = 20.55, expiresS = 2_000_000_000, userData = '', version } = asked
  const numbers = Buffer.alloc(8)
  numbers.writeFloatBE(amount, 0)
  numbers.writeInt32BE(expiresS, 4)
  const rest = userData === null ? [] : [Buffer.from('/'), Buffer.from(userData)]
  const plain = Buffer.concat([Buffer.from(`${target}/`), numbers, ...rest])
  const nonce = Buffer.from(nacl.randomBytes(24))
  const key = (text: string) => Buffer.from(text, 'base64')
  const box = Buffer.from(nacl.box(plain, nonce, key(keys.servicePublicKey), key(keys.privateKey)))
  const partner = Buffer.alloc(8)
  partner.writeBigUInt64BE(BigInt(keys.partnerId))
  const versionBytes = Buffer.alloc(8)
  versionBytes.writeBigUInt64BE(version ?? 0n)
  const head = version === undefined ? '' : `${urlSafe(versionBytes)}~`
  return `@${head}${urlSafe(Buffer.concat([nonce, partner, box]))}@`
}
