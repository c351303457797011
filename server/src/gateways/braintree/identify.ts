// Whose account at Braintree credentials open.

import type { Credentials, Identified } from '../type.ts'
import { readAccount } from './account.ts'
import { asUnknown } from './failures.ts'
import { openLine } from './line.ts'
import { readMerchantAccounts, wrongMerchantAccount } from './merchant-accounts.ts'

/** The list of merchant accounts is there for no keys but the merchant's, and says whether the named ones fit. */
export async function identifyAccount(credentials: Credentials, signal: AbortSignal): Promise<Identified> {
  const account = readAccount(credentials)
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
