// The rows of a merchant that has done one of everything, and ways to change them, as SQL. MERCHANT stands for the merchant.

export const firstOf = (table: string, which: string) =>
  `(select id from ${table} where merchant_id = MERCHANT and ${which} order by id limit 1)`
const transactionThat = (which: string) => firstOf('transaction', which)
const deliveryThat = (which: string) => firstOf('whole_delivery', which)

export const sold = transactionThat("status = 'Successful' and not authorization_only and pre_sale = 'not_asked'")
export const captured = transactionThat("status = 'Successful' and authorization_only")
export const refunded = transactionThat("status = 'Partially Refunded'")
export const voided = transactionThat("status = 'Voided'")
export const declined = transactionThat("failure_code = 'card_declined'")
export const challenged = transactionThat("failure_code = 'action_expired'")
export const inDoubt = transactionThat("status = 'Processing'")
export const stoppedAlone = transactionThat(`pre_sale = 'stopped' and not exists (
  select from event v where v.merchant_id = MERCHANT and v.transaction_id = transaction.id)`)
export const soldEvent = firstOf('event', `transaction_id = ${sold}`)
export const tested = firstOf('event', 'transaction_id is null')

export const delivered = deliveryThat(`state = 'delivered' and event_id = ${soldEvent}`)
export const dropped = deliveryThat("state = 'dropped' and attempts = 10")
export const waiting = deliveryThat("state = 'pending' and attempts = 1")

export const endpointOf = (kind: string, more = 'deleted_at is null') =>
  firstOf('hook_endpoint', `kind = '${kind}' and ${more}`)

/** Events with all that hangs on them. */
export const without = (events: string) => [
  `delete from attempt where merchant_id = MERCHANT and delivery_id in (
    select id from delivery where merchant_id = MERCHANT and event_id in (select id from event where ${events}))`,
  `with owed as (delete from owed_delivery where merchant_id = MERCHANT and event_id in (select id from event where ${events}))
    delete from delivery where merchant_id = MERCHANT and event_id in (select id from event where ${events})`,
  `delete from event where ${events}`,
]
export const eventOf = (transaction: string, kind: string) =>
  `merchant_id = MERCHANT and transaction_id = ${transaction} and kind = '${kind}'`
/** From before any endpoint was there, so that nobody is owed it. */
export const addEvent = (transaction: string, kind: string, type: string, version: string) =>
  `insert into event (merchant_id, id, transaction_id, kind, type, at, version) select MERCHANT, gen_random_uuid(),
    ${transaction}, '${kind}', '${type}', min(created_at) - interval '1 hour', ${version} from hook_endpoint`
export const versionOf = (transaction: string, to: string) =>
  `(select version from transaction_change where merchant_id = MERCHANT and transaction_id = ${transaction} and to_status = '${to}')`
export const addDelivery = (event: string, endpoint: string) =>
  `with born as (insert into delivery (merchant_id, id, event_id, endpoint_id, created_at)
      values (MERCHANT, gen_random_uuid(), ${event}, ${endpoint}, now()) returning *)
    insert into owed_delivery (merchant_id, id, event_id, endpoint_id, created_at, due_at)
    select merchant_id, id, event_id, endpoint_id, created_at, created_at from born`
export const addOperation = (transaction: string, kind: string, outcome: string) =>
  `insert into operation (merchant_id, id, transaction_id, kind, gateway_id, amount_minor, currency, created_at, outcome,
      sendings, asks, gateway_ref, settled_at, lease_no, lease_until)
    select merchant_id, gen_random_uuid(), id, '${kind}', gateway_id, amount_minor, currency, now(), '${outcome}',
      1, 0, 'ref', now(), 1, now() from transaction where merchant_id = MERCHANT and id = ${transaction}`
export const change = (table: string, id: string, set: string) =>
  `update ${table} set ${set} where merchant_id = MERCHANT and id = ${id}`
export const changeAttempt = (delivery: string, number: number, set: string) =>
  `update attempt set ${set} where merchant_id = MERCHANT and delivery_id = ${delivery} and number = ${number}`

/** As if these were the tries of one checkout. */
export const triedAtOnce = (...transactions: readonly string[]) =>
  transactions.map(
    (
      transaction,
      number,
    ) => `insert into idempotency_key (merchant_id, operation, key, arguments_hash, transaction_id, created_at)
      values (MERCHANT, 'page', 'c0ffee.${number}', 'page', ${transaction}, now())`,
  )
/** As if its card had been given for this one payment. */
export const lent = (transaction: string, daysAgo: number) =>
  `update card set created_at = now() - interval '${daysAgo} days', remove_at = now(), removed_at = null
    where merchant_id = MERCHANT and token = (select card_token from transaction where merchant_id = MERCHANT and id = ${transaction})`

/** Long ago, nothing was written down yet. */
export const writtenDownLongAgo = `update setting set value = to_jsonb(now() - interval '1 day') where name = 'audited_since'`
