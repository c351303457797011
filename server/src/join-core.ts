// Joins the rules to the world: store, gateways, hooks, keys.

import type { Gateway, NotSentCode } from './core/gateway.ts'
import type { EventId, GatewayId, OperationId, TransactionId } from './core/ids.ts'
import type { Ports } from './core/ports.ts'
import { RecentlyUsed } from './core/recently-used.ts'
import type { ServiceFacts } from './core/sale.ts'
import type { Foundation } from './foundation.ts'
import { type GatewayWorld, openGateway } from './gateways/open.ts'
import type { Entry, SandboxBooks, VaultCard } from './gateways/sandbox/books.ts'
import { preSaleAsker } from './hooks/ask-pre-sale.ts'
import type { JoinedHooks } from './join-hooks.ts'
import type { Logger } from './observe/log.ts'
import type { Metrics } from './observe/metrics.ts'
import { saySparingly } from './observe/say-sparingly.ts'
import { belongsTo } from './setup/merchant.ts'
import { findGateway } from './store/gateways.ts'
import { saleStore } from './store/sales.ts'
import { sandboxBooks } from './store/sandbox-books.ts'

export interface Joined extends JoinedHooks {
  readonly ports: Ports
  readonly gatewayWorld: GatewayWorld
  /** Of a gateway that was opened. */
  readonly gatewayType: (gatewayId: GatewayId) => string
}

export function corePorts(
  foundation: Foundation,
  log: Logger,
  metrics: Metrics,
  service: ServiceFacts,
  hooks: JoinedHooks,
): Joined {
  const { sql, clock, newUuid } = foundation
  const { gatewayWorld, openGateway, gatewayType } = openGateways(foundation, service, hooks.ownPorts)
  const ports: Ports = {
    store: saleStore(sql, hooks.outbox),
    service,
    now: clock.now,
    newTransactionId: () => newUuid() as TransactionId,
    newOperationId: () => newUuid() as OperationId,
    newEventId: () => newUuid() as EventId,
    openGateway,
    askPreSale: preSaleAsker({ ...hooks, worldNow: clock.worldNow }),
    alert(sentence, facts) {
      metrics.alerts.inc()
      log.error(facts, sentence)
    },
    notSent: notSentTeller(log, metrics, gatewayType),
  }
  return { ...hooks, ports, gatewayWorld, gatewayType }
}

/** While a gateway is away, every charge says the same. */
const codesOfAbsence: readonly NotSentCode[] = ['gateway_not_reached', 'gateway_busy']

function notSentTeller(log: Logger, metrics: Metrics, gatewayType: Joined['gatewayType']): Ports['notSent'] {
  const sparingly = saySparingly()
  return ({ merchantId, gatewayId, transactionId, id, kind, cause }, code) => {
    metrics.notSent.inc({ gateway: gatewayType(gatewayId), code })
    const facts = { merchant: merchantId, gateway: gatewayId, transaction: transactionId, operation: id, code, cause }
    const say = (unsaid: number) =>
      log.warn({ ...facts, ...(unsaid > 0 && { unsaid }) }, `a ${kind} was not carried out`)
    if (codesOfAbsence.includes(code)) sparingly(`${gatewayId} ${code}`, say)
    else say(0)
  }
}

export function openGateways(
  foundation: Foundation,
  service: ServiceFacts,
  ownPorts: GatewayWorld['ownPorts'],
): Pick<Joined, 'gatewayWorld' | 'gatewayType'> & Pick<Ports, 'openGateway'> {
  const { sql, lastingKeys, config } = foundation
  const books: SandboxBooks = sandboxBooks<Entry, VaultCard>(sql)
  const gatewayWorld: GatewayWorld = {
    mode: config.mode,
    books,
    fingerprintKey: lastingKeys['card fingerprints'],
    ownPorts,
    challengeUrl: (gatewayId, operationId, returnUrl) =>
      `${service.baseUrl}/sandbox/challenges/${gatewayId}/${operationId}?return=${encodeURIComponent(returnUrl)}`,
  }
  return { gatewayWorld, ...gatewayOpener(foundation, gatewayWorld) }
}

/** An adapter may take 50 KB. */
const openedMax = 1_000

/** An adapter keeps connections, so it is kept, until its sealed credentials change or others were used since. */
function gatewayOpener({ sql, sealer }: Foundation, world: GatewayWorld) {
  type Opened = { readonly type: string; readonly sealed: string; readonly gateway: Gateway }
  const opened = new RecentlyUsed<GatewayId, Opened>(openedMax, ({ gateway }) => gateway.close())
  const openOrKnown: Ports['openGateway'] = async (merchantId, gatewayId, access) => {
    const account = access ?? (await findGateway(sql, merchantId, gatewayId))
    if (account === null) throw new Error(`gateway ${gatewayId} is gone`)
    const credentialsSealed = Buffer.from(account.credentialsSealed)
    const sealed = credentialsSealed.toString('base64')
    const open = opened.get(gatewayId)
    if (open?.sealed === sealed) return open.gateway
    const credentials = JSON.parse(sealer.open(credentialsSealed, belongsTo.credentials(merchantId, gatewayId)))
    const gateway = await openGateway(gatewayId, account.type, credentials, world)
    const known = opened.get(gatewayId)
    if (known?.sealed === sealed) {
      // Of two who opened it at once, the first one's is used.
      gateway.close()
      return known.gateway
    }
    opened.set(gatewayId, { type: account.type, sealed, gateway })
    return gateway
  }
  return { openGateway: openOrKnown, gatewayType: (id: GatewayId) => opened.get(id)?.type ?? 'unknown' }
}
