// To whom each sealed value of a place belongs: what is authenticated with it.

import type { EndpointId, GatewayId, LetterId, MerchantId } from './core/ids.ts'
import { belongsTo } from './setup/merchant.ts'
import type { PlaceName } from './store/sealed-values.ts'
import { serviceKeySetting } from './store/settings.ts'

/** By the columns that sealed-values.ts reads. */
export const sealedOwners: { readonly [place in PlaceName]: (...row: string[]) => string } = {
  'merchant_key.private_key_sealed': merchant => belongsTo.privateKey(merchant as MerchantId),
  'gateway.credentials_sealed': (merchant, id) => belongsTo.credentials(merchant as MerchantId, id as GatewayId),
  'hook_secret.secret_sealed': (merchant, _, endpoint) =>
    belongsTo.hookSecret(merchant as MerchantId, endpoint as EndpointId),
  'login.totp_sealed': (merchant, email = '') => belongsTo.totp(merchant as MerchantId, email),
  'letter.raw_sealed': (merchant, id) => belongsTo.letter(merchant as MerchantId, id as LetterId),
  'idempotency_key.answer': (merchant, operation = '', key = '') =>
    belongsTo.answer(merchant as MerchantId, operation, key),
  // The name of a lasting key's setting is what it belongs to.
  'setting.value': (name = '') => (name === serviceKeySetting ? belongsTo.serviceKey : name),
}
