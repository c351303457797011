// A new merchant with everything it needs: key pair, API key, dashboard login, and in the sandbox a gateway. Secrets are
// in the result and nowhere else: afterwards only their hashes and sealed forms exist.

import { lowerCaseEmail } from '../core/email.ts'
import type { EndpointId, GatewayId, LetterId, MerchantId, PartnerUuid } from '../core/ids.ts'
import { defaultCurrency } from '../core/money.ts'
import { newKeyPair } from '../keys/key-pair.ts'
import { newApiKeyPair, newGatewayId, newMerchantId, secretHash } from '../keys/new-ids.ts'
import { hashPassword, newPassword } from '../keys/passwords.ts'
import type { Sealer } from '../keys/sealing.ts'
import type { Database } from '../store/database.ts'
import { insertGateway } from '../store/gateways.ts'
import { insertMerchant } from '../store/merchants.ts'

export interface MerchantSetup {
  readonly merchant: MerchantId
  readonly partner: PartnerUuid
  readonly partner_id: number
  readonly api_key: string
  readonly api_secret: string
  readonly private_key: string
  readonly public_key: string
  readonly gateway: GatewayId | null
  readonly dashboard: { readonly email: string; readonly password: string }
}

export interface SetupWorld {
  readonly sql: Database
  readonly sealer: Sealer
  readonly mode: 'sandbox' | 'live'
  readonly now: () => Date
  readonly newUuid: () => string
}

/** What sealed secrets belong to. Where there is a new one, sealed-values.ts needs to know where it is kept. */
export const belongsTo = {
  privateKey: (merchantId: MerchantId) => `private key of ${merchantId}`,
  credentials: (merchantId: MerchantId, gatewayId: GatewayId) => `credentials of ${merchantId} at ${gatewayId}`,
  hookSecret: (merchantId: MerchantId, endpointId: EndpointId) => `hook secret of ${merchantId} for ${endpointId}`,
  letter: (merchantId: MerchantId, letterId: LetterId) => `letter ${letterId} to ${merchantId}`,
  answer: (merchantId: MerchantId, operation: string, key: string) => `answer of ${merchantId} to ${operation} ${key}`,
  totp: (merchantId: MerchantId, email: string) => `second factor of ${email} at ${merchantId}`,
  lastingKey: (use: string) => `key of ${use}`,
  serviceKey: 'private key of the service',
}

export async function createMerchant(
  world: SetupWorld,
  asked: { name: string; email: string; id?: MerchantId },
): Promise<MerchantSetup> {
  const { sql, sealer } = world
  const id = asked.id ?? newMerchantId()
  const partner = world.newUuid() as PartnerUuid
  const keys = newKeyPair()
  const apiKey = newApiKeyPair()
  const password = newPassword()
  const passwordHash = await hashPassword(password)
  const gatewayId = world.mode === 'sandbox' ? newGatewayId() : null
  const createdAt = world.now()
  const email = lowerCaseEmail(asked.email)
  const partnerId = await sql.begin(async scope => {
    const number = await insertMerchant(scope, {
      id,
      partner,
      name: asked.name,
      email,
      currency: defaultCurrency,
      createdAt,
      keyId: world.newUuid(),
      publicKey: keys.publicKey,
      privateKeySealed: sealer.seal(keys.privateKey, belongsTo.privateKey(id)),
      apiKey: { key: apiKey.key, secretSha256: secretHash(apiKey.secret) },
      login: { email, passwordHash },
    })
    if (gatewayId !== null) {
      const credentialsSealed = sealer.seal('{}', belongsTo.credentials(id, gatewayId))
      const account = {
        merchantId: id,
        id: gatewayId,
        type: 'test',
        isDefault: true,
        fallback: null,
        status: 'active',
        createdAt,
      } as const
      await insertGateway(scope, { ...account, credentialsSealed, account: null })
    }
    return number
  })
  return {
    merchant: id,
    partner,
    partner_id: partnerId,
    api_key: apiKey.key,
    api_secret: apiKey.secret,
    private_key: keys.privateKey,
    public_key: keys.publicKey,
    gateway: gatewayId,
    dashboard: { email, password },
  }
}
