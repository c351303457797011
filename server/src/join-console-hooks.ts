// Joins the console's own routes about hooks to the world: how endpoints do, samples, checks, and ranges that are sent again.

import { signDetails } from '@tillbell/sdk'
import { deliveryView } from './api/hook-deliveries.ts'
import type { Forgery, Planned } from './console/check-plan.ts'
import type { DroppedPorts } from './console/dropped.ts'
import type { EndpointCheckPorts } from './console/endpoint-check.ts'
import type { EndpointPorts } from './console/endpoints.ts'
import type { ResendPorts } from './console/resends.ts'
import { endpointsMax, type HookEndpoint } from './core/hook-endpoint.ts'
import type { MerchantId } from './core/ids.ts'
import type { Merchant } from './core/people.ts'
import { testDetails } from './core/test-details.ts'
import type { Foundation } from './foundation.ts'
import { type Signed, type SigningKeys, signed } from './hooks/sign.ts'
import { storable } from './hooks/storable.ts'
import type { Joined } from './join-core.ts'
import { newKeyPair } from './keys/key-pair.ts'
import { newHookSecret } from './keys/new-ids.ts'
import { endpointHealth, healthCountedMax } from './store/endpoint-health.ts'
import { listDropped } from './store/hook-deliveries.ts'
import { findEndpoint, listEndpoints } from './store/hook-endpoints.ts'
import { findMerchant } from './store/merchants.ts'
import { countResends, countResendsLeft } from './store/resend-counts.ts'

export function consoleHookPorts(
  foundation: Foundation,
  joined: Joined,
): EndpointPorts & EndpointCheckPorts & ResendPorts & DroppedPorts {
  const { sql, clock } = foundation
  return {
    endpoints: {
      countedMax: healthCountedMax,
      health: merchantId => endpointHealth(sql, merchantId, clock.now()),
      list: merchantId => listEndpoints(sql, merchantId, { after: null, limit: endpointsMax }),
      async sample(merchantId, kind) {
        const merchant = await knownMerchant(foundation, merchantId)
        const details = JSON.stringify(testDetails(merchant, kind, joined.ports.service, clock.now()))
        const signature = signDetails(details, await joined.privateKeyOf(merchantId))
        return { details, signature, partnerId: merchant.partnerId }
      },
    },
    endpointChecks: {
      find: (merchantId, id) => findEndpoint(sql, merchantId, id),
      sender: endpoint => checkSender(foundation, joined, endpoint),
    },
    dropped: {
      list: (merchantId, filter) => listDropped(sql, merchantId, filter, clock.now()),
      view: deliveryView,
    },
    resends: {
      findEndpoint: (merchantId, id) => findEndpoint(sql, merchantId, id),
      count: (merchantId, range, max) => countResends(sql, merchantId, range, max),
      left: (merchantId, range, max) => countResendsLeft(sql, merchantId, range, max),
    },
  }
}

async function knownMerchant({ sql }: Foundation, id: MerchantId): Promise<Merchant> {
  const merchant = await findMerchant(sql, id)
  if (merchant === null) throw new Error(`merchant ${id} is gone`)
  return merchant
}

/** Each request is signed as hooks are; what is forged is so in every signature that an endpoint may look at. */
async function checkSender(foundation: Foundation, joined: Joined, endpoint: HookEndpoint) {
  const { merchantId, id, kind, url, timeoutS, standardWebhooks, sendsJson } = endpoint
  const merchant = await knownMerchant(foundation, merchantId)
  const { clock } = foundation
  const at = clock.now()
  const lane = { merchantId, endpointId: id }
  const keys = {
    privateKey: await joined.privateKeyOf(merchantId),
    secrets: standardWebhooks ? await joined.secretsOf(lane) : [],
    sendsJson,
  }
  // Those of the same moment are attempts of one delivery, and named so.
  const messageIds = new Map<number, string>()
  return async ({ forgery, agoS }: Planned) => {
    const happenedAt = new Date(at.getTime() - agoS * 1_000)
    const details = JSON.stringify(testDetails(merchant, kind, joined.ports.service, happenedAt))
    const messageId = messageIds.get(agoS) ?? foundation.newUuid()
    messageIds.set(agoS, messageId)
    const request = forged(forgery, messageId, details, keys, clock.worldNow)
    const posted = await joined.post({ lane, url, timeoutMs: timeoutS * 1_000, ...request })
    return { ...posted, answer: storable(posted.answer) }
  }
}

export function forged(
  forgery: Forgery | null,
  messageId: string,
  details: string,
  keys: SigningKeys,
  worldNow: () => Date,
): Signed {
  const real = signed(messageId, details, keys, worldNow)
  switch (forgery) {
    case null:
      return real
    case 'other key':
      return signed(
        messageId,
        details,
        { ...keys, ...newKeyPair(), secrets: keys.secrets.map(newHookSecret) },
        worldNow,
      )
    case 'altered': {
      const written = real.isJson ? (text: string) => text : encodeURIComponent
      return { ...real, body: real.body.replace(written('"0.00"'), written('"0.01"')) }
    }
    case 'unsigned':
      return { ...real, body: real.isJson ? real.body : `details=${encodeURIComponent(details)}`, moreHeaders: [] }
  }
}
