// Deletes a merchant's Private Key. Where others may know it, the tokens that were made with it are revoked. Rows that an older version
// of the service wrote do not name the key of their token: it is found by opening what is stored of them.

import type { MerchantId } from './core/ids.ts'
import type { Foundation } from './foundation.ts'
import { boxOpener, readToken } from './keys/open-token.ts'
import type { Database } from './store/database.ts'
import { deleteKey, listKeys } from './store/merchant-keys.ts'
import { findUnnamedTokens, nameKeyOfToken, type RevokedWithKey } from './store/tokens.ts'

type World = Pick<Foundation, 'sql' | 'clock' | 'servicePrivateKey'>

export async function deletePrivateKey(
  world: World,
  merchantId: MerchantId,
  id: string,
  compromised: boolean,
  /** In whose name, where it is not the command line's. */
  begin: Database['begin'] = world.sql.begin,
): Promise<RevokedWithKey | 'not known' | 'current'> {
  if (compromised) await nameKeysOfTokens(world, merchantId)
  return begin(scope => deleteKey(scope, merchantId, id, compromised, world.clock.now()))
}

/** Few, because others wait while their boxes are opened. */
const tokensAtOnce = 100

async function nameKeysOfTokens({ sql, servicePrivateKey }: World, merchantId: MerchantId): Promise<void> {
  const keys = await listKeys(sql, merchantId)
  const publicKeys = keys.map(({ publicKey }) => publicKey)
  // Its own, which goes afterwards: what is compromised is to be forgotten.
  const openBox = boxOpener(servicePrivateKey)
  let after: Buffer = Buffer.alloc(0)
  for (;;) {
    const tokens = await findUnnamedTokens(sql, merchantId, after, tokensAtOnce)
    for (const { boxSha256, content } of tokens) {
      const closed = readToken(content)
      const opened = closed?.boxSha256.equals(boxSha256) === true ? openBox(closed, publicKeys) : null
      const key = keys.find(({ publicKey }) => publicKey === opened?.publicKey)
      if (key !== undefined) await nameKeyOfToken(sql, merchantId, boxSha256, key.id)
    }
    const last = tokens.at(-1)
    if (last === undefined || tokens.length < tokensAtOnce) return
    after = last.boxSha256
  }
}
