// The secrets that the service's key shares with merchants' public keys. Everybody who has a token may ask for one to be opened, so
// each is computed once. It is computed by OpenSSL: tweetnacl's `box.before` takes eight times as long (1.1 ms and 0.13 ms), and a
// stranger who makes the cache forget a merchant with 17 keys would cost 19 ms.

import crypto, { type KeyObject } from 'node:crypto'
import nacl from 'tweetnacl'

/**
 * Tried in place of keys that are not there: an unknown partner, a merchant with one key and a merchant with two cost the same,
 * the first time and later.
 */
const standIns: readonly string[] = [newPublicKey(), newPublicKey()]

/** What RFC 8410 writes before the 32 bytes of an X25519 key. */
const privateKeyHead = Buffer.from('302e020100300506032b656e04220420', 'hex')
const publicKeyHead = Buffer.from('302a300506032b656e032100', 'hex')
/** NaCl makes a box's key of what was agreed by HSalsa20, with this constant of Salsa20. */
const sigma = Buffer.from('expand 32-byte k')
type HSalsa20 = (out: Uint8Array, input: Uint8Array, key: Uint8Array, constant: Uint8Array) => void
/** tweetnacl exports it, and its types do not say so. */
const { crypto_core_hsalsa20: hsalsa20 } = (nacl as unknown as { lowlevel: { crypto_core_hsalsa20: HSalsa20 } })
  .lowlevel

export class SharedSecrets {
  readonly #servicePrivateKey: KeyObject
  readonly #secretsMax: number
  /** By partner number, because that is what a token names; the partner whose token is longest ago comes first. */
  readonly #ofPartner = new Map<bigint, ReadonlyMap<string, Uint8Array>>()
  #count = 0

  constructor(servicePrivateKey: string, secretsMax: number) {
    const key = Buffer.concat([privateKeyHead, Buffer.from(servicePrivateKey, 'base64')])
    this.#servicePrivateKey = crypto.createPrivateKey({ key, format: 'der', type: 'pkcs8' })
    this.#secretsMax = secretsMax
  }

  /**
   * One for each key, in their order, then those of stand-ins. A key that is not named here any more, because it was marked as
   * compromised, is forgotten: in every process, whichever of them was told.
   */
  with(partnerId: bigint, publicKeys: readonly string[]): readonly Uint8Array[] {
    const before = this.#ofPartner.get(partnerId)
    const keys = [...publicKeys, ...standIns.slice(publicKeys.length)]
    const secrets = new Map(keys.map(key => [key, before?.get(key) ?? this.#compute(key)]))
    this.#forget(partnerId)
    this.#ofPartner.set(partnerId, secrets)
    this.#count += secrets.size
    for (const oldest of this.#ofPartner.keys()) {
      if (this.#count <= this.#secretsMax) break
      this.#forget(oldest)
    }
    return [...secrets.values()]
  }

  #compute(publicKey: string): Uint8Array {
    const key = Buffer.concat([publicKeyHead, Buffer.from(publicKey, 'base64')])
    const other = crypto.createPublicKey({ key, format: 'der', type: 'spki' })
    const agreed = crypto.diffieHellman({ privateKey: this.#servicePrivateKey, publicKey: other })
    const secret = new Uint8Array(32)
    hsalsa20(secret, new Uint8Array(16), agreed, sigma)
    return secret
  }

  #forget(partnerId: bigint): void {
    this.#count -= this.#ofPartner.get(partnerId)?.size ?? 0
    this.#ofPartner.delete(partnerId)
  }
}

function newPublicKey(): string {
  return Buffer.from(nacl.box.keyPair().publicKey).toString('base64')
}
