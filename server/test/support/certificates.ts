// Certificates for tests, made when they are needed: no tool to install, and nothing in the repository that expires.

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

export interface Certificate {
  /** PEM. */
  readonly cert: string
  readonly key: string
}

export interface Authority extends Certificate {
  /** For a host's name or IPv4 address; good for an hour unless told otherwise. */
  issue(host: string, validity?: Validity, key?: 'P-256' | 'RSA'): Certificate
}

export interface Validity {
  readonly from: Date
  readonly to: Date
}

const hourMs = 3_600_000

/** It was good until yesterday. */
export function expired(): Validity {
  return { from: new Date(Date.now() - 48 * hourMs), to: new Date(Date.now() - 24 * hourMs) }
}

export function createAuthority(name: string): Authority {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const validity = { from: new Date(Date.now() - 1_000 * hourMs), to: new Date(Date.now() + hourMs) }
  const isAuthority = extension('551d13', true, sequence(Buffer.from('0101ff', 'hex')))
  const own = certificate(
    { issuer: name, subject: name, validity, of: pair.publicKey, by: pair.privateKey },
    isAuthority,
  )
  return {
    ...asPem(own, pair.privateKey),
    issue(host, given = validity, key = 'P-256') {
      const { publicKey, privateKey } =
        key === 'RSA'
          ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
          : generateKeyPairSync('ec', { namedCurve: key })
      const facts = { issuer: name, subject: host, validity: given, of: publicKey, by: pair.privateKey }
      return asPem(certificate(facts, extension('551d11', false, sequence(alternativeName(host)))), privateKey)
    },
  }
}

/**
 * A certificate, and as many above it as OpenSSL follows, none of which anybody trusts: their curve is the one whose signatures take
 * longest to verify.
 */
export function costlyChain(host: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'sect571r1' })
  const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const validity = { from: new Date(Date.now() - hourMs), to: new Date(Date.now() + hourMs) }
  const isAuthority = extension('551d13', true, sequence(Buffer.from('0101ff', 'hex')))
  const above = Array.from({ length: 96 }, (_, level) => {
    const facts = { issuer: `Level ${level + 1}`, subject: `Level ${level}`, validity, of: publicKey, by: privateKey }
    return asPem(certificate(facts, isAuthority), privateKey).cert
  })
  const facts = { issuer: 'Level 0', subject: host, validity, of: leaf.publicKey, by: privateKey }
  const own = asPem(certificate(facts, extension('551d11', false, sequence(alternativeName(host)))), leaf.privateKey)
  return { cert: [own.cert, ...above].join(''), key: own.key }
}

interface Facts {
  readonly issuer: string
  readonly subject: string
  readonly validity: Validity
  readonly of: KeyObject
  readonly by: KeyObject
}

function certificate({ issuer, subject, validity, of, by }: Facts, more: Buffer): Buffer {
  const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'))
  const toBeSigned = sequence(
    tagged(0xa0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    commonName(issuer),
    sequence(time(validity.from), time(validity.to)),
    commonName(subject),
    of.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(more)),
  )
  const signature = sign('sha256', toBeSigned, by)
  return sequence(toBeSigned, ecdsaWithSha256, tagged(0x03, Buffer.from([0]), signature))
}

function asPem(der: Buffer, key: KeyObject): Certificate {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: String(key.export({ type: 'pkcs8', format: 'pem' })),
  }
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  const mark = critical ? [Buffer.from('0101ff', 'hex')] : []
  return sequence(objectId(id), ...mark, tagged(0x04, value))
}

function alternativeName(host: string): Buffer {
  return isIP(host) === 4 ? tagged(0x87, Buffer.from(host.split('.').map(Number))) : tagged(0x82, Buffer.from(host))
}

function commonName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(objectId('550403'), tagged(0x0c, Buffer.from(name)))))
}

function time(at: Date): Buffer {
  return tagged(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`))
}

function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'))
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes)
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, ...parts)
}

/** DER: a tag, the length, the content. */
function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content])
  const size = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
