// Credentials for an account at Braintree: whether they can be meant, by their form alone.

import { parseCurrency } from '../../core/money.ts'
import { parsedUrl } from '../../core/web-address.ts'
import { type Credentials, type GatewayWorld, isOnThisMachine, isThisService, type WrongAccount } from '../type.ts'

const idPattern = /^[A-Za-z0-9_-]{1,64}$/
const isId = (value: unknown): value is string => typeof value === 'string' && idPattern.test(value)

export function whyNotBraintree(credentials: Credentials, world: GatewayWorld): WrongAccount | null {
  const { mode } = world
  const { merchant_id, public_key, private_key, environment, merchant_accounts, api_base } = credentials
  const says = (sentence: string): WrongAccount => ({ field: 'credentials', says: sentence })
  for (const [name, value] of Object.entries({ merchant_id, public_key, private_key })) {
    if (!isId(value)) return says(`must have a ${name} as Braintree's Control Panel shows it.`)
  }
  const expected = mode === 'live' ? 'production' : 'sandbox'
  if (environment !== expected) return says(`must have the environment ${expected} in ${mode} mode.`)
  const wrong = merchant_accounts === undefined ? null : wrongMerchantAccounts(merchant_accounts)
  if (wrong !== null) return says(wrong)
  if (api_base === undefined) return null
  if (mode === 'live') return says('must not have an api_base in live mode.')
  const base = readApiBase(api_base)
  if (base === null) return says('must have an api_base such as "http://127.0.0.1:9900", or none.')
  return isThisService(base, world) ? says('must not have this service itself as its api_base.') : null
}

function wrongMerchantAccounts(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return 'must have merchant_accounts such as {"EUR": "id_of_the_merchant_account"}, or none.'
  }
  for (const [code, id] of Object.entries(value)) {
    if (parseCurrency(code) !== code) {
      // Only what can have been meant as one is repeated: nobody knows what else it is.
      const name = /^[A-Za-z]{1,10}$/.test(code) ? code : 'a name'
      return `must have merchant_accounts by currency, such as EUR: ${name} is none.`
    }
    if (!isId(id)) return `must have the id of a merchant account for ${code} in merchant_accounts.`
  }
  return null
}

export function readApiBase(value: unknown): URL | null {
  const url = typeof value === 'string' ? parsedUrl(value) : null
  if (url === null || url.protocol !== 'http:' || !isOnThisMachine(url)) return null
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  return isBare && url.password === '' ? url : null
}
