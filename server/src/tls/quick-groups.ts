// The groups of a key exchange that cost us little. OpenSSL would also take P-521, which costs nine times as much as X25519, and nothing to
// a client that replays its first message: three hundred of those in a second stopped all payments. All browsers and mail servers of today
// know one of these.

import { createSecureContext } from 'node:tls'

const withKem = 'X25519MLKEM768:X25519:prime256v1'

/** Releases of Node 24 with an older OpenSSL do not know the first, which no quantum computer can read later. */
export const quickGroups = isKnown(withKem) ? withKem : 'X25519:prime256v1'

function isKnown(ecdhCurve: string): boolean {
  try {
    createSecureContext({ ecdhCurve })
    return true
  } catch {
    return false
  }
}
