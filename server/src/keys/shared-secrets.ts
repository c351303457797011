// The secrets that the service's key shares with merchants' public keys. To compute one (an X25519 scalar multiplication in
// JavaScript) costs thirty times as much as to open a box with it, and everybody who has a token may ask for one to be opened.

import nacl from 'tweetnacl'

/**
 * Tried in place of keys that are not there: an unknown partner, a merchant with one key and a merchant with two cost the same,
 * the first time and later.
 */
const standIns: readonly string[] = [newPublicKey(), newPublicKey()]

export class SharedSecrets {
  readonly #servicePrivateKey: Uint8Array
  readonly #secretsMax: number
  /** By partner number, because that is what a token names; the partner whose token is longest ago comes first. */
  readonly #ofPartner = new Map<bigint, ReadonlyMap<string, Uint8Array>>()
  #count = 0

  constructor(servicePrivateKey: string, secretsMax: number) {
    this.#servicePrivateKey = Buffer.from(servicePrivateKey, 'base64')
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
    return nacl.box.before(Buffer.from(publicKey, 'base64'), this.#servicePrivateKey)
  }

  #forget(partnerId: bigint): void {
    this.#count -= this.#ofPartner.get(partnerId)?.size ?? 0
    this.#ofPartner.delete(partnerId)
  }
}

function newPublicKey(): string {
  return Buffer.from(nacl.box.keyPair().publicKey).toString('base64')
}
