import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, noon, charge as operation, sale } from '../../test/support/sale-samples.ts'
import type { EventId, OperationId } from '../core/ids.ts'
import type { Operation } from '../core/operation.ts'
import type { SaleHistory, StatusChange, ToldEvent } from '../core/sale-history.ts'
import type { TransactionStatus } from '../core/transaction.ts'
import { timelineOf } from './timeline.ts'

/** Of a sandbox whose clock was moved by a week: the database dates changes by its own. */
const databaseNow = after(noon, -7 * 86_400_000)

function history(more: Partial<SaleHistory>): SaleHistory {
  const none = { letters: [], preSale: [], changes: [], asks: [], resolutions: [], events: [], mails: [] }
  return { sale: { ...sale, operations: [] }, ...none, ...more }
}

function made(number: number, more: Partial<Operation>): Operation {
  const id = `0192aaaa-0000-7000-8000-0000000001${String(number).padStart(2, '0')}` as OperationId
  return {
    ...operation,
    id,
    createdAt: noon,
    outcome: 'succeeded',
    settledAt: noon,
    gatewayRef: `ref_${number}`,
    ...more,
  }
}

function change(version: number, fromStatus: TransactionStatus, toStatus: TransactionStatus): StatusChange {
  return { version, fromStatus, toStatus, at: databaseNow }
}

function event(version: number | null, at: Date, kind: ToldEvent['kind'] = 'transaction'): ToldEvent {
  const id = `0192aaaa-0000-7000-8000-0000000002${String(version ?? 0).padStart(2, '0')}` as EventId
  return { id, kind, type: 'success', at, version, deliveries: [] }
}

function story(of: SaleHistory): string[] {
  return timelineOf(of).map(moment => {
    if (moment.kind === 'status') return moment.to
    return 'what' in moment ? `${moment.kind} ${moment.what}` : moment.kind
  })
}

test('what happened in one moment is told in the order of causes', () => {
  const operations = [
    made(1, { kind: 'charge' }),
    made(2, { kind: 'capture' }),
    made(3, { kind: 'refund' }),
    made(4, { kind: 'refund' }),
  ]
  const changes = [
    change(2, 'Processing', 'Authorized'),
    change(3, 'Authorized', 'Successful'),
    change(5, 'Successful', 'Partially Refunded'),
    change(7, 'Partially Refunded', 'Refunded'),
  ]
  const events = [event(2, noon), event(3, noon)]
  assert.deepEqual(story(history({ sale: { ...sale, operations }, changes, events })), [
    'created',
    ...['operation_begun charge', 'operation_ended charge', 'Authorized', 'notification'],
    ...['operation_begun capture', 'operation_ended capture', 'Successful', 'notification'],
    ...['operation_begun refund', 'operation_ended refund', 'Partially Refunded'],
    ...['operation_begun refund', 'operation_ended refund', 'Refunded'],
  ])
})

test('two refunds at once are told as they were answered, not as they were asked', () => {
  const operations = [
    made(1, { kind: 'charge' }),
    made(2, { kind: 'refund', createdAt: after(noon, 1_000), settledAt: after(noon, 4_000) }),
    made(3, { kind: 'refund', createdAt: after(noon, 2_000), settledAt: after(noon, 3_000) }),
  ]
  const changes = [
    change(2, 'Processing', 'Successful'),
    change(5, 'Successful', 'Partially Refunded'),
    change(6, 'Partially Refunded', 'Refunded'),
  ]
  const moments = timelineOf(history({ sale: { ...sale, operations }, changes }))
  assert.deepEqual(
    moments
      .slice(4)
      .map(moment => ('operation' in moment ? `${moment.kind} ${moment.operation.slice(-1)}` : moment.kind)),
    ['operation_begun 2', 'operation_begun 3', 'operation_ended 3', 'status', 'operation_ended 2', 'status'],
  )
})

test('a payment by mail that waited goes on before anything is asked, whatever the database’s clock says', () => {
  const operations = [made(1, { kind: 'charge', createdAt: after(noon, 60_000), settledAt: after(noon, 61_000) })]
  const changes = [
    change(2, 'Processing', 'Further Action Required'),
    change(3, 'Further Action Required', 'Processing'),
    change(4, 'Processing', 'Successful'),
  ]
  const events = [event(2, after(noon, 10), 'far'), event(4, after(noon, 61_000))]
  const moments = history({ sale: { ...sale, operations }, changes, events })
  assert.deepEqual(story(moments), [
    ...['created', 'Further Action Required', 'notification'],
    ...['Processing', 'operation_begun charge', 'operation_ended charge', 'Successful', 'notification'],
  ])
  const justGoneOn = history({ changes: changes.slice(0, 2), events: events.slice(0, 1) })
  assert.deepEqual(story(justGoneOn), ['created', 'Further Action Required', 'notification', 'Processing'])
})

test('a sale that Pre-Sale stopped fails after it was asked', () => {
  const asked = {
    id: 'd',
    url: 'https://shop.example/',
    recordedAt: after(noon, 5),
    answeredAt: after(noon, 80),
  } as const
  const stopped = { ...asked, status: 403, durationMs: 70, reason: null, answer: 'x'.repeat(1_000) } as never
  const changes = [change(2, 'Processing', 'Failed')]
  const failed = {
    ...sale.transaction,
    status: 'Failed' as const,
    failure: { code: 'pre_sale_stopped' as const, sentence: 'No.' },
  }
  const moments = timelineOf(
    history({ sale: { ...sale, transaction: failed, operations: [] }, preSale: [stopped], changes }),
  )
  assert.deepEqual(
    moments.map(({ kind }) => kind),
    ['created', 'pre_sale', 'status'],
  )
  const [, preSale, status] = moments
  assert.ok(preSale?.kind === 'pre_sale' && status?.kind === 'status')
  assert.deepEqual(
    [preSale.state, preSale.reason, preSale.response?.length],
    ['stopped', 'The endpoint answered 403.', 300],
  )
  assert.deepEqual([status.error_code, status.sentence], ['pre_sale_stopped', 'No.'])
})

test('doubt is told with every ask, and with who ended it', () => {
  const charge = made(1, { kind: 'charge', settledAt: after(noon, 90_000) })
  const { id: operationId } = charge
  const asks = [1, 2].map(number => ({
    operationId,
    number,
    at: after(noon, number * 5_000),
    step: 'look_up' as const,
    heard: ['Nothing.'],
  }))
  const resolutions = [
    {
      ...{ operationId, at: after(noon, 90_000), verdict: 'succeeded' as const, by: 'Ada', note: 'Seen there.' },
      answers: null,
    },
  ]
  const changes = [change(2, 'Processing', 'Successful')]
  assert.deepEqual(story(history({ sale: { ...sale, operations: [charge] }, asks, resolutions, changes })), [
    ...['created', 'operation_begun charge', 'asked_again charge', 'asked_again charge'],
    ...['resolved charge', 'operation_ended charge', 'Successful'],
  ])
})

test('what is not known yet says so where it was asked', () => {
  const nextAskAt = after(noon, 30_000)
  const open = made(1, { kind: 'charge', outcome: 'unknown', settledAt: null, cause: 'No answer.', nextAskAt })
  const [, begun] = timelineOf(history({ sale: { ...sale, operations: [open] } }))
  assert.ok(begun?.kind === 'operation_begun')
  assert.deepEqual(begun.open, {
    outcome: 'unknown',
    heard: 'No answer.',
    for_person: null,
    more_for_person: [],
    next_ask_at: '2026-11-15T12:00:30.123+00:00',
  })
})
