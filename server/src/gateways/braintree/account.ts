// A merchant's account at Braintree: what its credentials say.

import braintree from 'braintree'
import type { Currency } from '../../core/money.ts'
import type { Credentials } from '../type.ts'
import { readApiBase } from './credentials.ts'

export interface BraintreeAccount {
  readonly environment: braintree.Environment
  readonly isSecure: boolean
  readonly merchantId: string
  readonly publicKey: string
  readonly privateKey: string
  /** Braintree settles one currency per merchant account; a currency that is not named here goes to the default one. */
  readonly merchantAccounts: ReadonlyMap<Currency, string>
  /** Where cards and charges live. */
  readonly name: string
}

/** Of credentials that were found to be right. */
export function readAccount(credentials: Credentials): BraintreeAccount {
  const { merchant_id, public_key, private_key, environment, merchant_accounts, api_base } = credentials
  const base = api_base === undefined ? null : readApiBase(api_base)
  const merchantId = String(merchant_id)
  return {
    environment: base === null ? environmentCalled(environment) : environmentAt(base),
    isSecure: base === null,
    merchantId,
    publicKey: String(public_key),
    privateKey: String(private_key),
    merchantAccounts: new Map(Object.entries(merchant_accounts ?? {}) as [Currency, string][]),
    name: `${base?.host ?? String(environment)}/${merchantId}`,
  }
}

function environmentCalled(name: unknown): braintree.Environment {
  return name === 'production' ? braintree.Environment.Production : braintree.Environment.Sandbox
}

function environmentAt({ hostname, port }: URL): braintree.Environment {
  const host = hostname.replace(/^\[|\]$/g, '')
  return new braintree.Environment(host, port === '' ? '80' : port, '', false, '', '')
}
