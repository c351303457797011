// Pre-Sale: all endpoints are asked at the same time, each once. What they said is evidence; core decides what follows. Merchants take turns,
// and few posts begin in one turn of the event loop: the payments of all others wait for its end.

import type { LaneName } from '../core/delivery.ts'
import type { EndpointId, MerchantId } from '../core/ids.ts'
import type { Ports, PreSaleAnswer } from '../core/ports.ts'
import { inTurnMax } from './pace.ts'
import { type Entry, PacedTurns } from './paced-turns.ts'
import type { PostTo } from './relay.ts'
import { signed } from './sign.ts'
import { storable } from './storable.ts'

export interface PreSaleWorld {
  readonly post: PostTo
  readonly privateKey: (merchantId: MerchantId, keyId: string) => string | Promise<string>
  readonly secretsOf: (lane: LaneName) => Promise<readonly string[]>
  readonly worldNow: () => Date
  /** The service stops, and takes no answers of listeners any more. */
  readonly stopping: AbortSignal
}

/** Posts that are under way in a process: a merchant has as many as are free, so alone 128. */
const postsMax = 256
/** To mask a shorter one takes no time to speak of; one of 16 KiB may take two milliseconds. */
const shortChars = 1_024

const noTurn = 'It was not asked: too many of your Pre-Sale requests were under way at once.'

export function preSaleAsker(world: PreSaleWorld): Ports['askPreSale'] {
  const posting = new PacedTurns<MerchantId>(postsMax, inTurnMax)
  const masking = new PacedTurns<MerchantId>(Number.POSITIVE_INFINITY, 1)

  async function masked(merchantId: MerchantId, answer: string): Promise<string> {
    if (answer.length <= shortChars) return storable(answer)
    await masking.enter(merchantId).entered
    try {
      return storable(answer)
    } finally {
      masking.leave(merchantId)
    }
  }

  return async (merchantId, endpoints, details, askBy) => {
    const keyed = await Promise.all(
      endpoints.map(async endpoint => {
        const { id, standardWebhooks, keyId, sendsJson } = endpoint
        const privateKey = await world.privateKey(merchantId, keyId)
        const lane = { merchantId, endpointId: id }
        const secrets = standardWebhooks ? await world.secretsOf(lane) : []
        return { endpoint, lane, keys: { privateKey, secrets, sendsJson } }
      }),
    )
    if (askBy.aborted) return null
    const { transaction } = JSON.parse(details)
    const waiting: Entry[] = []

    /** Null: it had no turn in time. */
    async function ask({ endpoint, lane, keys }: (typeof keyed)[number]): Promise<PreSaleAnswer | null> {
      const { id, url, timeoutMs, paused } = endpoint
      if (paused) return unasked(id, 'The endpoint is paused.')
      const entry = posting.enter(merchantId)
      waiting.push(entry)
      if (!(await entry.entered)) return null
      try {
        // Its time begins only now, and has its room in the lease only until then.
        if (askBy.aborted) return null
        const request = signed(`${transaction}_${id}`, details, keys, world.worldNow)
        const posted = await world.post({ ...request, lane, url, timeoutMs, cut: world.stopping })
        return { ...posted, endpointId: id, answer: await masked(merchantId, posted.answer) }
      } finally {
        posting.leave(merchantId)
      }
    }

    const giveUp = () => {
      for (const entry of waiting) entry.giveUp()
    }
    askBy.addEventListener('abort', giveUp)
    try {
      const answers = await Promise.all(keyed.map(ask))
      const nobodyWasAsked = answers.every((answer, index) => answer === null || endpoints[index]?.paused)
      if (answers.includes(null) && nobodyWasAsked) return null
      return answers.map((answer, index) => answer ?? unasked(keyed[index]?.endpoint.id as EndpointId, noTurn))
    } finally {
      askBy.removeEventListener('abort', giveUp)
    }
  }
}

function unasked(endpointId: EndpointId, reason: string): PreSaleAnswer {
  return { endpointId, status: null, reason, durationMs: 0, answer: '' }
}
