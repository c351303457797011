// Every way in which the books of a merchant can be wrong, done by SQL, and the sentence that the audit has for it.
// MERCHANT stands for the merchant that has done one of everything.

import {
  addDelivery,
  addEvent,
  captured,
  challenged,
  change,
  changeAttempt,
  declined,
  delivered,
  dropped,
  endpointOf,
  eventOf,
  firstOf,
  inDoubt,
  lent,
  refunded,
  sold,
  soldEvent,
  stoppedAlone,
  tested,
  triedAtOnce,
  versionOf,
  voided,
  waiting,
  without,
  writtenDownLongAgo,
} from './damage-sql.ts'
import { damagesOfMail, harmlessToMail, unrestOfMail } from './damages-of-mail.ts'
import { type Damage, damagesOfMoney } from './damages-of-money.ts'

const missing: readonly Damage[] = [
  ...(
    [
      [sold, 'transaction', 'Successful'],
      [captured, 'transaction', '(Authorized|Successful)'],
      [declined, 'error', 'Failed'],
      [challenged, 'far', 'Further Action Required'],
    ] as const
  ).map(([transaction, kind, status]) => ({
    what: `no ${kind} event for a change to ${status}`,
    statements: without(eventOf(transaction, kind)),
    found: [new RegExp(`^transaction \\S+ became ${status} with version \\d, which owes ${kind}, and has no notif`)],
  })),
  {
    what: 'one of two refunds was not told',
    statements: without(`merchant_id = MERCHANT and id = ${firstOf('event', "type = 'refund'")}`),
    found: [/^transaction \S+ owes 2 refund updates, and has 1\.$/],
  },
  {
    what: 'a void was not told',
    statements: without(eventOf(voided, 'update')),
    found: [/^transaction \S+ owes 1 void updates, and has 0\.$/],
  },
  {
    what: 'a dispute that was opened and won was told once',
    statements: [
      `insert into dispute (merchant_id, transaction_id, gateway_ref, status, amount_minor, currency, opened_at, changes)
        values (MERCHANT, ${sold}, 'dispute', 'won', 100, 'USD', now(), 2)`,
      writtenDownLongAgo,
      addEvent(sold, 'update', 'dispute', 'null'),
    ],
    found: [/^transaction \S+ owes 2 dispute updates, and has 1\.$/],
  },
  {
    what: 'it was not told that a bank sent a refund back',
    statements: [
      `update operation set outcome = 'declined', decline_code = 'processing_error'
        where merchant_id = MERCHANT and id = ${firstOf('operation', "kind = 'refund' and amount_minor = 3000")}`,
      change('transaction', refunded, 'refunded_minor = refunded_minor - 3000'),
    ],
    found: [/^transaction \S+ owes 3 refund updates, and has 2\.$/],
  },
]

const tooMany: readonly Damage[] = [
  {
    what: 'a change is told twice',
    statements: [writtenDownLongAgo, addEvent(sold, 'transaction', 'success', versionOf(sold, 'Successful'))],
    found: [/^transaction \S+ became Successful with version 2, which owes transaction, and has transaction and trans/],
  },
  {
    what: 'an error that Pre-Sale stopped without anybody’s consent is told',
    statements: [writtenDownLongAgo, addEvent(stoppedAlone, 'error', 'error', versionOf(stoppedAlone, 'Failed'))],
    found: [/^transaction \S+ became Failed with version 2, which owes nothing, and has error\.$/],
  },
  {
    what: 'an event of a change that never was',
    statements: [writtenDownLongAgo, addEvent(sold, 'error', 'error', '99')],
    found: [/^transaction \S+ has the error event \S+, and no change that owes it\.$/],
  },
  {
    what: 'an event that names no change',
    statements: [writtenDownLongAgo, addEvent(sold, 'transaction', 'success', 'null')],
    found: [/^transaction \S+ has the transaction event \S+, and no change that owes it\.$/],
  },
  {
    what: 'a refund is told that never was',
    statements: [writtenDownLongAgo, addEvent(refunded, 'update', 'refund', 'null')],
    found: [/^transaction \S+ owes 2 refund updates, and has 3\.$/],
  },
  {
    what: 'an event of one kind and the type of another',
    statements: [change('event', soldEvent, "type = 'far'")],
    found: [/^event \S+ is of kind transaction, and of type far\.$/],
  },
]

