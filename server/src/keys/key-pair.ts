// X25519 pairs, as base64 text. A merchant's Private Key is used as its text, exactly as shown, to sign hooks.

import nacl from 'tweetnacl'

export interface KeyPair {
  readonly publicKey: string
  readonly privateKey: string
}

export function newKeyPair(): KeyPair {
  const { publicKey, secretKey } = nacl.box.keyPair()
  return { publicKey: Buffer.from(publicKey).toString('base64'), privateKey: Buffer.from(secretKey).toString('base64') }
}
