// The demo merchant's hook inbox: a key that opens it, and a generic endpoint that leads to it, so that every Transaction,
// Further Action Required and Error of the demo can be seen to arrive.

import { defaultTimeoutS } from '../core/hook-endpoint.ts'
import type { EndpointId, MerchantId } from '../core/ids.ts'
import type { Foundation } from '../foundation.ts'
import { newInboxKey } from '../keys/new-ids.ts'
import type { Service } from '../main.ts'
import type { Database } from '../store/database.ts'
import { findEndpoint, insertEndpoint, lockEndpoint, updateEndpoint } from '../store/hook-endpoints.ts'
import { keepFirst, readSetting, writeSetting } from '../store/settings.ts'

export const inboxKeySetting = 'inbox_key'
const endpointSetting = 'inbox_endpoint'

/** Where to look at it; null: no process has served it yet. */
export async function ensureInbox(
  foundation: Foundation,
  service: Service,
  merchantId: MerchantId,
): Promise<string | null> {
  const { sql, config } = foundation
  const serves = config.roles.includes('pages')
  const key = serves ? String(await keepFirst(sql, inboxKeySetting, newInboxKey())) : await inboxKey(sql)
  if (key === null) return null
  if (serves) await leadTo(foundation, service, merchantId, endpointPath(key))
  return `${service.baseUrl}/inbox/${key}`
}

async function inboxKey(sql: Database): Promise<string | null> {
  return (await readSetting(sql, inboxKeySetting)) as string | null
}

function endpointPath(key: string): string {
  return `/inbox/${key}/endpoint`
}

/** Whether a charge is seen to arrive there: its endpoint may have been deleted, paused, or pointed elsewhere. */
export async function isInboxFed({ sql }: Foundation, merchantId: MerchantId): Promise<boolean> {
  const [key, id] = [await inboxKey(sql), await readSetting(sql, endpointSetting)]
  if (key === null || id === null) return false
  const endpoint = await findEndpoint(sql, merchantId, id as EndpointId)
  return endpoint?.status === 'enabled' && endpoint.url.endsWith(endpointPath(key))
}

async function leadTo(foundation: Foundation, service: Service, merchantId: MerchantId, path: string): Promise<void> {
  const { sql, config } = foundation
  // This process itself, whatever stands before it. With TLS only under the name that its certificate has.
  const url = `${config.tlsCert === null ? service.ownUrl : service.baseUrl}${path}`
  const known = await readSetting(sql, endpointSetting)
  if (known === null) await makeEndpoint(foundation, merchantId, url)
  else await moveEndpoint(sql, merchantId, known as EndpointId, { url, path })
}

/** Its id is kept: a developer who deletes it does not get it back. */
async function makeEndpoint({ sql, clock, newUuid }: Foundation, merchantId: MerchantId, url: string): Promise<void> {
  const id = newUuid() as EndpointId
  await sql.begin(async scope => {
    const createdAt = clock.now()
    const how = {
      kind: 'generic',
      status: 'enabled',
      timeoutS: defaultTimeoutS('generic'),
      standardWebhooks: false,
      sendsJson: false,
      pausedBecause: null,
    } as const
    await insertEndpoint(scope, { merchantId, id, url, createdAt, ...how })
    await writeSetting(scope, endpointSetting, id)
  })
}

/** The process may listen elsewhere than before. An endpoint that its developer pointed to another application stays. */
async function moveEndpoint(
  sql: Database,
  merchantId: MerchantId,
  id: EndpointId,
  to: { readonly url: string; readonly path: string },
): Promise<void> {
  await sql.begin(async scope => {
    const endpoint = await lockEndpoint(scope, merchantId, id)
    if (endpoint?.url.endsWith(to.path)) await updateEndpoint(scope, endpoint, { url: to.url })
  })
}
