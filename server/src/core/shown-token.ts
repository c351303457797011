// A token as its merchant is shown it, by REST and at the command line.

import { isWhollyCardNumber, maskCardNumbers } from './card-number.ts'
import type { Json } from './offer.ts'
import { isoTime } from './sale.ts'
import type { InspectedToken } from './token.ts'

export function inspectionView(inspected: InspectedToken): { [name: string]: Json } {
  const { state, reason, keyId, says, offerId, revokedAt } = inspected
  const expiresAt = says?.expiresAt ?? null
  return {
    state,
    reason: masked(reason),
    private_key: keyId,
    authorization_only: says?.authorizationOnly ?? null,
    target: says === null ? null : masked({ ...says.target }),
    group: masked(says?.group ?? null),
    amount: says?.amount ?? null,
    currency: says?.currency ?? null,
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
    user_data: says === null ? null : masked({ ...says.userData }),
    offer: offerId,
    revoked_at: revokedAt === null ? null : isoTime(revokedAt),
  }
}

/** A token that does not open may hold what no offer may. */
function masked(value: Json): Json {
  if (typeof value === 'string') return maskCardNumbers(value)
  if (typeof value === 'number') return isWhollyCardNumber(String(value)) ? maskCardNumbers(String(value)) : value
  if (Array.isArray(value)) return value.map(masked)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [maskCardNumbers(name), masked(inner)]))
}
