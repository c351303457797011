// Joins the counting of tries to the database and to the key under which names are kept.

import { createHmac } from 'node:crypto'
import { type Limit, networkKinds, networkOf, type Tries, type Try, tryLimits } from './core/tries.ts'
import type { Foundation } from './foundation.ts'
import { giveTryBack, takeTry, triesLeft } from './store/tries.ts'

interface TriesWorld extends Pick<Foundation, 'sql'> {
  readonly lastingKeys: Pick<Foundation['lastingKeys'], 'tries'>
}

export function tries({ sql, lastingKeys: { tries: key } }: TriesWorld): Tries {
  const bucketOf = (...[merchantId, kind, name]: Parameters<Tries['take']>) => {
    const named = [merchantId, kind, networkKinds.has(kind) ? networkOf(name) : name]
    return { merchantId, who: createHmac('sha256', key).update(JSON.stringify(named)).digest() }
  }
  return {
    async take(merchantId, kind, name) {
      const limit = tryLimits[kind]
      const had = await takeTry(sql, bucketOf(merchantId, kind, name), limit)
      return had === null ? { ok: true } : refused(had, limit)
    },
    async left(merchantId, kind, name) {
      const limit = tryLimits[kind]
      const has = await triesLeft(sql, bucketOf(merchantId, kind, name), limit)
      return has >= 1 ? { ok: true } : refused(has, limit)
    },
    giveBack: (merchantId, kind, name) => giveTryBack(sql, bucketOf(merchantId, kind, name)),
  }
}

function refused(has: number, { perHour }: Limit): Try {
  return { ok: false, retryAfterS: Math.max(1, Math.ceil(((1 - has) * 3_600) / perHour)) }
}
