-- 0011: Less for the database to do in every charge and every delivery; what a row may be stays as it was.

-- PostgreSQL reads the text of every check anew for every statement; of eighteen that is a sixth of what a charge costs it. A function is
-- read once per connection. It raises what a check would, under the same names.
create function broken(rule text) returns boolean language plpgsql as $$
begin
  raise exception 'the row breaks %', rule using errcode = 'check_violation', constraint = rule;
end $$;

create function is_whole(t transaction) returns boolean immutable language plpgsql as $$
begin
  return case
    when t.status not in ('Processing', 'Successful', 'Authorized', 'Failed', 'Further Action Required', 'Voided',
      'Partially Refunded', 'Refunded') then broken('transaction_status_check')
    when t.source not in ('Web Transaction', 'Email Transaction') then broken('transaction_source_check')
    when t.pre_sale not in ('not_asked', 'asked', 'passed', 'stopped', 'error') then broken('transaction_pre_sale_check')
    when t.action_wants not in ('proof', 'card', 'field', 'limit') then broken('transaction_action_wants_check')
    when t.currency !~ '^[A-Z]{3}$' then broken('transaction_currency_check')
    when length(t.token_sha256) <> 32 then broken('transaction_token_sha256_check')
    when t.quantity not between 1 and 9999 then broken('transaction_quantity_check')
    when t.unit_price_minor <= 0 then broken('transaction_unit_price_minor_check')
    when t.amount_minor > 999999999999 then broken('transaction_amount_minor_check')
    when t.amount_minor <> t.unit_price_minor * t.quantity then broken('transaction_total')
    when not (t.held_minor between 0 and t.amount_minor and t.captured_minor between 0 and t.amount_minor
      and t.refund_reserved_minor >= 0 and t.refunded_minor >= 0
      and t.refund_reserved_minor + t.refunded_minor <= t.captured_minor) then broken('transaction_money')
    when not (case t.status
      when 'Authorized' then t.held_minor = t.amount_minor and t.captured_minor = 0
      when 'Successful' then t.held_minor = 0 and t.captured_minor > 0 and t.refunded_minor = 0
      when 'Partially Refunded' then t.held_minor = 0 and t.refunded_minor > 0 and t.refunded_minor < t.captured_minor
      when 'Refunded' then t.held_minor = 0 and t.captured_minor > 0 and t.refunded_minor = t.captured_minor
      else t.held_minor = 0 and t.captured_minor = 0 end) then broken('transaction_state_money')
    when (t.status = 'Failed') <> (t.failure_code is not null) or (t.failure_code is null) <> (t.failure_sentence is null)
      then broken('transaction_failure')
    when (t.status = 'Further Action Required') <> (t.action_expires_at is not null) then broken('transaction_action')
    when t.lease_until is not null and t.status <> 'Processing' then broken('transaction_lease')
    when t.action_wants is not null and t.status <> 'Further Action Required' then broken('transaction_wants')
    when t.action_mail_to is not null and t.action_wants is null then broken('transaction_mail_to')
    when t.card_token is null and t.status not in ('Processing', 'Further Action Required', 'Failed')
      then broken('transaction_card')
    else true end;
end $$;
alter table transaction
  drop constraint transaction_status_check, drop constraint transaction_source_check, drop constraint transaction_pre_sale_check,
  drop constraint transaction_action_wants_check, drop constraint transaction_currency_check,
  drop constraint transaction_token_sha256_check, drop constraint transaction_quantity_check,
  drop constraint transaction_unit_price_minor_check, drop constraint transaction_amount_minor_check,
  drop constraint transaction_total, drop constraint transaction_money, drop constraint transaction_state_money,
  drop constraint transaction_failure, drop constraint transaction_action, drop constraint transaction_lease,
  drop constraint transaction_wants, drop constraint transaction_mail_to, drop constraint transaction_card,
  add constraint transaction_is_whole check (is_whole(transaction)) not valid;

