// Joins the sending of hooks to the world: database, keys, clock, log and metrics.

import type { AttemptResult, LaneName, Outbox } from './core/delivery.ts'
import { isListenerUrl } from './core/hook-listener.ts'
import type { ClaimId, MerchantId, RelayId, WorkerId } from './core/ids.ts'
import { nobody } from './core/works-for.ts'
import type { Foundation } from './foundation.ts'
import { attempter, NotAttemptedError } from './hooks/attempt.ts'
import { createDeliverer, type Deliverer } from './hooks/deliverer.ts'
import type { DelivererWorld, DeliveryStore } from './hooks/deliverer-world.ts'
import { type PostTo, type RelayWorld, relayingPost } from './hooks/relay.ts'
import { createSender, whyNotUrl } from './hooks/wire/sender.ts'
import { servesInbox } from './join-pages.ts'
import type { Logger } from './observe/log.ts'
import type { Metrics } from './observe/metrics.ts'
import { saySparingly } from './observe/say-sparingly.ts'
import { belongsTo } from './setup/merchant.ts'
import { settleAttempts } from './store/attempt-results.ts'
import { createBell } from './store/bell.ts'
import { claimDeliveries, cutClaims, endClaims, listClaims } from './store/claims.ts'
import { isConnectionLoss } from './store/database.ts'
import {
  bringForward,
  findParkedInVain,
  findSending,
  freeNewborn,
  listLanes,
  listNewborn,
  setLaneAside,
  unparkLane,
} from './store/deliveries.ts'
import { relayAnswers } from './store/hook-listeners.ts'
import { askListener, dropRequest, takeAnswer } from './store/hook-relay.ts'
import { momentOf } from './store/id-at.ts'
import { currentKey } from './store/merchants.ts'
import { shareLooks } from './store/shared-looks.ts'
import { findPrivateKey, signingSecrets } from './store/signing.ts'
import {
  beat,
  buryWorker,
  findDeadHolders,
  freeHeld,
  listWorkers,
  registerWorker,
  retireWorker,
} from './store/workers.ts'

export const deliveriesChannel = 'tillbell_deliveries'
const bite = 1_000

interface OwnPorts {
  readonly main: number
  readonly metrics: number
  /** Null: this process takes no mail. */
  readonly mail: number | null
}

export interface JoinedHooks {
  readonly post: PostTo
  readonly deliverer: Deliverer
  readonly outbox: Outbox
  readonly privateKeyOf: (merchantId: MerchantId) => Promise<string>
  readonly currentKeyOf: (merchantId: MerchantId) => Promise<CurrentKey>
  /** Of this id, whose bytes never change: from memory, once it was used. */
  readonly privateKey: (merchantId: MerchantId, keyId: string) => string | Promise<string>
  readonly secretsOf: (lane: LaneName) => Promise<readonly string[]>
  readonly stopping: AbortSignal
  /** From now on no customer waits for a listener, whose answer would not be taken. */
  readonly beginToStop: () => void
  /** The rest of a sentence that begins with `url`; null: hooks may go there. */
  readonly whyNotUrl: (url: string) => string | null
  /** Something to deliver has fallen due: every worker looks, here and elsewhere. */
  readonly wakeWorkers: () => Promise<void>
  /** The ports that this process listens on. */
  readonly ownPorts: () => readonly number[]
  /** Says which ports this process listens on, where it was told to take any: no hook may go there, but for the inbox. */
  readonly listensOn: (ports: OwnPorts) => void
}

export interface CurrentKey {
  readonly id: string
  readonly privateKey: string
}

