// Joins the routes of hook endpoints and deliveries to the world.

import { setTimeout as delay } from 'node:timers/promises'
import { signDetails } from '@tillbell/sdk'
import type { ApiStore, ApiWrites, EndpointTurn, HookPorts, SettingsWrites } from './api/ports.ts'
import type { LaneName } from './core/delivery.ts'
import type { HookEndpoint } from './core/hook-endpoint.ts'
import type { DeliveryId, EndpointId } from './core/ids.ts'
import type { WholeDelivery } from './core/shown-delivery.ts'
import { testDetails } from './core/test-details.ts'
import { createTurns } from './core/turns.ts'
import type { Foundation } from './foundation.ts'
import type { Joined } from './join-core.ts'
import { newHookSecret } from './keys/new-ids.ts'
import type { Logger } from './observe/log.ts'
import { belongsTo } from './setup/merchant.ts'
import type { Scope } from './store/database.ts'
import { setLaneAside, unparkLane } from './store/deliveries.ts'
import { findDelivery, listDeliveries } from './store/hook-deliveries.ts'
import {
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  lockEndpoint,
  markEndpointDeleted,
  updateEndpoint,
} from './store/hook-endpoints.ts'
import { destroySecrets, insertSecret, type NewSecret, replaceSecret } from './store/hook-secrets.ts'
import { isAttempted, recordTestAnswer, recordTestRequest, sendTestEvent } from './store/hook-tests.ts'
import { currentKey, findMerchant } from './store/merchants.ts'
import { askResend, askResends } from './store/resends.ts'

type EndpointWrites = Pick<SettingsWrites, 'insertEndpoint' | 'changeEndpoint' | 'deleteEndpoint' | 'rotateSecret'>

export function endpointWrites(foundation: Foundation, scope: Scope): EndpointWrites {
  const { clock } = foundation
  return {
    async insertEndpoint(endpoint) {
      const written = await insertEndpoint(scope, endpoint)
      if (written !== 'written') return written
      return { secret: endpoint.standardWebhooks ? await addSecret(foundation, scope, endpoint) : null }
    },
    async changeEndpoint(merchantId, id, change) {
      const before = await lockEndpoint(scope, merchantId, id)
      if (before === null) return null
      const after = await updateEndpoint(scope, before, change)
      if (before.standardWebhooks === after.standardWebhooks) return { before, after, secret: null }
      if (after.standardWebhooks) return { before, after, secret: await addSecret(foundation, scope, after) }
      await destroySecrets(scope, merchantId, id)
      return { before, after, secret: null }
    },
    async deleteEndpoint(merchantId, id) {
      const endpoint = await lockEndpoint(scope, merchantId, id)
      if (endpoint === null) return null
      await markEndpointDeleted(scope, endpoint, clock.now())
      await destroySecrets(scope, merchantId, id)
      return endpoint
    },
    async rotateSecret(merchantId, id) {
      const endpoint = await lockEndpoint(scope, merchantId, id)
      if (endpoint === null) return 'not known'
      if (!endpoint.standardWebhooks) return 'has none'
      const { secret, row } = freshSecret(foundation, endpoint)
      return (await replaceSecret(scope, row)) === 'too many' ? 'too many' : { endpoint, secret }
    },
  }
}

export function resendWrites({ clock }: Foundation, scope: Scope): Pick<ApiWrites, 'askResend'> {
  return {
    async askResend(merchantId, id) {
      const asked = await askResend(scope, merchantId, id, clock.now())
      if (asked !== 'asked') return asked
      return present(await findDelivery(scope, merchantId, id, 0)) // it answers without them
    },
  }
}

async function addSecret(foundation: Foundation, scope: Scope, endpoint: HookEndpoint): Promise<string> {
  const { secret, row } = freshSecret(foundation, endpoint)
  await insertSecret(scope, row)
  return secret
}

function freshSecret({ sealer, clock, newUuid }: Foundation, { merchantId, id }: HookEndpoint) {
  const secret = newHookSecret()
  const row: NewSecret = {
    merchantId,
    id: newUuid(),
    endpointId: id,
    secretSealed: sealer.seal(secret, belongsTo.hookSecret(merchantId, id)),
    createdAt: clock.now(),
  }
  return { secret, row }
}

export function hookReads({
  sql,
}: Foundation): Pick<ApiStore, 'listEndpoints' | 'findEndpoint' | 'listDeliveries' | 'findDelivery'> {
  return {
    listEndpoints: (merchantId, page) => listEndpoints(sql, merchantId, page),
    findEndpoint: (merchantId, id) => findEndpoint(sql, merchantId, id),
    listDeliveries: (merchantId, filter) => listDeliveries(sql, merchantId, filter),
    findDelivery: (merchantId, id) => findDelivery(sql, merchantId, id),
  }
}

