// Secrets at rest: AES-256-GCM. What a sealed value belongs to is authenticated with it, so that one merchant's sealed
// key copied into another's row does not open.
//
// There may be several secret keys, while one takes the place of another: the first seals, each opens. A sealed value does not say
// which key it was sealed with: each is tried, which costs a microsecond, and processes of before there were several read it too.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const formatVersion = 1
const nonceBytes = 12
const tagBytes = 16

export interface Sealer {
  /** What each key is called where it must not be shown, the one that seals first. */
  readonly keyNames: readonly string[]
  seal(text: string, belongsTo: string): Buffer
  open(sealed: Buffer, belongsTo: string): string
  /** By which key it opens, as a place in `keyNames`. Null: by none. */
  openedBy(sealed: Buffer, belongsTo: string): Opened | null
  /** Keys of their own for another use, so that no key serves two: one of each secret key. */
  derive(use: string): Derived
}

export interface Opened {
  readonly text: string
  readonly by: number
}

/** The first makes what the others accept as well. */
export type Derived = readonly [Buffer, ...Buffer[]]

/** It was sealed with another secret key, moved or altered. */
export class DoesNotOpenError extends Error {}

export type SecretKeys = readonly [Buffer, ...Buffer[]]

export function createSealer(secretKeys: SecretKeys): Sealer {
  const derive = (use: string): Derived => {
    const [first, ...others] = secretKeys
    const of = (key: Buffer) => Buffer.from(hkdfSync('sha256', key, '', `tillbell ${use}`, 32))
    return [of(first), ...others.map(of)]
  }
  const sealing = derive('sealing')
  const openedBy = (sealed: Buffer, belongsTo: string): Opened | null => {
    for (const [by, key] of sealing.entries()) {
      const text = openWith(key, sealed, belongsTo)
      if (text !== null) return { text, by }
    }
    return null
  }
  return {
    keyNames: derive('name of the key').map(name => name.toString('hex').slice(0, 8)),
    derive,
    openedBy,
    seal(text, belongsTo) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', sealing[0], nonce).setAAD(Buffer.from(belongsTo))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([formatVersion]), nonce, body, cipher.getAuthTag()])
    },
    open(sealed, belongsTo) {
      const opened = openedBy(sealed, belongsTo)
      if (opened !== null) return opened.text
      throw new DoesNotOpenError(`What is stored for ${belongsTo} does not open with this TILLBELL_SECRET_KEY.`)
    },
  }
}

function openWith(key: Buffer, sealed: Buffer, belongsTo: string): string | null {
  if (sealed[0] !== formatVersion) return null
  const nonce = sealed.subarray(1, 1 + nonceBytes)
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(belongsTo)).setAuthTag(sealed.subarray(-tagBytes))
    const body = sealed.subarray(1 + nonceBytes, -tagBytes)
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
