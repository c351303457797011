// tillbell hooks list | show | resend

import { deliveryView, wholeView } from '../api/hook-deliveries.ts'
import { hookKinds } from '../core/hook-endpoint.ts'
import { type DeliveryId, type EndpointId, parseUuid, type TransactionId } from '../core/ids.ts'
import { deliveryStates } from '../core/retry-schedule.ts'
import { isoTime } from '../core/sale.ts'
import { notResentSays, type ShownAttempt, type ShownDelivery, type WholeDelivery } from '../core/shown-delivery.ts'
import { nilUuid } from '../core/test-details.ts'
import type { Foundation } from '../foundation.ts'
import { signerFor } from '../join-hook-routes.ts'
import { joinHooks } from '../join-hooks.ts'
import { openMetrics } from '../observe/metrics.ts'
import { findDelivery, listDeliveries } from '../store/hook-deliveries.ts'
import { askResend } from '../store/resends.ts'
import {
  type Call,
  type Command,
  FailedError,
  jsonOption,
  merchantOption,
  NotFoundError,
  textOption,
  UsageError,
} from './command.ts'
import { knownMerchant, withFoundation } from './key.ts'
import { idOption, limitOption, limitOptionHelp } from './list-options.ts'
import { shownAnswer } from './shown-answer.ts'
import { asTable } from './table.ts'

export const hooksList: Command = {
  positionals: [],
  options: {
    merchant: merchantOption,
    state: { type: 'state', says: `Only those in this state: ${deliveryStates.join(', ')}.` },
    kind: { type: 'kind', says: `Only those of this kind: ${hookKinds.join(', ')}.` },
    endpoint: { type: 'id', says: 'Only those to this endpoint.' },
    transaction: { type: 'id', says: 'Only those about this Transaction.' },
    limit: limitOptionHelp,
    after: { type: 'id', says: 'Go on after this delivery.' },
    json: jsonOption,
  },
  examples: ['tillbell hooks list --merchant m_… --state pending'],
  run: call => {
    const filter = {
      state: oneOf(call, 'state', deliveryStates),
      kind: oneOf(call, 'kind', hookKinds),
      endpoint: idOption<EndpointId>(call, 'endpoint'),
      transaction: idOption<TransactionId>(call, 'transaction'),
      after: idOption<DeliveryId>(call, 'after'),
      createdAfter: null,
      createdBefore: null,
      limit: limitOption(call),
    }
    return withFoundation(call, async foundation => {
      const deliveries = await listDeliveries(foundation.sql, await knownMerchant(call, foundation), filter)
      if (call.options.json === true) call.print(JSON.stringify(deliveries.map(deliveryView)))
      else call.print(deliveries.length === 0 ? 'There are none.' : asTable(head, deliveries.map(rowOf)))
    })
  },
}

const head = ['ID', 'CREATED', 'KIND', 'STATE', 'ATTEMPTS', 'NEXT ATTEMPT', 'URL']

function rowOf({ id, createdAt, kind, state, attempts, nextAttemptAt, url }: ShownDelivery): string[] {
  return [id, isoTime(createdAt), kind, state, String(attempts), timeOrNone(nextAttemptAt), url]
}

function timeOrNone(time: Date | null): string {
  return time === null ? '-' : isoTime(time)
}

export const hooksShow: Command = {
  positionals: ['ID'],
  options: { merchant: merchantOption, json: jsonOption },
  examples: ['tillbell hooks show DELIVERY --merchant m_…'],
  run: call =>
    withFoundation(call, async foundation => {
      const merchantId = await knownMerchant(call, foundation)
      const delivery = await findDelivery(foundation.sql, merchantId, deliveryId(call))
      if (delivery === null) throw noSuchDelivery()
      const hooks = { signatureOf: signerFor(hooksOf(call, foundation)) }
      const whole = await wholeView({ hooks }, merchantId, delivery)
      call.print(call.options.json === true ? JSON.stringify(whole) : asText(delivery, whole.signature))
    }),
}

function asText(delivery: WholeDelivery, signature: unknown): string {
  const { id, kind, endpointId, url, transactionId, state, nextAttemptAt, createdAt, details, made } = delivery
  const facts = { id, kind, endpoint: endpointId, url, transaction: transactionId ?? `${nilUuid} (a test)`, state }
  const times = { 'created at': isoTime(createdAt), 'next attempt': timeOrNone(nextAttemptAt) }
  const lines = Object.entries({ ...facts, ...times }).map(([name, value]) => `${name}: ${value}`)
  const said = details === null ? ['What it said was erased.'] : [`signature: ${signature}`, details]
  return [...lines, '', ...attemptLines(made), '', ...said].join('\n')
}

/** Each with the beginning of its answer under it. */
function attemptLines(made: readonly ShownAttempt[]): string[] {
  if (made.length === 0) return ['No attempt yet.']
  const [head = '', ...rows] = asTable(attemptHead, made.map(attemptRow)).split('\n')
  return [head, ...made.flatMap(({ response }, index) => [rows[index] ?? '', ...shownAnswer(response ?? '')])]
}

const attemptHead = ['ATTEMPT', 'AT', 'STATUS', 'TOOK', 'REASON']

function attemptRow({ number, at, status, durationMs, reason }: ShownAttempt): string[] {
  const took = durationMs === null ? '-' : `${durationMs} ms`
  return [String(number), isoTime(at), status === null ? '-' : String(status), took, reason ?? '']
}

export const hooksResend: Command = {
  positionals: ['ID'],
  options: { merchant: merchantOption, json: jsonOption },
  examples: ['tillbell hooks resend DELIVERY --merchant m_…'],
  run: call =>
    withFoundation(call, async foundation => {
      const { sql, clock } = foundation
      const merchantId = await knownMerchant(call, foundation)
      const id = deliveryId(call)
      const asked = await sql.begin(scope => askResend(scope, merchantId, id, clock.now()))
      if (asked === 'not known') throw noSuchDelivery()
      if (asked !== 'asked') throw new FailedError(notResentSays[asked])
      await hooksOf(call, foundation).wakeWorkers()
      const delivery = await findDelivery(sql, merchantId, id)
      if (delivery === null) throw noSuchDelivery()
      call.print(call.options.json === true ? JSON.stringify(deliveryView(delivery)) : `${id} will be sent again.`)
    }),
}

function hooksOf({ log }: Call, foundation: Foundation) {
  return joinHooks(foundation, log, openMetrics())
}

function noSuchDelivery(): NotFoundError {
  return new NotFoundError('That merchant has no such delivery.')
}

function deliveryId(call: Call): DeliveryId {
  const id = parseUuid<DeliveryId>(call.positionals[0] ?? '')
  if (id === null) throw noSuchDelivery()
  return id
}

function oneOf<Value extends string>(call: Call, name: string, values: readonly Value[]): Value | null {
  if (call.options[name] === undefined) return null
  const given = textOption(call, name)
  const found = values.find(value => value === given)
  if (found === undefined) throw new UsageError(`--${name} must be one of ${values.join(', ')}.`)
  return found
}
