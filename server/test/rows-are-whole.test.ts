// What a row may be is held by the database, by functions that its checks call. Each rule is broken once, by itself, and named; with
// no search path, as while a dump is restored.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { freshDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
before(async () => {
  database = await freshDatabase()
})
after(() => database.drop())

type Members = { readonly [column: string]: unknown }
const now = '2026-11-15T12:00:00Z'
const uuid = '01a1e0e8-96dd-7000-bb23-b07647e6eb08'

const transaction: Members = {
  ...{ status: 'Successful', source: 'Web Transaction', pre_sale: 'passed', currency: 'USD', card_token: 'card' },
  ...{ unit_price_minor: 5_000, quantity: 2, amount_minor: 10_000, version: 1 },
  ...{ held_minor: 0, captured_minor: 10_000, refund_reserved_minor: 0, refunded_minor: 0 },
}
const failed = { ...transaction, status: 'Failed', captured_minor: 0, failure_code: 'x', failure_sentence: 'X.' }
const waiting = { ...transaction, status: 'Further Action Required', captured_minor: 0, action_expires_at: now }
const operation: Members = {
  ...{ kind: 'charge', outcome: 'succeeded', currency: 'USD', amount_minor: 1, asks: 0, sendings: 1 },
  ...{ gateway_ref: 'ref', settled_at: now },
}
const delivery: Members = { state: 'pending', attempts: 0, scheduled_made: 0, due_at: now, parked: false }
const event: Members = { kind: 'transaction', type: 'success', details: '{}', version: 2, transaction_id: uuid }

const whole: readonly (readonly [table: string, row: Members])[] = [
  ['transaction', transaction],
  ['transaction', failed],
  ['transaction', { ...waiting, action_wants: 'card', action_mail_to: 'ada@example.com', card_token: null }],
  ['transaction', { ...transaction, status: 'Processing', captured_minor: 0, lease_until: now }],
  ['transaction', { ...transaction, status: 'Authorized', held_minor: 10_000, captured_minor: 0 }],
  ['transaction', { ...transaction, status: 'Partially Refunded', refunded_minor: 1 }],
  ['transaction', { ...transaction, status: 'Refunded', refunded_minor: 10_000 }],
  ['transaction', { ...transaction, token_sha256: `\\x${'00'.repeat(32)}` }],
  ['operation', operation],
  ['operation', { ...operation, outcome: 'declined', decline_code: 'x', gateway_ref: null }],
  ['operation', { ...operation, outcome: 'unknown', settled_at: null, gateway_ref: null, doubt_told: 'person' }],
  ['owed_delivery', delivery],
  ['owed_delivery', { ...delivery, holder: uuid }],
  ['owed_delivery', { ...delivery, state: 'dropped', due_at: null, settled_at: now, attempts: 1, scheduled_made: 10 }],
  ['owed_delivery', { ...delivery, state: 'delivered', settled_at: now, resend_at: now }],
  ['event', event],
  ['event', { ...event, version: null, transaction_id: null, details: null }],
  // Its size is bounded where it is written: here it could only keep an outcome from being committed.
  ['event', { ...event, details: 'x'.repeat(65_537) }],
]

