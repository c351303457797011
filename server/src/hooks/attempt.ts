// One attempt of a delivery: signed with the key that is current, posted, and what came back.

import { AwayError } from '../core/away.ts'
import type { Attempt, HeldDelivery, LaneName } from '../core/delivery.ts'
import type { MerchantId } from '../core/ids.ts'
import type { PostTo } from './relay.ts'
import { signed } from './sign.ts'
import { storable } from './storable.ts'

export interface AttemptWorld {
  readonly post: PostTo
  /** Known, or to be looked up. */
  readonly privateKey: (merchantId: MerchantId, keyId: string) => string | Promise<string>
  /** Standard Webhooks secrets that sign now. */
  readonly secretsOf: (lane: LaneName) => Promise<readonly string[]>
  readonly now: () => Date
  readonly worldNow: () => Date
  readonly failed: (error: unknown) => void
}

const gone = 'What it says is no longer kept.'
const noSecrets: readonly string[] = []
const ourFault = 'It could not be sent: something went wrong on our side.'

/** As far as is known nothing has left this process, and nothing is wrong with the delivery or its endpoint. */
export class NotAttemptedError extends AwayError {}

/**
 * Rejects only where none was made, because the database is away or nothing is left to connect with: that is nobody's attempt. What else goes wrong
 * here counts as one too: otherwise it would be tried again without end.
 */
export function attempter(world: AttemptWorld): (held: HeldDelivery) => Promise<Attempt> {
  return async held => {
    const at = world.now()
    if (held.details === '') return unsent(at, gone)
    try {
      const { merchantId, id, url, timeoutMs } = held
      const key = world.privateKey(merchantId, held.keyId)
      const privateKey = typeof key === 'string' ? key : await key
      const secrets = held.standardWebhooks ? await world.secretsOf(held) : noSecrets
      const keys = { privateKey, secrets, sendsJson: held.sendsJson }
      const { body, isJson, moreHeaders } = signed(id, held.details, keys, world.worldNow)
      const posted = await world.post({ lane: held, url, timeoutMs, body, isJson, moreHeaders })
      const { status, reason, durationMs, answer } = posted
      if (posted.isOurs) throw new NotAttemptedError(reason ?? '')
      return { at, status, reason, durationMs, response: storable(answer) }
    } catch (error) {
      if (error instanceof AwayError) throw error
      world.failed(error)
      return unsent(at, ourFault)
    }
  }
}

function unsent(at: Date, reason: string): Attempt {
  return { at, status: null, reason, durationMs: 0, response: '' }
}
