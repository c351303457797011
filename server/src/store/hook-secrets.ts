// The Standard Webhooks secrets of an endpoint, sealed: one that signs, and replaced ones that sign beside it for a while.

import { secretOverlapMs, secretsMax } from '../core/hook-endpoint.ts'
import type { EndpointId, MerchantId } from '../core/ids.ts'
import type { Scope } from './database.ts'

export interface NewSecret {
  readonly merchantId: MerchantId
  readonly id: string
  readonly endpointId: EndpointId
  readonly secretSealed: Buffer
  readonly createdAt: Date
}

export async function insertSecret(scope: Scope, secret: NewSecret): Promise<void> {
  await scope`insert into hook_secret ${scope({ ...secret })}`
}

/** Of an endpoint that is locked. The one that signed goes on for its time; those whose time is over go. */
export async function replaceSecret(scope: Scope, secret: NewSecret): Promise<'replaced' | 'too many'> {
  const { merchantId, endpointId, createdAt: now } = secret
  await scope`delete from hook_secret
    where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and signs_until <= ${now}`
  const { count } = await scope`select from hook_secret
    where merchant_id = ${merchantId} and endpoint_id = ${endpointId}`
  if (count >= secretsMax) return 'too many'
  await scope`update hook_secret set signs_until = ${new Date(now.getTime() + secretOverlapMs)}
    where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and signs_until is null`
  await insertSecret(scope, secret)
  return 'replaced'
}

/** An endpoint that signs with none any more keeps none. */
export async function destroySecrets(scope: Scope, merchantId: MerchantId, endpointId: EndpointId): Promise<void> {
  await scope`delete from hook_secret where merchant_id = ${merchantId} and endpoint_id = ${endpointId}`
}
