// Joins the counting of tries to the database and to the key under which names are kept.

import { createHmac } from 'node:crypto'
import { networkOf, type Tries, tryLimits } from './core/tries.ts'
import type { Foundation } from './foundation.ts'
import { giveTryBack, takeTry } from './store/tries.ts'

export type { Tries }

export function tries({ sql, sealer }: Pick<Foundation, 'sql' | 'sealer'>): Tries {
  const key = sealer.derive('tries')
  const bucketOf = (...[merchantId, kind, name]: Parameters<Tries['take']>) => {
    const named = [merchantId, kind, kind === 'address' ? networkOf(name) : name]
    return { merchantId, who: createHmac('sha256', key).update(JSON.stringify(named)).digest() }
  }
  return {
    async take(merchantId, kind, name) {
      const limit = tryLimits[kind]
      const had = await takeTry(sql, bucketOf(merchantId, kind, name), limit)
      if (had === null) return { ok: true }
      return { ok: false, retryAfterS: Math.max(1, Math.ceil(((1 - had) * 3_600) / limit.perHour)) }
    },
    giveBack: (merchantId, kind, name) => giveTryBack(sql, bucketOf(merchantId, kind, name)),
  }
}
