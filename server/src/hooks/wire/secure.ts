// TLS over an open connection, with the other side's certificate verified.

import { isIP, type Socket } from 'node:net'
import tls, { type SecureContext } from 'node:tls'
import { type Limit, leftMs, textOf } from './limit.ts'
import type { Opened } from './open-tcp.ts'

/** Made once: reading the roots costs more than a handshake. `ca` is trusted beside them. */
export function trustRoots(ca: string | undefined): SecureContext {
  const minVersion = 'TLSv1.2'
  if (ca === undefined) return tls.createSecureContext({ minVersion })
  return tls.createSecureContext({ minVersion, ca: [...tls.getCACertificates('default'), ca] })
}

/** `host` is the name or the address that the certificate must be for. A name is also sent (SNI), an address is not. */
export function secure(socket: Socket, host: string, secureContext: SecureContext, limit: Limit): Promise<Opened> {
  const { promise, resolve } = Promise.withResolvers<Opened>()
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
  secured.once('close', failClosed)
  secured.once('secureConnect', () => {
    clearTimeout(timer)
    secured.off('close', failClosed)
    resolve({ socket: secured })
  })
  return promise
}

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
  ECONNRESET: broke,
  EPIPE: broke,
}

function reasonOf({ code = 'unknown' }: NodeJS.ErrnoException): string {
  return reasons[code] ?? `The TLS handshake failed (${code}).`
}
