// The token that stands for an offer in a mail:
//
//   "@" [ base64url(uint64 version) "~" ] base64url( nonce[24] | uint64 partner_id | box ) "@"
//   box = NaCl box from the merchant's key pair to the service's public key, of
//         target ":" group "/" float32 amount int32 expires "/" user_data
//
// Numbers are big-endian, base64url keeps its padding.

import nacl from 'tweetnacl'

export interface OfferToken {
  readonly target: { readonly url: string } | { readonly email: string } | { readonly card: string }
  readonly group: string
  readonly amount: number
  readonly expiresS: number
  readonly authorizationOnly: boolean
  readonly userData: { readonly [name: string]: unknown }
}

export interface TokenKeys {
  readonly partnerId: number
  readonly merchantPrivateKey: string
  readonly servicePublicKey: string
}

/** A float32 cannot hold the cents of a larger amount. */
export const tokenAmountMax = 100_000
export const neverExpiresS = 2_147_483_647
const authorizeOnlyVersion = 2n

export function sealOfferToken(token: OfferToken, keys: TokenKeys, nonce: Uint8Array = nacl.randomBytes(24)): string {
  const box = nacl.box(
    tokenBytes(token),
    nonce,
    Buffer.from(keys.servicePublicKey, 'base64'),
    Buffer.from(keys.merchantPrivateKey, 'base64'),
  )
  const body = Buffer.concat([nonce, uint64(BigInt(keys.partnerId)), box])
  const version = token.authorizationOnly ? `${paddedBase64Url(uint64(authorizeOnlyVersion))}~` : ''
  return `@${version}${paddedBase64Url(body)}@`
}

function tokenBytes({ target, group, amount, expiresS, userData }: OfferToken): Uint8Array {
  const [name, value] = Object.entries(target)[0] ?? []
  const numbers = Buffer.alloc(8)
  numbers.writeFloatBE(amount, 0)
  numbers.writeInt32BE(expiresS, 4)
  const head = Buffer.from(`${name}<${value}>:${group}/`, 'utf8')
  return Buffer.concat([head, numbers, Buffer.from(`/${JSON.stringify(userData)}`, 'utf8')])
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

function paddedBase64Url(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_')
}
