// Stripe as a type of gateway: which credentials it wants, and what is loaded when an account of it is opened.

import { parsedUrl } from '../../core/web-address.ts'
import { type Credentials, type GatewayType, type GatewayWorld, isOnThisMachine, isThisService } from '../type.ts'

interface StripeCredentials {
  readonly secretKey: string
  readonly publishableKey: string
  readonly webhookSecret: string | null
  readonly apiBase: URL | null
}

export const stripeType: GatewayType = {
  /** The publishable key goes to browsers: the page where a customer enters a card shows Stripe's own fields with it. */
  members: ['secret_key', 'publishable_key', 'webhook_secret', 'api_base'],
  whyNot(credentials, world) {
    const says = whatIsWrong(credentials, world)
    return says === null ? null : { field: 'credentials', says }
  },
  async identify(credentials, _world, signal) {
    const { identifyAccount } = await import('./identify.ts')
    return identifyAccount(read(credentials), signal)
  },
  hasNotices: true,
  async open(id, credentials, { fingerprintKey }) {
    const { openStripe } = await import('./adapter.ts')
    return openStripe({ id, fingerprintKey, ...read(credentials) })
  },
}

function whatIsWrong(credentials: Credentials, world: GatewayWorld): string | null {
  const { mode } = world
  const { secret_key, publishable_key, webhook_secret, api_base } = credentials
  const kind = mode === 'live' ? 'live' : 'test'
  const inMode = ` in ${mode} mode`
  const wrong =
    wrongKey({ secret_key }, [`sk_${kind}_`, `rk_${kind}_`], inMode) ??
    wrongKey({ publishable_key }, [`pk_${kind}_`], inMode) ??
    (webhook_secret === undefined ? null : wrongKey({ webhook_secret }, ['whsec_'], ', or none yet'))
  if (wrong !== null) return wrong
  if (api_base === undefined) return null
  if (mode === 'live') return 'must not have api_base in live mode.'
  const base = standIn(api_base)
  if (base === null) return 'must have an api_base such as "http://127.0.0.1:12111", or none.'
  return isThisService(base, world) ? 'must not have this service itself as its api_base.' : null
}

/** The one key that is named; whoever copied the dots of a page in its place reads what is wrong with them. */
function wrongKey(named: Credentials, beginnings: readonly string[], when: string): string | null {
  const [[name, key] = ['', null]] = Object.entries(named)
  const beginning = beginnings.find(each => typeof key === 'string' && key.startsWith(each))
  if (beginning === undefined) return `must have a ${name} that begins with ${beginnings.join(' or ')}${when}.`
  const isWhole = /^[A-Za-z0-9_+/=-]{1,500}$/.test(String(key).slice(beginning.length))
  return isWhole ? null : `must have a ${name} with letters, digits and _ alone after ${beginning}.`
}

/** A merchant names the address, and the secret key is sent to it: nowhere but on this machine. */
function standIn(value: unknown): URL | null {
  const url = typeof value === 'string' ? parsedUrl(value) : null
  const isPlain = url !== null && url.protocol === 'http:' && url.username === '' && `${url.origin}/` === url.href
  return isPlain && isOnThisMachine(url) ? url : null
}

function read({ secret_key, publishable_key, webhook_secret, api_base }: Credentials): StripeCredentials {
  const webhookSecret = webhook_secret === undefined ? null : String(webhook_secret)
  const keys = { secretKey: String(secret_key), publishableKey: String(publishable_key) }
  return { ...keys, webhookSecret, apiBase: standIn(api_base) }
}
