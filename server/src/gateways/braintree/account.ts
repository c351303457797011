// A merchant's account at Braintree: what its credentials say, and whether they can be meant.

import braintree from 'braintree'
import { type Currency, parseCurrency } from '../../core/money.ts'
import { type Credentials, type GatewayWorld, isOnThisMachine, type WrongAccount } from '../type.ts'

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

const idPattern = /^[A-Za-z0-9_-]{1,64}$/
const isId = (value: unknown): value is string => typeof value === 'string' && idPattern.test(value)

export function whyNotBraintree(credentials: Credentials, { mode }: GatewayWorld): WrongAccount | null {
  const { merchant_id, public_key, private_key, environment, merchant_accounts, api_base, ...others } = credentials
  const says = (sentence: string): WrongAccount => ({ field: 'credentials', says: sentence })
  const unknown = Object.keys(others)[0]
  if (unknown !== undefined) return says(`must not have ${unknown}.`)
  for (const [name, value] of Object.entries({ merchant_id, public_key, private_key })) {
    if (!isId(value)) return says(`must have a ${name} as Braintree's Control Panel shows it.`)
  }
  const expected = mode === 'live' ? 'production' : 'sandbox'
  if (environment !== expected) return says(`must have the environment ${expected} in ${mode} mode.`)
  if (merchant_accounts !== undefined && readMerchantAccounts(merchant_accounts) === null) {
    return says('must have merchant_accounts such as {"EUR": "id_of_the_merchant_account"}, or none.')
  }
  if (api_base === undefined) return null
  if (mode === 'live') return says('must not have an api_base in live mode.')
  return readApiBase(api_base) === null ? says('must have an api_base such as "http://127.0.0.1:9900", or none.') : null
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
    merchantAccounts: readMerchantAccounts(merchant_accounts ?? {}) ?? new Map(),
    name: `${base?.host ?? String(environment)}/${merchantId}`,
  }
}

function readMerchantAccounts(value: unknown): Map<Currency, string> | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
  const accounts = new Map<Currency, string>()
  for (const [code, id] of Object.entries(value)) {
    const currency = parseCurrency(code)
    if (currency === null || currency !== code || !isId(id)) return null
    accounts.set(currency, id)
  }
  return accounts
}

function readApiBase(value: unknown): URL | null {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url === null || url.protocol !== 'http:' || !isOnThisMachine(url)) return null
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  return isBare && url.password === '' ? url : null
}

function environmentCalled(name: unknown): braintree.Environment {
  return name === 'production' ? braintree.Environment.Production : braintree.Environment.Sandbox
}

function environmentAt({ hostname, port }: URL): braintree.Environment {
  const host = hostname.replace(/^\[|\]$/g, '')
  return new braintree.Environment(host, port === '' ? '80' : port, '', false, '', '')
}