export function joinHooks(
  foundation: Foundation,
  log: Logger,
  metrics: Metrics,
  isAwaited: () => boolean = () => false,
): JoinedHooks {
  const { sql, sealer, clock, newUuid, config } = foundation
  let ports: OwnPorts = { main: config.port, metrics: config.metricsPort, mail: config.mailPort }
  const whereto = {
    mode: config.mode,
    allow: config.hooksAllow,
    ownPorts: () => [ports.main, ports.metrics, ports.mail ?? config.mailPort],
    inboxPort: () => (servesInbox(config) ? ports.main : null),
  }
  const sparingly = saySparingly()
  const failed = (error: unknown) => {
    if (!(error instanceof NotAttemptedError)) return log.error({ err: error }, 'sending hooks failed')
    // One for each delivery that is tried.
    sparingly(error.message, unsaid => log.error({ unsaid }, `hooks wait: ${error.message}`))
  }
  const sender = createSender({ ...whereto, proxy: config.hooksProxy, dns: config.dns })
  const post = relayingPost(sender, relayWorld(foundation, failed))
  const stopping = new AbortController()
  const wakeWorkers = () => sql.notify(deliveriesChannel)
  const currentKeyOf = async (merchantId: MerchantId) => {
    const { id, privateKeySealed } = await currentKey(sql, merchantId)
    return { id, privateKey: sealer.open(privateKeySealed, belongsTo.privateKey(merchantId)) }
  }
  const privateKeyOf = async (merchantId: MerchantId) => (await currentKeyOf(merchantId)).privateKey
  const openSecrets = async (lane: LaneName) =>
    (await signingSecrets(sql, lane, clock.now())).map(sealed =>
      sealer.open(sealed, belongsTo.hookSecret(lane.merchantId, lane.endpointId)),
    )
  // Hooks to one endpoint are many at the same time, and the payments of its merchant wait for the same connections.
  const secretsOf = shareLooks(({ merchantId, endpointId }: LaneName) => `${merchantId} ${endpointId}`, openSecrets)
  const privateKey = keyring(foundation, privateKeyOf)
  const attempt = attempter({ post, privateKey, secretsOf, now: clock.now, worldNow: clock.worldNow, failed })
  const deliverer = createDeliverer({
    store: deliveryStore(foundation),
    // What one attempt reads is the merchant's; claims and results are everybody's.
    attempt: held => sql.worksFor(held, () => attempt(held)),
    isAwaited,
    cutOff: post.cutOff,
    now: clock.now,
    newWorkerId: () => newUuid() as WorkerId,
    newClaimId: () => newUuid() as ClaimId,
    wakeOthers: atMostEvery(() => void wakeWorkers().catch(failed), 5),
    observe: observer(log, metrics, failed),
  })
  return {
    post,
    deliverer,
    outbox: {
      ...deliverer.outbox,
      // What the deliverer begins with this is for all merchants.
      born: (held, unheld) => sql.worksFor(nobody, () => deliverer.outbox.born(held, unheld)),
    },
    privateKeyOf,
    currentKeyOf,
    privateKey,
    secretsOf,
    stopping: stopping.signal,
    beginToStop: () => stopping.abort(),
    whyNotUrl: url => whyNotUrl(url, whereto),
    wakeWorkers,
    ownPorts: whereto.ownPorts,
    listensOn(known) {
      ports = known
    },
  }
}

/** To listeners, through the database. */
function relayWorld({ sql, newUuid }: Foundation, failed: (error: unknown) => void): RelayWorld {
  const bell = createBell(sql, relayAnswers, failed)
  return {
    store: {
      ask: (lane, asked) => askListener(sql, lane, asked),
      takeAnswer: (merchantId, id) => takeAnswer(sql, merchantId, id),
      drop: (merchantId, id) => dropRequest(sql, merchantId, id),
    },
    newId: () => newUuid() as RelayId,
    earFor: bell.earFor,
    failed,
  }
}

