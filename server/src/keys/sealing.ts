// Secrets at rest: AES-256-GCM. What a sealed value belongs to is authenticated with it, so that one merchant's sealed
// key copied into another's row does not open.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const formatVersion = 1
const nonceBytes = 12
const tagBytes = 16

export interface Sealer {
  seal(text: string, belongsTo: string): Buffer
  open(sealed: Buffer, belongsTo: string): string
  /** A key of its own for another use, so that no key serves two. */
  derive(use: string): Buffer
}

/** It was sealed with another secret key, moved or altered. */
export class DoesNotOpenError extends Error {}

export function createSealer(secretKey: Buffer): Sealer {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', secretKey, '', `tillbell ${use}`, 32))
  const key = derive('sealing')
  return {
    derive,
    seal(text, belongsTo) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(belongsTo))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([formatVersion]), nonce, body, cipher.getAuthTag()])
    },
    open(sealed, belongsTo) {
      try {
        if (sealed[0] !== formatVersion) throw new Error('another format')
        const nonce = sealed.subarray(1, 1 + nonceBytes)
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
        decipher.setAAD(Buffer.from(belongsTo)).setAuthTag(sealed.subarray(-tagBytes))
        const body = sealed.subarray(1 + nonceBytes, -tagBytes)
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
      } catch {
        throw new DoesNotOpenError(`What is stored for ${belongsTo} does not open with this TILLBELL_SECRET_KEY.`)
      }
    },
  }
}
