// Joins what gateways tell by themselves to the rules and the rows.

import type { GatewayEventPorts } from './api/gateway-events.ts'
import { type At, type Heard, hearNotice, type NoticePorts } from './core/notice.ts'
import { shareRuns } from './core/shared-runs.ts'
import type { Foundation } from './foundation.ts'
import type { Joined } from './join-core.ts'
import type { Logger } from './observe/log.ts'
import type { Metrics } from './observe/metrics.ts'
import { saySparingly } from './observe/say-sparingly.ts'
import { findOwner } from './store/directory.ts'
import { findCharge, hasCard, renewCard } from './store/notices.ts'

export function gatewayNotices(
  foundation: Foundation,
  log: Logger,
  metrics: Metrics,
  joined: Joined,
): GatewayEventPorts {
  const { sql } = foundation
  const sparingly = saySparingly()
  // Whoever knows the address may post anything there; only how it is refused is told, not what was posted.
  function tellRefused({ merchantId, gatewayId }: At, sentence: string): void {
    metrics.noticesRefused.inc({ gateway: joined.gatewayType(gatewayId) })
    const facts = { merchant: merchantId, gateway: gatewayId, cause: sentence }
    sparingly(gatewayId, unsaid => log.warn({ ...facts, ...(unsaid > 0 && { unsaid }) }, 'a notice was refused'))
  }
  const ports = noticePorts(foundation, joined)
  const share = shareRuns<Heard>()
  return {
    ownerOf: gatewayId => findOwner(sql, 'gateway', gatewayId),
    async read(at, body, headers) {
      const gateway = await ports.openGateway(at.merchantId, at.gatewayId)
      if (gateway.notices === null) return { kind: 'tells_nothing' }
      const notice = await gateway.notices.read(body, headers)
      if (notice.kind === 'not_authentic') {
        tellRefused(at, notice.sentence)
        return notice
      }
      const hear = () => hearNotice(ports, at, gateway, notice)
      if (notice.kind !== 'payment') return { kind: 'authentic', follow: hear }
      const { chargeRef, news } = notice
      return { kind: 'authentic', follow: () => share(`${at.gatewayId} ${chargeRef} ${news}`, hear) }
    },
  }
}

export function noticePorts({ sql }: Foundation, { ports }: Joined): NoticePorts {
  return {
    ...ports,
    findCharge: (at, chargeRef) => findCharge(sql, at, chargeRef),
    hasCard: (at, cardRef) => hasCard(sql, at, cardRef),
    renewCard: (at, card) => renewCard(sql, at, card),
  }
}