export function hookPorts(foundation: Foundation, log: Logger, joined: Joined): HookPorts {
  const { sql, clock, newUuid } = foundation
  // Nobody need hear it: workers look by themselves, only a little later.
  const wakeWorkers = () => joined.wakeWorkers().catch(() => {})
  // Two would wait for each other's rows, one by one.
  const rangeTurns = createTurns(1, 0)
  // Each looks for its result many times in a second.
  const testTurns = createTurns(4, 16)
  return {
    whyNotUrl: joined.whyNotUrl,
    newEndpointId: () => newUuid() as EndpointId,
    wakeWorkers,
    signatureOf: signerFor(joined),
    async followTurn({ merchantId, id }, turn) {
      await followTurn(foundation, { merchantId, endpointId: id }, turn).catch(error =>
        log.error(
          { err: error, merchant: merchantId, endpoint: id, turn },
          'what an endpoint is owed is left to workers',
        ),
      )
      await wakeWorkers()
    },
    async sendTest(endpoint) {
      const turn = await testTurns.enter(endpoint.merchantId)
      if (turn === null) return 'busy'
      const send = endpoint.kind === 'pre_sale' ? askTest : notifyTest
      return send(foundation, joined, endpoint).finally(turn.end)
    },
    async resendRange(merchantId, range) {
      const turn = await rangeTurns.enter(merchantId)
      if (turn === null) return 'busy'
      const asked = await askResends(sql, merchantId, range, clock.now()).finally(turn.end)
      await wakeWorkers()
      return asked
    },
  }
}

export function signerFor({ privateKeyOf }: Pick<Joined, 'privateKeyOf'>): HookPorts['signatureOf'] {
  return async (merchantId, details) => signDetails(details, await privateKeyOf(merchantId))
}

const bite = 1_000
/** A lane may have a million rows, and somebody waits for the answer. What is left, workers do. */
const followMaxMs = 1_000

async function followTurn({ sql, clock }: Foundation, lane: LaneName, turn: EndpointTurn): Promise<void> {
  const some = () =>
    turn === 'resumed' ? unparkLane(sql, lane, bite) : setLaneAside(sql, lane, turn, { now: clock.now(), limit: bite })
  const untilMs = performance.now() + followMaxMs
  while ((await some()) === bite && performance.now() < untilMs);
}

async function detailsFor(foundation: Foundation, { ports }: Joined, { merchantId, kind }: HookEndpoint) {
  const merchant = await findMerchant(foundation.sql, merchantId)
  if (merchant === null) throw new Error(`merchant ${merchantId} is gone`)
  const at = foundation.clock.now()
  return { at, details: testDetails(merchant, kind, ports.service, at) }
}

const lookEveryMs = 25
/** Beyond the endpoint's own time: until it is taken up, and its result is written. */
const graceMs = 3_000

/** A delivery like any other. Where no worker makes its first attempt in time, the answer shows it without. */
async function notifyTest(
  foundation: Foundation,
  joined: Joined,
  endpoint: HookEndpoint,
): Promise<WholeDelivery | null> {
  const { sql } = foundation
  const { merchantId, timeoutS } = endpoint
  const { at, details } = await detailsFor(foundation, joined, endpoint)
  const kind = endpoint.kind === 'generic' || endpoint.kind === 'pre_sale' ? 'transaction' : endpoint.kind
  const text = JSON.stringify(details)
  const event = { id: joined.ports.newEventId(), kind, type: details.type, details: text, at, mail: null }
  const id = await sendTestEvent(sql, joined.outbox, { merchantId, endpointId: endpoint.id }, event)
  if (id === null) return null
  const deadlineMs = performance.now() + timeoutS * 1_000 + graceMs
  while (performance.now() < deadlineMs && !(await isAttempted(sql, merchantId, id))) await delay(lookEveryMs)
  return present(await findDelivery(sql, merchantId, id))
}

/** Recorded before it is sent, like every Pre-Sale request, and asked once. */
async function askTest(foundation: Foundation, joined: Joined, endpoint: HookEndpoint): Promise<WholeDelivery> {
  const { sql } = foundation
  const { merchantId, url, standardWebhooks, sendsJson } = endpoint
  const { at, details } = await detailsFor(foundation, joined, endpoint)
  const id = foundation.newUuid() as DeliveryId
  const text = JSON.stringify(details)
  await recordTestRequest(sql, { merchantId, id, endpointId: endpoint.id, url, recordedAt: at, details: text })
  const { id: keyId } = await currentKey(sql, merchantId)
  const sending = { url, timeoutMs: endpoint.timeoutS * 1_000, standardWebhooks, sendsJson, keyId }
  const whom = { id: endpoint.id, paused: false, ...sending }
  const never = new AbortController().signal // nobody else waits to end a test
  for (const answer of (await joined.ports.askPreSale(merchantId, [whom], text, never)) ?? []) {
    await recordTestAnswer(sql, merchantId, id, answer)
  }
  return present(await findDelivery(sql, merchantId, id))
}

function present(delivery: WholeDelivery | null): WholeDelivery {
  if (delivery === null) throw new Error('a delivery is gone')
  return delivery
}
