// Joins the rules to the world: store, gateways, hooks, keys.

import type { Gateway } from './core/gateway.ts'
import type { EventId, GatewayId, OperationId, TransactionId } from './core/ids.ts'
import type { Ports } from './core/ports.ts'
import type { ServiceFacts } from './core/sale.ts'
import type { Foundation } from './foundation.ts'
import { type GatewayWorld, openGateway } from './gateways/open.ts'
import type { Entry, SandboxBooks, VaultCard } from './gateways/sandbox/books.ts'
import { preSaleAsker } from './hooks/ask-pre-sale.ts'
import type { JoinedHooks } from './join-hooks.ts'
import type { Logger } from './observe/log.ts'
import type { Metrics } from './observe/metrics.ts'
import { belongsTo } from './setup/merchant.ts'
import { findGateway } from './store/gateways.ts'
import { saleStore } from './store/sales.ts'
import { sandboxBooks } from './store/sandbox-books.ts'

export interface Joined extends JoinedHooks {
  readonly ports: Ports
  readonly gatewayWorld: GatewayWorld
}

export function corePorts(
  foundation: Foundation,
  log: Logger,
  metrics: Metrics,
  service: ServiceFacts,
  hooks: JoinedHooks,
): Joined {
  const { sql, clock, newUuid } = foundation
  const { gatewayWorld, openGateway } = openGateways(foundation, service)
  const ports: Ports = {
    store: saleStore(sql, hooks.outbox),
    service,
    now: clock.now,
    newTransactionId: () => newUuid() as TransactionId,
    newOperationId: () => newUuid() as OperationId,
    newEventId: () => newUuid() as EventId,
    openGateway,
    askPreSale: preSaleAsker(hooks),
    alert(sentence, facts) {
      metrics.alerts.inc()
      log.error(facts, sentence)
    },
  }
  return { ...hooks, ports, gatewayWorld }
}

export function openGateways(
  foundation: Foundation,
  service: ServiceFacts,
): Pick<Joined, 'gatewayWorld'> & Pick<Ports, 'openGateway'> {
  const { sql, sealer, config } = foundation
  const books: SandboxBooks = sandboxBooks<Entry, VaultCard>(sql)
  const gatewayWorld: GatewayWorld = {
    mode: config.mode,
    books,
    fingerprintKey: sealer.derive('card fingerprints'),
    challengeUrl: (gatewayId, operationId, returnUrl) =>
      `${service.baseUrl}/sandbox/challenges/${gatewayId}/${operationId}?return=${encodeURIComponent(returnUrl)}`,
  }
  return { gatewayWorld, openGateway: gatewayOpener(foundation, gatewayWorld) }
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
