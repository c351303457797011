// Braintree, as a kind of gateway.

import type { GatewayType } from '../type.ts'
import { whyNotBraintree } from './credentials.ts'

export const braintreeType: GatewayType = {
  members: ['merchant_id', 'public_key', 'private_key', 'environment', 'merchant_accounts', 'api_base'],
  whyNot: whyNotBraintree,
  async identify(credentials, _world, signal) {
    const { identifyAccount } = await import('./identify.ts')
    return identifyAccount(credentials, signal)
  },
  hasNotices: false,
  async open(_id, credentials, { fingerprintKey }) {
    const { readAccount } = await import('./account.ts')
    const { openBraintree } = await import('./adapter.ts')
    return openBraintree(readAccount(credentials), fingerprintKey)
  },
}
