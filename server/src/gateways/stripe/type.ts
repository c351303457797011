// Stripe as a type of gateway: which credentials it wants, and whose account they open.

import { type Credentials, type GatewayType, type GatewayWorld, type Identified, isOnThisMachine } from '../type.ts'
import { openStripe } from './adapter.ts'
import { type Caller, createCaller } from './client.ts'
import { nameOf } from './refund.ts'

interface StripeCredentials {
  readonly secretKey: string
  readonly publishableKey: string
  readonly webhookSecret: string | null
  readonly apiBase: URL | null
}

export const stripeType: GatewayType = {
  whyNot(credentials, world) {
    const says = whatIsWrong(credentials, world)
    return says === null ? null : { field: 'credentials', says }
  },
  async identify(credentials, _world, signal) {
    const caller = createCaller(read(credentials))
    try {
      return await accountOf(caller, signal)
    } finally {
      caller.close()
    }
  },
  hasNotices: true,
  open(id, credentials, { fingerprintKey }) {
    return openStripe({ id, fingerprintKey, ...read(credentials) })
  },
}

/** The publishable key charges nothing; the page shows Stripe's card fields with it. */
const members = ['secret_key', 'publishable_key', 'webhook_secret', 'api_base']

function whatIsWrong(credentials: Credentials, { mode }: GatewayWorld): string | null {
  const unknown = Object.keys(credentials).find(name => !members.includes(name))
  if (unknown !== undefined) return `must not have ${unknown}.`
  const { secret_key, publishable_key, webhook_secret, api_base } = credentials
  const kind = mode === 'live' ? 'live' : 'test'
  if (!isKey(secret_key, `(sk|rk)_${kind}`)) {
    return `must have a secret_key that begins with sk_${kind}_ or rk_${kind}_ in ${mode} mode.`
  }
  if (!isKey(publishable_key, `pk_${kind}`)) {
    return `must have a publishable_key that begins with pk_${kind}_ in ${mode} mode.`
  }
  if (webhook_secret !== undefined && !isKey(webhook_secret, 'whsec')) {
    return 'must have a webhook_secret that begins with whsec_, or none yet.'
  }
  if (api_base === undefined) return null
  if (mode === 'live') return 'must not have api_base in live mode.'
  return standIn(api_base) === null ? 'must have an api_base such as "http://127.0.0.1:12111", or none.' : null
}

function isKey(value: unknown, beginning: string): boolean {
  return typeof value === 'string' && new RegExp(`^${beginning}_[A-Za-z0-9_+/=-]{1,500}$`).test(value)
}

/** A merchant names the address, and the secret key is sent to it: nowhere but on this machine. */
function standIn(value: unknown): URL | null {
  const url = typeof value === 'string' ? URL.parse(value) : null
  const isPlain = url !== null && url.protocol === 'http:' && url.username === '' && `${url.origin}/` === url.href
  return isPlain && isOnThisMachine(url) ? url : null
}

function read({ secret_key, publishable_key, webhook_secret, api_base }: Credentials): StripeCredentials {
  const webhookSecret = webhook_secret === undefined ? null : String(webhook_secret)
  const keys = { secretKey: String(secret_key), publishableKey: String(publishable_key) }
  return { ...keys, webhookSecret, apiBase: standIn(api_base) }
}

async function accountOf(caller: Caller, signal: AbortSignal): Promise<Identified> {
  const called = await caller.call(stripe => stripe.accounts.retrieveCurrent(), signal)
  const account = called.kind === 'ok' ? nameOf(called.value) : null
  if (account !== null && /^acct_\w+$/.test(account)) return { kind: 'account', account }
  if (called.kind === 'refused' && called.status === 401) {
    return { kind: 'refused', says: 'are not accepted by Stripe.' }
  }
  if (called.kind === 'refused' && called.status === 403) {
    return { kind: 'unknown', sentence: 'The secret key may not read its own account at Stripe: allow it to.' }
  }
  return { kind: 'unknown', sentence: 'Stripe could not be asked whose account it is.' }
}