create function is_whole(o operation) returns boolean immutable language plpgsql as $$
begin
  return case
    when o.kind not in ('charge', 'capture', 'void', 'refund') then broken('operation_kind_check')
    when o.outcome not in ('pending', 'succeeded', 'declined', 'not_sent', 'unknown') then broken('operation_outcome_check')
    when o.doubt_told not in ('unknown', 'person') then broken('operation_doubt_told_check')
    when o.currency !~ '^[A-Z]{3}$' then broken('operation_currency_check')
    when o.amount_minor <= 0 then broken('operation_amount_minor_check')
    when o.asks < 0 then broken('operation_asks_check')
    when o.sendings < 0 then broken('operation_sendings')
    when (o.outcome = 'declined') <> (o.decline_code is not null) then broken('operation_declined')
    when (o.outcome in ('pending', 'unknown')) <> (o.settled_at is null) then broken('operation_settled')
    when o.outcome = 'succeeded' and o.gateway_ref is null then broken('operation_succeeded')
    else true end;
end $$;
alter table operation
  drop constraint operation_kind_check, drop constraint operation_outcome_check, drop constraint operation_doubt_told_check,
  drop constraint operation_currency_check, drop constraint operation_amount_minor_check, drop constraint operation_asks_check,
  drop constraint operation_sendings, drop constraint operation_declined, drop constraint operation_settled,
  drop constraint operation_succeeded,
  add constraint operation_is_whole check (is_whole(operation)) not valid;

create function is_whole(d delivery) returns boolean immutable language plpgsql as $$
begin
  return case
    when d.state not in ('pending', 'delivered', 'dropped', 'canceled') then broken('delivery_state_check')
    when d.attempts < 0 then broken('delivery_attempts')
    when d.scheduled_made not between 0 and 10 then broken('delivery_scheduled_made_check')
    when (d.state = 'pending') <> (d.settled_at is null) then broken('delivery_check')
    when (d.due_at is not null) <> (d.state = 'pending' or d.resend_at is not null) then broken('delivery_due_while')
    when d.holder is not null and (d.due_at is null or d.parked) then broken('delivery_held_while')
    else true end;
end $$;
alter table delivery
  drop constraint delivery_state_check, drop constraint delivery_attempts, drop constraint delivery_scheduled_made_check,
  drop constraint delivery_check, drop constraint delivery_due_while, drop constraint delivery_held_while,
  add constraint delivery_is_whole check (is_whole(delivery)) not valid;

create function is_whole(v event) returns boolean immutable language plpgsql as $$
begin
  return case
    when v.kind not in ('transaction', 'far', 'error', 'update') then broken('event_kind_check')
    when v.type not in ('success', 'far', 'error', 'refund', 'void', 'dispute') then broken('event_type_check')
    when octet_length(v.details) > 65536 then broken('event_details_check')
    when v.version is not null and v.transaction_id is null then broken('event_version')
    else true end;
end $$;
alter table event
  drop constraint event_kind_check, drop constraint event_type_check, drop constraint event_details_check,
  drop constraint event_version, add constraint event_is_whole check (is_whole(event)) not valid;

-- Rows that were there have passed the checks before. A `not valid` one holds for every row that is written from now on, and reads no table
-- while others wait.

-- References that cannot break. Merchants, offers, customers, cards and gateways are never deleted, and a charge names those that it has
-- just read; an attempt is written by the statement that updates its delivery, and a change by the trigger of its transaction. To check them
-- took a lock on the same few rows in every charge of a merchant, each a write of its own. The audit looks whether all are there.
alter table transaction
  drop constraint transaction_merchant_id_fkey, drop constraint transaction_merchant_id_offer_id_fkey,
  drop constraint transaction_merchant_id_customer_id_fkey, drop constraint transaction_merchant_id_card_token_fkey,
  drop constraint transaction_merchant_id_gateway_id_fkey;
alter table operation drop constraint operation_merchant_id_gateway_id_fkey;
alter table idempotency_key drop constraint idempotency_key_merchant_id_fkey;
alter table attempt drop constraint attempt_merchant_id_delivery_id_fkey;
alter table transaction_change drop constraint transaction_change_merchant_id_transaction_id_fkey;

-- Of what has no guard there is nothing to find; and the planner took an index of all that is open for a way to one of them.
drop index transaction_repeat, operation_repeat;
create unique index transaction_repeat on transaction (merchant_id, repeat_guard)
  where status = 'Processing' and repeat_guard is not null;
create unique index operation_repeat on operation (merchant_id, repeat_guard)
  where outcome in ('pending', 'unknown') and repeat_guard is not null;
