// Keys that stay when the secret key is changed. What they were used on is written down (a card's fingerprint, who tried too often),
// and what that was made from is not: under another key the same card would be another one. So each is made once, from the
// secret key of that time, and kept sealed like any other secret.

import type { Opened, Sealer } from './keys/sealing.ts'
import { belongsTo } from './setup/merchant.ts'
import type { Database } from './store/database.ts'
import { keepFirst, readSettings } from './store/settings.ts'

export const lastingUses = ['card fingerprints', 'tries', 'sign-in tries', 'mail of the sandbox'] as const
export type LastingUse = (typeof lastingUses)[number]
export type LastingKeys = { readonly [use in LastingUse]: Buffer }

export const settingOfLasting = (use: LastingUse) => `key of ${use}`

/** `since`: the service's own key, as it opened. Versions before this one made these keys from the secret key that seals it. */
export async function openLastingKeys(sql: Database, sealer: Sealer, since: Opened): Promise<LastingKeys> {
  const kept = await readSettings(sql, lastingUses.map(settingOfLasting))
  const open = async (use: LastingUse): Promise<[LastingUse, Buffer]> => {
    const owner = belongsTo.lastingKey(use)
    const make = () => ({ sealed: sealer.seal(madeFrom(sealer, use, since), owner).toString('base64') })
    const value = kept.get(settingOfLasting(use)) ?? (await keepFirst(sql, settingOfLasting(use), make()))
    const { sealed } = value as { sealed: string }
    return [use, Buffer.from(sealer.open(Buffer.from(sealed, 'base64'), owner), 'base64')]
  }
  return Object.fromEntries(await Promise.all(lastingUses.map(open))) as LastingKeys
}

function madeFrom(sealer: Sealer, use: LastingUse, { by }: Opened): string {
  const made = sealer.derive(use)[by]
  if (made === undefined) throw new Error('a key that opened is not there')
  return made.toString('base64')
}