const ofChanges = (transaction: string) => `merchant_id = MERCHANT and transaction_id = ${transaction}`
const chain: readonly Damage[] = [
  {
    what: 'a change that was not written down',
    statements: [`delete from transaction_change where ${ofChanges(captured)} and to_status = 'Authorized'`],
    found: [
      /^transaction \S+ was Processing, and the change to version \d says it was Authorized before\.$/,
      /^transaction \S+ has the transaction event \S+, and no change that owes it\.$/,
    ],
  },
  {
    what: 'changes that do not follow from each other',
    statements: [
      `update transaction_change set from_status = 'Further Action Required' where ${ofChanges(captured)} and to_status = 'Successful'`,
    ],
    found: [
      /^transaction \S+ was Authorized, and the change to version \d says it was Further Action Required before\.$/,
    ],
  },
  {
    what: 'a state that no change led to',
    statements: [`delete from transaction_change where ${ofChanges(voided)} and to_status = 'Voided'`],
    found: [
      /^transaction \S+ is Voided, and by its changes it is Authorized\.$/,
      /^transaction \S+ owes 0 void updates, and has 1\.$/,
    ],
  },
]

const owedTo: readonly Damage[] = [
  {
    what: 'no delivery for an endpoint that was there',
    statements: [
      `delete from delivery where merchant_id = MERCHANT and event_id = ${soldEvent} and endpoint_id = ${endpointOf('generic')}`,
    ],
    found: [/^event \S+ is owed to endpoint \S+ \(generic\), and has no delivery for it\.$/],
  },
  {
    what: 'a delivery to an endpoint of another kind',
    statements: [addDelivery(soldEvent, endpointOf('error'))],
    found: [/^event \S+ has a delivery for endpoint \S+ \(error\), and owes none\.$/],
  },
  {
    what: 'an update to a generic endpoint',
    statements: [addDelivery(firstOf('event', "kind = 'update'"), endpointOf('generic'))],
    found: [/^event \S+ has a delivery for endpoint \S+ \(generic\), and owes none\.$/],
  },
  {
    what: 'a delivery to an endpoint that was deleted before',
    statements: [addDelivery(soldEvent, endpointOf('transaction', 'deleted_at is not null'))],
    found: [/^event \S+ has a delivery for endpoint \S+ \(transaction\), and owes none\.$/],
  },
  {
    what: 'a delivery to an endpoint that came later',
    statements: [change('hook_endpoint', endpointOf('update'), "created_at = now() + interval '1 year'")],
    found: [/^event \S+ has a delivery for endpoint \S+ \(update\), and owes none\.$/],
  },
  {
    what: 'a test that went to two',
    statements: [addDelivery(tested, endpointOf('transaction'))],
    found: [/^event \S+ is a test, owed to one endpoint, and has 2 deliveries\.$/],
  },
]

