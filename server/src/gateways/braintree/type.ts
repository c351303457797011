// Braintree, as a kind of gateway.

import type { GatewayType, Identified } from '../type.ts'
import { type BraintreeAccount, readAccount, whyNotBraintree } from './account.ts'
import { openBraintree } from './adapter.ts'
import { asUnknown } from './failures.ts'
import { openLine } from './line.ts'
import { readMerchantAccounts, wrongMerchantAccount } from './merchant-accounts.ts'

export const braintreeType: GatewayType = {
  whyNot: whyNotBraintree,
  identify: (credentials, _world, signal) => identify(readAccount(credentials), signal),
  hasNotices: false,
  open: (_id, credentials, { fingerprintKey }) => openBraintree(readAccount(credentials), fingerprintKey),
}

/** The list of merchant accounts is there for no keys but the merchant's, and says whether the named ones fit. */
async function identify(account: BraintreeAccount, signal: AbortSignal): Promise<Identified> {
  const known = await readMerchantAccounts(openLine(account, signal))
  if (!('kind' in known)) {
    const wrong = wrongMerchantAccount(account, known)
    return wrong === null ? { kind: 'account', account: account.name } : { kind: 'refused', says: wrong }
  }
  if (known.kind === 'not_found') return { kind: 'refused', says: 'name a merchant_id that Braintree does not know.' }
  if (known.kind === 'not_sent' && known.code === 'gateway_credentials_refused') {
    return { kind: 'refused', says: 'are not accepted by Braintree: check the keys, their environment and their role.' }
  }
  return { kind: 'unknown', sentence: asUnknown(known).cause }
}