const broken: readonly (readonly [rule: string, row: Members])[] = [
  ['transaction_status_check', { ...transaction, status: 'Paid' }],
  ['transaction_source_check', { ...transaction, source: 'Fax' }],
  ['transaction_pre_sale_check', { ...transaction, pre_sale: 'maybe' }],
  ['transaction_action_wants_check', { ...waiting, action_wants: 'money' }],
  ['transaction_currency_check', { ...transaction, currency: 'usd' }],
  ['transaction_token_sha256_check', { ...transaction, token_sha256: '\\x00' }],
  ['transaction_quantity_check', { ...transaction, quantity: 0, amount_minor: 0 }],
  ['transaction_quantity_check', { ...transaction, quantity: 10_000 }],
  ['transaction_unit_price_minor_check', { ...transaction, unit_price_minor: 0, amount_minor: 0 }],
  ['transaction_amount_minor_check', { ...transaction, unit_price_minor: 1e12, quantity: 1, amount_minor: 1e12 }],
  ['transaction_total', { ...transaction, amount_minor: 10_001 }],
  ['transaction_money', { ...transaction, captured_minor: 10_001 }],
  ['transaction_money', { ...transaction, held_minor: -1 }],
  ['transaction_money', { ...transaction, refund_reserved_minor: 10_001 }],
  ['transaction_state_money', { ...transaction, captured_minor: 0 }],
  ['transaction_state_money', { ...transaction, status: 'Authorized' }],
  ['transaction_state_money', { ...transaction, refunded_minor: 1 }],
  ['transaction_state_money', { ...transaction, status: 'Partially Refunded' }],
  ['transaction_state_money', { ...transaction, status: 'Refunded', refunded_minor: 1 }],
  ['transaction_state_money', { ...failed, captured_minor: 1 }],
  ['transaction_failure', { ...failed, failure_code: null, failure_sentence: null }],
  ['transaction_failure', { ...failed, failure_sentence: null }],
  ['transaction_failure', { ...transaction, failure_code: 'x', failure_sentence: 'X.' }],
  ['transaction_action', { ...waiting, action_expires_at: null }],
  ['transaction_action', { ...transaction, action_expires_at: now }],
  ['transaction_lease', { ...transaction, lease_until: now }],
  ['transaction_wants', { ...transaction, action_wants: 'card' }],
  ['transaction_mail_to', { ...waiting, action_mail_to: 'ada@example.com' }],
  ['transaction_card', { ...transaction, card_token: null }],
  ['operation_kind_check', { ...operation, kind: 'gift' }],
  ['operation_outcome_check', { ...operation, outcome: 'lost' }],
  ['operation_doubt_told_check', { ...operation, doubt_told: 'nobody' }],
  ['operation_currency_check', { ...operation, currency: '' }],
  ['operation_amount_minor_check', { ...operation, amount_minor: 0 }],
  ['operation_asks_check', { ...operation, asks: -1 }],
  ['operation_sendings', { ...operation, sendings: -1 }],
  ['operation_declined', { ...operation, outcome: 'declined' }],
  ['operation_declined', { ...operation, decline_code: 'x' }],
  ['operation_settled', { ...operation, settled_at: null }],
  ['operation_settled', { ...operation, outcome: 'pending' }],
  ['operation_succeeded', { ...operation, gateway_ref: null }],
  ['owed_delivery_state', { ...delivery, state: 'lost' }],
  ['owed_delivery_attempts', { ...delivery, attempts: -1 }],
  ['owed_delivery_scheduled_made', { ...delivery, scheduled_made: 11 }],
  ['owed_delivery_settled_while', { ...delivery, settled_at: now }],
  ['owed_delivery_due_while', { ...delivery, due_at: null }],
  ['owed_delivery_due_while', { ...delivery, state: 'dropped', settled_at: now }],
  ['owed_delivery_nothing_owed', { ...delivery, state: 'delivered', due_at: null, settled_at: now }],
  ['owed_delivery_held_while', { ...delivery, holder: uuid, parked: true }],
  ['event_kind_check', { ...event, kind: 'generic' }],
  ['event_type_check', { ...event, type: 'paid' }],
  ['event_version', { ...event, transaction_id: null }],
]

async function brokenBy(table: string, row: Members): Promise<string | null> {
  return database.sql
    .begin(async scope => {
      await scope.unsafe("set local search_path = ''")
      await scope`select tillbell.${scope([`${table}_is_whole`])}(
        pg_catalog.jsonb_populate_record(null::tillbell.${scope([table])}, ${scope.json(row as never)}::pg_catalog.jsonb))`
      return null
    })
    .catch(({ code, constraint, message }) => {
      assert.equal(code, '23514', message)
      return String(constraint)
    })
}

test('every row that keeps the rules is taken', async () => {
  for (const [table, row] of whole) assert.equal(await brokenBy(table, row), null, JSON.stringify(row))
})

test('every rule is held, and named', async () => {
  for (const [rule, row] of broken) {
    assert.equal(
      await brokenBy(rule.startsWith('owed_') ? 'owed_delivery' : rule.replace(/_.*/, ''), row),
      rule,
      JSON.stringify(row).slice(0, 500),
    )
  }
})

test('every rule of the functions is broken here', async () => {
  const functions = await database.sql<{ text: string }[]>`
    select prosrc as text from pg_proc where proname like '%\\_is\\_whole' order by proname`
  const named = functions.flatMap(({ text }) => [...text.matchAll(/then '([a-z0-9_]+)'/g)].map(([, rule]) => rule))
  assert.deepEqual(named.sort(), [...new Set(broken.map(([rule]) => rule))].sort())
  assert.equal(functions.length, 4)
})

test('the tables are held by them', async () => {
  const constraints = await database.sql<{ name: string; definition: string }[]>`
    select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where conname like '%\\_is\\_whole' order by conname`
  assert.deepEqual(
    constraints.map(({ name, definition }) => [name, definition]),
    ['event', 'operation', 'owed_delivery', 'transaction'].map(table => [
      `${table}_is_whole`,
      `CHECK (${table}_is_whole(${table}.*)) NOT VALID`,
    ]),
  )
})
