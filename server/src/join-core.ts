// Joins the rules to the world: store, gateways, hooks, keys.

import type { Outbox } from './core/delivery.ts'
import type { Gateway } from './core/gateway.ts'
import type { EventId, GatewayId, MerchantId, OperationId, TransactionId } from './core/ids.ts'
import type { Ports } from './core/ports.ts'
import type { ServiceFacts } from './core/sale.ts'
import type { Foundation } from './foundation.ts'
import { type GatewayWorld, openGateway } from './gateways/open.ts'
import type { Entry, SandboxBooks, VaultCard } from './gateways/sandbox/books.ts'
import { preSaleAsker } from './hooks/ask-pre-sale.ts'
import { createSender } from './hooks/wire/sender.ts'
import { whyNotUrl } from './hooks/wire/target.ts'
import type { Logger } from './observe/log.ts'
import type { Metrics } from './observe/metrics.ts'
import { belongsTo } from './setup/merchant.ts'
import { findGateway } from './store/gateways.ts'
import { currentKey } from './store/merchants.ts'
import { saleStore } from './store/sales.ts'
import { sandboxBooks } from './store/sandbox-books.ts'

export interface Joined {
  readonly ports: Ports
  readonly gatewayWorld: GatewayWorld
  readonly privateKeyOf: (merchantId: MerchantId) => Promise<string>
  readonly outbox: Outbox
  /** Something may be due: a resend was asked for, or an endpoint resumed. */
  readonly wakeWorkers: () => Promise<void>
  /** The rest of a sentence that begins with `url`; null: hooks may go there. */
  readonly whyNotUrl: (url: string) => string | null
}

/** What workers of all processes listen to. */
export const deliveriesChannel = 'tillbell_deliveries'

export function corePorts(foundation: Foundation, log: Logger, metrics: Metrics, service: ServiceFacts): Joined {
  const { sql, sealer, clock, newUuid, config } = foundation
  const books: SandboxBooks = sandboxBooks<Entry, VaultCard>(sql)
  const gatewayWorld = { mode: config.mode, books, fingerprintKey: sealer.derive('card fingerprints') }
  const privateKeyOf = async (merchantId: MerchantId) =>
    sealer.open((await currentKey(sql, merchantId)).privateKeySealed, belongsTo.privateKey(merchantId))
  const post = createSender({
    mode: config.mode,
    allow: config.hooksAllow,
    ownPorts: () => [config.port, config.metricsPort, config.mailPort],
    proxy: config.hooksProxy,
    dns: config.dns,
  })
  const outbox: Outbox = { holder: () => null, fullLanes: () => [], born: () => {} }
  const whereto = { mode: config.mode, allow: config.hooksAllow, ownPorts: () => [] }
  const ports: Ports = {
    store: saleStore(sql, outbox),
    service,
    now: clock.now,
    newTransactionId: () => newUuid() as TransactionId,
    newOperationId: () => newUuid() as OperationId,
    newEventId: () => newUuid() as EventId,
    openGateway: gatewayOpener(foundation, gatewayWorld),
    askPreSale: preSaleAsker(privateKeyOf, post),
    alert(sentence, facts) {
      metrics.alerts.inc()
      log.error(facts, sentence)
    },
  }
  return {
    ports,
    gatewayWorld,
    privateKeyOf,
    outbox,
    wakeWorkers: () => sql.notify(deliveriesChannel),
    whyNotUrl: url => whyNotUrl(url, whereto),
  }
}

/** An adapter keeps connections, so it is kept, until its sealed credentials change. */
function gatewayOpener({ sql, sealer }: Foundation, world: GatewayWorld): Ports['openGateway'] {
  const opened = new Map<GatewayId, { sealed: string; gateway: Gateway }>()
  return async (merchantId, gatewayId) => {
    const account = await findGateway(sql, merchantId, gatewayId)
    if (account === null) throw new Error(`gateway ${gatewayId} is gone`)
    const sealed = account.credentialsSealed.toString('base64')
    const known = opened.get(gatewayId)
    if (known?.sealed === sealed) return known.gateway
    const credentials = JSON.parse(sealer.open(account.credentialsSealed, belongsTo.credentials(merchantId, gatewayId)))
    const gateway = openGateway(gatewayId, account.type, credentials, world)
    known?.gateway.close()
    opened.set(gatewayId, { sealed, gateway })
    return gateway
  }
}
