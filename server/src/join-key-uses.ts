// When each API key was used last. It is told on every request, and written once a minute for each key, after the request
// and together with others.

import type { MerchantId } from './core/ids.ts'
import type { Foundation } from './foundation.ts'
import { noteKeyUses } from './store/api-keys.ts'

const noteEveryMs = 60_000
const gatherMs = 1_000
const keysMax = 10_000

/** By the real clock, as sessions are: moving the sandbox's makes no use older. */
export function keyUses({ sql }: Pick<Foundation, 'sql'>): (merchantId: MerchantId, key: string) => void {
  const notedMs = new Map<string, number>()
  let toNote = new Map<MerchantId, string[]>()

  /** Nobody need hear of a failure: the next use is noted instead. */
  const forget = (keys: readonly string[]) => {
    for (const key of keys) notedMs.delete(key)
  }
  const note = async () => {
    const some = toNote
    toNote = new Map()
    for (const [merchantId, keys] of some) {
      const noting = sql.worksFor({ merchantId }, () => noteKeyUses(sql, merchantId, keys, new Date()))
      await noting.catch(() => forget(keys))
    }
  }
  return (merchantId, key) => {
    const nowMs = performance.now()
    if (nowMs - (notedMs.get(key) ?? Number.NEGATIVE_INFINITY) < noteEveryMs) return
    if (notedMs.size >= keysMax) notedMs.clear()
    notedMs.set(key, nowMs)
    if (toNote.size === 0) setTimeout(() => void note(), gatherMs).unref()
    toNote.set(merchantId, [...(toNote.get(merchantId) ?? []), key])
  }
}
