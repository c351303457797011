// Joins the console's API keys and Private Keys to the database.

import { type ApiKeyPorts, apiKeysMax, type MakeKey } from './console/api-keys.ts'
import type { PrivateKeyPorts } from './console/private-keys.ts'
import type { SessionPorts } from './console/session.ts'
import type { MerchantId } from './core/ids.ts'
import { deletePrivateKey } from './delete-private-key.ts'
import type { Foundation } from './foundation.ts'
import { newKeyPair } from './keys/key-pair.ts'
import { newApiKeyPair, secretHash } from './keys/new-ids.ts'
import { answerSealer } from './sealed-answers.ts'
import { belongsTo } from './setup/merchant.ts'
import { countApiKeys, listApiKeys, revokeOwnApiKey } from './store/api-keys.ts'
import type { Scope } from './store/database.ts'
import { doOnce } from './store/keyed-requests.ts'
import { insertNextKey, listKeys, makeKeyCurrent } from './store/merchant-keys.ts'
import { insertApiKey } from './store/merchants.ts'
import { findPrivateKey } from './store/signing.ts'

export function consoleKeyPorts(
  foundation: Foundation,
  { signIn }: Pick<SessionPorts, 'signIn'>,
): ApiKeyPorts & PrivateKeyPorts {
  return {
    apiKeys: apiKeyPorts(foundation),
    privateKeys: privateKeyPorts(foundation),
    reenter: (who, given) => signIn.confirm(who, given),
  }
}

function apiKeyPorts(foundation: Foundation): ApiKeyPorts['apiKeys'] {
  const { sql, sealer, clock } = foundation
  return {
    list: merchantId => listApiKeys(sql, merchantId),
    async doOnce(merchantId, key, work) {
      const { keep, give } = answerSealer(sealer, merchantId, key)
      const kept = await doOnce(sql, merchantId, key, async scope =>
        keep(await work(keyMaker(foundation, scope, merchantId))),
      )
      return kept === 'otherArguments' ? kept : give(kept)
    },
    revoke: (merchantId, id) => revokeOwnApiKey(sql, merchantId, id, clock.now()),
  }
}

function keyMaker({ clock }: Foundation, scope: Scope, merchantId: MerchantId): MakeKey {
  return async ({ name, createdBy }) => {
    if ((await countApiKeys(scope, merchantId)) >= apiKeysMax) return 'too many'
    const { key: id, secret } = newApiKeyPair()
    const createdAt = clock.now()
    await insertApiKey(scope, merchantId, { key: id, secretSha256: secretHash(secret), name, createdBy }, createdAt)
    return { key: { id, name, createdBy, createdAt, lastUsedAt: null, revokedAt: null }, secret }
  }
}

function privateKeyPorts(foundation: Foundation): PrivateKeyPorts['privateKeys'] {
  const { sql, sealer, clock, newUuid } = foundation
  return {
    list: merchantId => listKeys(sql, merchantId),
    async open(merchantId, id) {
      const sealed = await findPrivateKey(sql, merchantId, id)
      return sealed === null ? null : sealer.open(sealed, belongsTo.privateKey(merchantId))
    },
    async createNext(merchantId) {
      const { publicKey, privateKey } = newKeyPair()
      const key = { id: newUuid(), publicKey, createdAt: clock.now() }
      const privateKeySealed = sealer.seal(privateKey, belongsTo.privateKey(merchantId))
      const why = await sql.begin(scope => insertNextKey(scope, merchantId, { ...key, privateKeySealed }))
      return why === null ? { id: key.id } : { why }
    },
    makeCurrent: (merchantId, id) => sql.begin(scope => makeKeyCurrent(scope, merchantId, id)),
    delete: (merchantId, id, compromised) => deletePrivateKey(foundation, merchantId, id, compromised),
  }
}
