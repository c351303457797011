// Two ledgers to compare: entries that agree unless a test says otherwise, and a world that lists them.

import type { GatewayEntry } from '../../src/core/gateway.ts'
import type { OperationId, TransactionId } from '../../src/core/ids.ts'
import { type OurBooks, reconcile, type Span } from '../../src/core/reconcile.ts'
import type { OurOperation } from '../../src/core/reconcile-entry.ts'
import { allPromises, hourMs } from './fake-world.ts'
import { after, noon, usd } from './sale-samples.ts'

export const span: Span = { from: noon, to: after(noon, 24 * hourMs) }
export const begunAt = after(noon, 100 * hourMs)

function idOf(number: number): OperationId {
  return `00000000-0000-7000-8000-${String(number).padStart(12, '0')}` as OperationId
}

export function ours(some: Partial<OurOperation> = {}, number = 1): OurOperation {
  return {
    kind: 'charge',
    operationId: idOf(number),
    transactionId: 'the transaction' as TransactionId,
    gatewayRef: `ref_${number}`,
    amountMinor: 10_000n,
    currency: usd,
    createdAt: after(noon, hourMs),
    outcome: 'succeeded',
    underWay: false,
    waitsForCustomer: false,
    authorizationOnly: false,
    followUp: null,
    settledAt: 'changedAt' in some ? (some.changedAt ?? null) : after(noon, hourMs),
    changedAt: after(noon, hourMs),
    forPerson: null,
    moreForPerson: [],
    ...some,
  }
}

export function theirs(some: Partial<GatewayEntry> = {}, number = 1): GatewayEntry {
  return {
    kind: 'charge',
    gatewayRef: `ref_${number}`,
    operationId: idOf(number),
    state: 'succeeded',
    amountMinor: 10_000n,
    currency: usd,
    at: after(noon, hourMs),
    ...some,
  }
}

/** Our books, and what was asked of the gateway's list: it shows what was made in the span that it is asked for. */
export function worldOf(here: readonly OurOperation[], there: readonly GatewayEntry[]) {
  const listed: Span[] = []
  const isIn = (of: Span, time: Date) => of.from <= time && time < of.to
  const books: OurBooks = {
    find: async (ids, refs) =>
      here.filter(
        ({ operationId, gatewayRef }) =>
          ids.includes(operationId) || (gatewayRef !== null && refs.includes(gatewayRef)),
      ),
    succeeded: async (of, last, limit) =>
      here
        .filter(each => each.outcome === 'succeeded' && isIn(of, each.createdAt))
        .filter(each => last === null || each.operationId > last)
        .sort((a, b) => (a.operationId < b.operationId ? -1 : 1))
        .slice(0, limit),
    async lastDoneAt(of, withinMs) {
      const ends = here
        .filter(each => isIn(of, each.createdAt))
        .map(each =>
          Math.min(each.settledAt?.getTime() ?? Number.POSITIVE_INFINITY, each.createdAt.getTime() + withinMs),
        )
      return ends.length === 0 ? null : new Date(Math.max(...ends))
    },
  }
  const gateway = {
    promises: allPromises,
    async *list(of: Span) {
      listed.push(of)
      yield* there.filter(({ at }) => isIn(of, at))
    },
  }
  const run = (of = span) => reconcile(books, gateway, of, begunAt, AbortSignal.timeout(10_000))
  return { run, listed }
}
