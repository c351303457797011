// TLS over an open connection, with the other side's certificate verified.

import { constants } from 'node:crypto'
import { isIP, type Socket } from 'node:net'
import tls, { type SecureContext } from 'node:tls'
import { type Share, tooMuchComputing } from './computing-shares.ts'
import { type Limit, leftMs, textOf } from './limit.ts'
import { MeteredSocket } from './metered-socket.ts'
import type { Opened } from './open-tcp.ts'

/** Without the exchange of keys in which the other side chooses numbers so large that one takes a second to compute. */
const ciphers = `${tls.DEFAULT_CIPHERS}:!DHE`

/** Made once: reading the roots costs more than a handshake. `ca` is trusted beside them. */
export function trustRoots(ca: string | undefined): SecureContext {
  const roots = ca === undefined ? {} : { ca: [...tls.getCACertificates('default'), ca] }
  // Without a second handshake on the same connection, which would be as costly as the first.
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION
  return tls.createSecureContext({ minVersion: 'TLSv1.2', ciphers, secureOptions, ...roots })
}

export interface Secured {
  /** The name or the address that the certificate must be for. A name is also sent (SNI), an address is not. */
  readonly host: string
  readonly secureContext: SecureContext
  readonly limit: Limit
  /** Of whoever chose the other side; null: the operator did. */
  readonly share: Share | null
}

export function secure(plain: Socket, { host, secureContext, limit, share }: Secured): Promise<Opened> {
  if (share?.isCut === true) {
    plain.destroy()
    return Promise.resolve({ reason: tooMuchComputing })
  }
  const { promise, resolve } = Promise.withResolvers<Opened>()
  const socket = share === null ? plain : new MeteredSocket(plain, share)
  const name = isIP(host) === 0 ? { servername: host.replace(/\.$/, '') } : {}
  // `rejectUnauthorized` is said although it is the default: an environment variable can turn the default off.
  const secured = tls.connect({ socket, secureContext, host, ...name, rejectUnauthorized: true })
  const fail = (reason: string) => {
    clearTimeout(timer)
    secured.destroy()
    socket.destroy()
    resolve({ reason })
  }
  const timer = setTimeout(fail, leftMs(limit), `No TLS connection ${textOf(limit)}.`)
  secured.on('error', error => fail(reasonOf(error)))
  const failClosed = () => fail(broke)
  if (share !== null) share.onCut = () => fail(tooMuchComputing)
  secured.once('close', failClosed)
  secured.once('secureConnect', () => {
    clearTimeout(timer)
    secured.off('close', failClosed)
    resolve({ socket: secured })
  })
  return promise
}

/** Also after the handshake. */
export const tooMuchTls =
  'The other side sent too much by TLS: more bytes, small records or handshakes than a request needs.'
const broke = 'The connection broke during the TLS handshake.'
const untrusted = 'The TLS certificate is not from an issuer that is trusted.'

const reasons: { readonly [code: string]: string } = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'The TLS certificate is for another name.',
  CERT_HAS_EXPIRED: 'The TLS certificate has expired.',
  CERT_NOT_YET_VALID: 'The TLS certificate is not valid yet.',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  TOO_MANY_BYTES: tooMuchTls,
  ECONNRESET: broke,
  EPIPE: broke,
}

function reasonOf({ code = 'unknown' }: NodeJS.ErrnoException): string {
  return reasons[code] ?? `The TLS handshake failed (${code}).`
}

export const isTooMuchTls = ({ code }: NodeJS.ErrnoException) => code === 'TOO_MANY_BYTES'