function deliveryStore({ sql, clock }: Foundation): DeliveryStore {
  const aside = (lane: LaneName, closed: 'paused' | 'deleted') =>
    setLaneAside(sql, lane, closed, { now: clock.now(), limit: bite })
  return {
    workers: {
      register: id => registerWorker(sql, id),
      beat: id => beat(sql, id),
      list: () => listWorkers(sql),
      bury: seen => buryWorker(sql, seen),
      retire: id => retireWorker(sql, id),
      findDeadHolders: () => findDeadHolders(sql),
      free: (merchantId, holder) => freeHeld(sql, merchantId, holder, bite),
    },
    listLanes: () => listLanes(sql),
    claim: (lane, claim) => claimDeliveries(sql, lane, claim),
    findSending: held => sql.worksFor(held, () => findSending(sql, held)),
    setLaneAside: aside,
    async mend() {
      let mended = 0
      for (const { deleted, ...lane } of await findParkedInVain(sql)) {
        mended += deleted ? await aside(lane, 'deleted') : await unparkLane(sql, lane, bite)
      }
      return mended + (await bringForward(sql, clock.now(), bite))
    },
    isAway: isConnectionLoss,
    settle: (merchantId, holder, results: readonly AttemptResult[]) => settleAttempts(sql, merchantId, holder, results),
    listClaims: holder => listClaims(sql, holder),
    endClaims: (merchantId, ids) => endClaims(sql, merchantId, ids),
    cutClaims: (merchantId, claims, ids) => cutClaims(sql, merchantId, claims, ids),
    listNewborn: holder => listNewborn(sql, holder),
    freeNewborn: (merchantId, holder, ids) => freeNewborn(sql, merchantId, holder, ids),
  }
}

const keysMax = 10_000

/** Opened keys, by id: a key never changes, so that the one named with a delivery needs no look into the database. */
function keyring({ sql, sealer }: Foundation, currentKeyOf: (merchantId: MerchantId) => Promise<string>) {
  const opened = new Map<string, string>()
  const open = async (merchantId: MerchantId, keyId: string): Promise<string> => {
    const sealed = await findPrivateKey(sql, merchantId, keyId)
    if (sealed === null) return currentKeyOf(merchantId)
    const key = sealer.open(sealed, belongsTo.privateKey(merchantId))
    if (opened.size >= keysMax) opened.clear()
    opened.set(keyId, key)
    return key
  }
  return (merchantId: MerchantId, keyId: string) => opened.get(keyId) ?? open(merchantId, keyId)
}

function observer(
  log: Logger,
  { hooks, alerts }: Metrics,
  failed: (error: unknown) => void,
): DelivererWorld['observe'] {
  /** By the first digit of the status: the library looks for them by a text that it makes of all labels. */
  const answers = ['none', '1xx', '2xx', '3xx', '4xx', '5xx', '6xx', '7xx', '8xx', '9xx'].map(result =>
    hooks.attempts.labels({ result }),
  )
  return {
    attempted({ merchantId, id, url, scheduledMade, resendAt }, { at, status, reason, durationMs }) {
      if (!isListenerUrl(url)) {
        answers[Math.floor((status ?? 0) / 100)]?.inc()
        // It was made with what owes it. Ids run ahead of a clock that was set back.
        const waitedMs = Math.max(0, at.getTime() - momentOf(id))
        if (scheduledMade === 0 && resendAt === null) hooks.firstAttempt.observe(waitedMs / 1_000)
      }
      if (!log.isLevelEnabled('debug')) return
      log.debug({ merchant: merchantId, delivery: id, made: scheduledMade + 1, status, reason, durationMs }, 'attempt')
    },
    dropped({ merchantId, id, endpointId, url }) {
      if (isListenerUrl(url)) return
      hooks.dropped.inc()
      log.warn({ merchant: merchantId, delivery: id, endpoint: endpointId }, 'delivery dropped after its tenth attempt')
    },
    paused(merchant, { endpointId, url }) {
      hooks.paused.inc()
      alerts.inc()
      log.error({ merchant, endpoint: endpointId, url }, 'endpoint paused after days of nothing but failures')
    },
    tooLate: count =>
      log.warn({ count }, 'results came too late: their deliveries are not in this worker’s hand any more'),
    freed(count) {
      hooks.freed.inc(count)
      log.warn({ count }, 'deliveries freed that nobody had in hand')
    },
    failed,
  }
}

/** What is asked for again within the time is done once, at its end. */
function atMostEvery(work: () => void, everyMs: number): () => void {
  let isWaiting = false
  return () => {
    if (isWaiting) return
    isWaiting = true
    setTimeout(() => {
      isWaiting = false
      work()
    }, everyMs)
  }
}