const deliveries: readonly Damage[] = [
  {
    what: 'a delivery of an event that is not there',
    statements: [addDelivery('gen_random_uuid()', endpointOf('transaction'))],
    found: [/^delivery \S+ names an event that is not there\.$/],
  },
  {
    what: 'a delivery to an endpoint that is not there',
    statements: [addDelivery(tested, 'gen_random_uuid()')],
    found: [
      /^delivery \S+ names an endpoint that is not there\.$/,
      /^event \S+ is a test, owed to one endpoint, and has 2 deliveries\.$/,
    ],
  },
  ...(['transaction', 'endpoint'] as const).map(what => ({
    what: `a Pre-Sale request that names no ${what}`,
    statements: [
      `insert into pre_sale_request (merchant_id, id, transaction_id, endpoint_id, url, recorded_at, status, duration_ms, answer, answered_at)
        select merchant_id, gen_random_uuid(), ${what === 'transaction' ? 'gen_random_uuid(), endpoint_id' : 'transaction_id, gen_random_uuid()'},
          url, recorded_at, status, duration_ms, answer, answered_at from pre_sale_request where merchant_id = MERCHANT and status = 200 limit 1`,
    ],
    found: [new RegExp(`^Pre-Sale request \\S+ names an? ${what} that is not there\\.$`)],
  })),
  {
    what: 'an event of a transaction that is not there',
    statements: [addEvent('gen_random_uuid()', 'transaction', 'success', '1')],
    found: [/^event \S+ names a transaction that is not there\.$/],
  },
  {
    what: 'pending, and never due',
    statements: [
      'alter table owed_delivery drop constraint owed_delivery_is_whole',
      change('owed_delivery', waiting, 'due_at = null'),
    ],
    found: [/^delivery \S+ is pending, and never due\.$/],
  },
  {
    what: 'what is owed has gone astray, and nobody has accepted it',
    statements: [`delete from owed_delivery where merchant_id = MERCHANT and id = ${waiting}`],
    found: [/^delivery \S+ is delivered, and no attempt was accepted\.$/],
  },
  {
    what: 'owed, without a delivery',
    statements: [`update owed_delivery set id = gen_random_uuid() where merchant_id = MERCHANT and id = ${waiting}`],
    found: [
      /^delivery \S+ is delivered, and no attempt was accepted\.$/,
      /^delivery \S+ is owed, and was never made so\.$/,
    ],
  },
  {
    what: 'owed to another endpoint than its delivery says',
    statements: [change('owed_delivery', waiting, 'endpoint_id = gen_random_uuid()')],
    found: [/^delivery \S+ is owed, and was never made so\.$/],
  },
  {
    what: 'due at a time that is not its place',
    statements: [change('owed_delivery', waiting, "due_at = due_at + interval '1 year'")],
    found: [/^delivery \S+ is due at 2\S+, and its place is 2\S+\.$/],
  },
  {
    what: 'an attempt of the schedule that was written twice',
    statements: [
      `insert into attempt (merchant_id, delivery_id, number, at, url, resend, status, duration_ms)
        select merchant_id, delivery_id, 2, at, url, false, status, duration_ms from attempt where merchant_id = MERCHANT and delivery_id = ${waiting}`,
      change('owed_delivery', waiting, 'attempts = 2'),
    ],
    found: [
      /^delivery \S+ counts 1 attempts of the schedule, and 2 were made\.$/,
      /^delivery \S+ was tried at 2\S+, too early for attempt 2\.$/,
    ],
  },
  {
    what: 'more attempts of the schedule than attempts',
    statements: [change('owed_delivery', waiting, 'scheduled_made = 2')],
    found: [
      /^delivery \S+ counts 2 attempts of the schedule's 10, and 1 in all\.$/,
      /^delivery \S+ counts 2 attempts of the schedule, and 1 were made\.$/,
      /^delivery \S+ is due at 2\S+, and its place is 2\S+\.$/,
    ],
  },
  {
    what: 'dropped too early',
    statements: [change('owed_delivery', waiting, "state = 'dropped', due_at = null, settled_at = now()")],
    found: [/^delivery \S+ was dropped after 1 attempts of the schedule's 10\.$/],
  },
  {
    what: 'pending after the tenth',
    statements: [change('owed_delivery', dropped, "state = 'pending', due_at = now(), settled_at = null")],
    found: [/^delivery \S+ is pending after all 10 attempts\.$/],
  },
  {
    what: 'canceled, though its endpoint is there',
    statements: [change('owed_delivery', waiting, "state = 'canceled', due_at = null, settled_at = now()")],
    found: [/^delivery \S+ was canceled, and its endpoint is enabled\.$/],
  },
  {
    what: 'delivered, though nobody accepted it',
    statements: [changeAttempt(delivered, 1, 'status = 302')],
    found: [/^delivery \S+ is delivered, and no attempt was accepted\.$/],
  },
  {
    what: 'dropped, though it was accepted',
    statements: [changeAttempt(dropped, 10, 'status = 204')],
    found: [/^delivery \S+ is dropped, and attempt 10 was accepted\.$/],
  },
  {
    what: 'an attempt that was not written down',
    statements: [`delete from attempt where merchant_id = MERCHANT and delivery_id = ${dropped} and number = 4`],
    found: [/^delivery \S+ counts 10 attempts, and has these: 1, 2, 3, 5, 6, 7, 8, 9, 10\.$/],
  },
  {
    what: 'delivered without any attempt',
    statements: [`delete from attempt where merchant_id = MERCHANT and delivery_id = ${delivered}`],
    found: [
      /^delivery \S+ counts 1 attempts, and has these: none\.$/,
      /^delivery \S+ is delivered, and no attempt was accepted\.$/,
    ],
  },
  {
    what: 'an attempt before its place',
    statements: [changeAttempt(dropped, 7, "at = at - interval '1 minute'")],
    found: [/^delivery \S+ was tried at 2\S+, too early for attempt 7\.$/],
  },
  {
    what: 'a schedule that began at another time',
    statements: [change('owed_delivery', dropped, "original_at = original_at - interval '1 hour'")],
    found: [/^delivery \S+ was first tried at 2\S+, and says otherwise\.$/],
  },
]

export const damages = [
  ...[...missing, ...tooMany, ...chain, ...owedTo, ...deliveries, ...damagesOfMoney],
  ...damagesOfMail,
]

/** What is no finding: forgotten by retention, too near in time to tell, or from before anything was written down. */
export const harmless: readonly Omit<Damage, 'found'>[] = [
  ...harmlessToMail,
  {
    what: 'attempts that were forgotten with the details',
    statements: [
      `delete from attempt where merchant_id = MERCHANT and delivery_id = ${delivered}`,
      change('event', soldEvent, 'details = null'),
    ],
  },
  {
    what: 'an endpoint that came in the moment of the event',
    statements: [
      `insert into hook_endpoint (merchant_id, id, kind, url, timeout_s, status, created_at)
        select MERCHANT, gen_random_uuid(), 'error', 'https://shop.example', 10, 'enabled', max(at) from event`,
    ],
  },
  {
    what: 'a checkout that was declined twice, and then paid',
    statements: triedAtOnce(declined, challenged, sold),
  },
  {
    what: 'cards given for one payment: one that is needed, one that is just due',
    statements: [lent(inDoubt, 5), lent(declined, 2)],
  },
  {
    what: 'events from before changes were written down',
    statements: [
      "update setting set value = to_jsonb(now() + interval '1 year') where name = 'audited_since'",
      addEvent(sold, 'transaction', 'success', 'null'),
      addDelivery(soldEvent, endpointOf('error')),
    ],
  },
]

/** What a worker is about to mend. */
export const unrest: readonly (Omit<Damage, 'found'> & { readonly noted: RegExp })[] = [
  ...unrestOfMail,
  {
    what: 'held by a worker that is gone',
    statements: [change('owed_delivery', waiting, 'holder = gen_random_uuid()')],
    noted: /^delivery \S+ is held by a worker that is gone, and about to be freed\.$/,
  },
  {
    what: 'taken up by a worker that is gone',
    statements: [
      `insert into claim (merchant_id, id, endpoint_id, holder, delivery_ids, attempts)
        select merchant_id, gen_random_uuid(), endpoint_id, gen_random_uuid(), array[id], array[attempts]
        from owed_delivery where merchant_id = MERCHANT and id = ${waiting}`,
    ],
    noted: /^delivery \S+ is held by a worker that is gone, and about to be freed\.$/,
  },
  {
    what: 'parked for an endpoint that was resumed',
    statements: [change('hook_endpoint', endpointOf('far'), "status = 'enabled', paused_because = null")],
    noted: /^delivery \S+ waits for an endpoint that was resumed\.$/,
  },
  {
    what: 'pending for an endpoint that was deleted',
    statements: [change('hook_endpoint', endpointOf('far'), "deleted_at = now() + interval '1 year'")],
    noted: /^delivery \S+ is pending, and its endpoint was deleted\.$/,
  },
]
