// Joins the console's API keys and Private Keys to the database.

import { beginAs, refuseFormerActor } from './begin-as.ts'
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
    async doOnce(caller, key, work) {
      const { merchantId } = caller
      const { keep, give } = answerSealer(sealer, merchantId, key)
      const kept = await doOnce(sql, merchantId, key, async scope => {
        await refuseFormerActor(scope, caller)
        return keep(await work(keyMaker(foundation, scope, merchantId)))
      })
      return kept === 'otherArguments' ? kept : give(kept)
    },
    revoke: (caller, id) => beginAs(sql, caller, scope => revokeOwnApiKey(scope, caller.merchantId, id, clock.now())),
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
    async open(caller, id) {
      const { merchantId } = caller
      const sealed = await beginAs(sql, caller, scope => findPrivateKey(scope, merchantId, id))
      return sealed === null ? null : sealer.open(sealed, belongsTo.privateKey(merchantId))
    },
    async createNext(caller) {
      const { merchantId } = caller
      const { publicKey, privateKey } = newKeyPair()
      const key = { id: newUuid(), publicKey, createdAt: clock.now() }
      const privateKeySealed = sealer.seal(privateKey, belongsTo.privateKey(merchantId))
      const why = await beginAs(sql, caller, scope => insertNextKey(scope, merchantId, { ...key, privateKeySealed }))
      return why === null ? { id: key.id } : { why }
    },
    makeCurrent: (caller, id) => beginAs(sql, caller, scope => makeKeyCurrent(scope, caller.merchantId, id)),
    delete: (caller, id, compromised) =>
      deletePrivateKey(foundation, caller.merchantId, id, compromised, work => beginAs(sql, caller, work)),
  }
}
