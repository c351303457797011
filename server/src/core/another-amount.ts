// A success of another amount than was asked, which a person wants to settle as one of just that. Our books would then say
// what is not so: the amount asked. Only the gateway's own word, asked once more, makes it true.

import { gatewayDeadline, requestFor } from './call-gateway.ts'
import type { LookupOutcome } from './gateway.ts'
import { anotherAmountIn, isOfAnotherAmount, isOpen, type Operation, provenBy } from './operation.ts'
import type { Ports } from './ports.ts'
import type { Sale } from './sale.ts'

/**
 * Null: nothing speaks against it. Giving the difference back at the gateway is no way out: what it took stays what it was,
 * and when it tells of that refund, we would book it against the amount asked.
 */
export async function whyNotAsAsked(ports: Ports, sale: Sale, operation: Operation): Promise<string | null> {
  if (!isOfAnotherAmount(operation)) return null
  return saysAnotherAmount(operation, provenBy(operation, await lookedUp(ports, sale, operation), ports.now()))
}

/** The same, by what the gateway has just proven about it. */
export function saysAnotherAmount(operation: Operation, proven: Operation): string | null {
  if (proven.outcome === 'succeeded') return null
  const said = anotherAmountIn(proven) ?? anotherAmountIn(operation)
  if (said === null) return null
  const { kind } = operation
  const undo = kind === 'charge' || kind === 'capture' ? 'Give all of it back' : 'Put it right'
  const end = isOpen(operation) ? 'not-made' : 'dismissed'
  return `${said} As succeeded it would be booked as asked. ${undo} at the gateway, then settle it as ${end}.`
}

async function lookedUp(ports: Ports, sale: Sale, operation: Operation): Promise<LookupOutcome> {
  const { merchantId, gatewayId } = operation
  // One whose credentials cannot be read any more cannot take back what it said.
  const gateway = await ports.openGateway(merchantId, gatewayId).catch(() => null)
  if (gateway === null) return { kind: 'unknown', cause: 'The gateway cannot be opened.' }
  // A command ends after this, and must not wait for idle connections.
  return gateway.lookup(requestFor(sale, operation), gatewayDeadline()).finally(() => gateway.close())
}
