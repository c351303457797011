// Fresh ids and secrets. Chance enters the service here.

import { createHash, randomBytes, randomFillSync, timingSafeEqual } from 'node:crypto'
import { type CheckoutSecret, checkoutSecret } from '../core/checkout.ts'
import type { ApiKeyId, CardToken, GatewayId, MerchantId, OfferId } from '../core/ids.ts'

/** UUID version 7: sorts by its time, and by its order of making within one process and millisecond. */
export function uuidMaker(now: () => Date): () => string {
  let lastMs = 0
  let sequence = 0
  return () => {
    const nowMs = now().getTime()
    sequence = nowMs <= lastMs ? sequence + 1 : 0
    lastMs = Math.max(nowMs, lastMs)
    if (sequence > 0xfff) {
      lastMs += 1
      sequence = 0
    }
    return formatUuid(lastMs, sequence, nextRandom())
  }
}

/** Asking for a few bytes costs as much as asking for many. */
const randomPool = Buffer.alloc(8_192)
let randomAt = randomPool.length

function nextRandom(): Buffer {
  if (randomAt === randomPool.length) {
    randomFillSync(randomPool)
    randomAt = 0
  }
  randomAt += 8
  return randomPool.subarray(randomAt - 8, randomAt)
}

function formatUuid(atMs: number, sequence: number, random: Buffer): string {
  const time = atMs.toString(16).padStart(12, '0')
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80
  const tail = random.toString('hex')
  const versionAndSequence = (0x7000 | sequence).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-${versionAndSequence}-${tail.slice(0, 4)}-${tail.slice(4)}`
}

export function newMerchantId(): MerchantId {
  return `m_${randomBytes(16).toString('base64url')}` as MerchantId
}

export function newGatewayId(): GatewayId {
  return `gw_${randomBytes(16).toString('base64url')}` as GatewayId
}

export function newCardToken(): CardToken {
  return randomBytes(18).toString('base64url') as CardToken
}

/** In an address: who knows it opens the demo merchant's hook inbox. */
export function newInboxKey(): string {
  return randomBytes(32).toString('base64url')
}

/** In a form and a cookie: who knows it goes on with a customer's checkout. */
export function newCheckoutSecret(now: Date): CheckoutSecret {
  return checkoutSecret(now, randomBytes(32).toString('base64url'))
}

/** In an address: who knows it enters a card for a customer. */
export function newCardLinkSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** In a mailed address: who knows it has proven that mail to them arrives. */
export function newProofSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** In a cookie, or in a mailed address of the dashboard: who knows it is signed in, or sets a password. */
export function newConsoleSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What marks a page's own script and style, in one answer. */
export function newNonce(): string {
  return randomBytes(16).toString('base64url')
}

export interface ApiKeyPair {
  readonly key: ApiKeyId
  readonly secret: string
}

export function newApiKeyPair(): ApiKeyPair {
  const text = () => randomBytes(32).toString('base64url')
  return { key: `pk_${text()}` as ApiKeyId, secret: `sk_${text()}` }
}

/** As the Standard Webhooks specification writes one. */
export function newHookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** How a checkout is known: at another offer the same secret is another one. */
export function checkoutHash(offerId: OfferId, secret: CheckoutSecret): Buffer {
  return secretHash(`${offerId} ${secret}`)
}

/** Random text of 32 bytes needs no slow hash. */
export function secretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

export function sameHash(a: Buffer, b: Buffer): boolean {
  return timingSafeEqual(a, b)
}
