// One attempt of a delivery: signed with the key that is current, posted, and what came back.

import type { Attempt, HeldDelivery, LaneName } from '../core/delivery.ts'
import type { MerchantId } from '../core/ids.ts'
import type { PostTo } from './relay.ts'
import { signed } from './sign.ts'
import { storable } from './storable.ts'

export interface AttemptWorld {
  readonly post: PostTo
  readonly privateKey: (merchantId: MerchantId, keyId: string) => Promise<string>
  /** Standard Webhooks secrets that sign now. */
  readonly secretsOf: (lane: LaneName) => Promise<readonly string[]>
  readonly now: () => Date
  readonly failed: (error: unknown) => void
}

const gone = 'What it says is no longer kept.'
const ourFault = 'It could not be sent: something went wrong on our side.'

/** Never rejects. What goes wrong here counts as an attempt too: otherwise it would be tried again without end. */
export function attempter(world: AttemptWorld): (held: HeldDelivery) => Promise<Attempt> {
  return async held => {
    const at = world.now()
    const unsent = (reason: string) => ({ at, status: null, reason, durationMs: 0, response: '' })
    if (held.details === '') return unsent(gone)
    try {
      const { merchantId, id, url, timeoutMs } = held
      const privateKey = await world.privateKey(merchantId, held.keyId)
      const secrets = held.standardWebhooks ? await world.secretsOf(held) : []
      const { answer, ...posted } = await world.post({
        lane: held,
        url,
        timeoutMs,
        ...signed(id, held.details, privateKey, secrets),
      })
      return { at, ...posted, response: storable(answer) }
    } catch (error) {
      world.failed(error)
      return unsent(ourFault)
    }
  }
}
