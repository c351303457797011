// Joins what gateways tell by themselves to the rules and the rows.

import type { GatewayEventPorts } from './api/gateway-events.ts'
import { hearNotice, type NoticePorts } from './core/notice.ts'
import type { Foundation } from './foundation.ts'
import type { Joined } from './join-core.ts'
import { findOwner } from './store/directory.ts'
import { findCharge, hasCard, renewCard } from './store/notices.ts'

export function gatewayNotices(foundation: Foundation, joined: Joined): GatewayEventPorts {
  const { sql } = foundation
  const ports = noticePorts(foundation, joined)
  return {
    ownerOf: gatewayId => findOwner(sql, 'gateway', gatewayId),
    async hear(at, body, headers) {
      const gateway = await ports.openGateway(at.merchantId, at.gatewayId)
      if (gateway.notices === null) return { kind: 'tells_nothing' }
      const notice = await gateway.notices.read(body, headers)
      if (notice.kind === 'not_authentic') return notice
      return { kind: await hearNotice(ports, at, gateway, notice) }
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
