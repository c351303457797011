-- 0011: Less for the database to do in every charge and every delivery; what a row may be stays as it was.

-- PostgreSQL reads the text of every check anew for every statement; of eighteen that is a sixth of what a charge costs it. A function is
-- read once per connection. It raises what a check would, under the same names, and calls nothing of
-- ours: a restored dump checks its rows before it has a search path.
create function transaction_is_whole(t transaction) returns boolean immutable language plpgsql as $$
declare
  rule text := case
    when t.status not in ('Processing', 'Successful', 'Authorized', 'Failed', 'Further Action Required', 'Voided',
      'Partially Refunded', 'Refunded') then 'transaction_status_check'
    when t.source not in ('Web Transaction', 'Email Transaction') then 'transaction_source_check'
    when t.pre_sale not in ('not_asked', 'asked', 'passed', 'stopped', 'error') then 'transaction_pre_sale_check'
    when t.action_wants not in ('proof', 'card', 'field', 'limit') then 'transaction_action_wants_check'
    when t.currency !~ '^[A-Z]{3}$' then 'transaction_currency_check'
    when length(t.token_sha256) <> 32 then 'transaction_token_sha256_check'
    when t.quantity not between 1 and 9999 then 'transaction_quantity_check'
    when t.unit_price_minor <= 0 then 'transaction_unit_price_minor_check'
    when t.amount_minor > 999999999999 then 'transaction_amount_minor_check'
    when t.amount_minor <> t.unit_price_minor * t.quantity then 'transaction_total'
    when not (t.held_minor between 0 and t.amount_minor and t.captured_minor between 0 and t.amount_minor
      and t.refund_reserved_minor >= 0 and t.refunded_minor >= 0
      and t.refund_reserved_minor + t.refunded_minor <= t.captured_minor) then 'transaction_money'
    when not (case t.status
      when 'Authorized' then t.held_minor = t.amount_minor and t.captured_minor = 0
      when 'Successful' then t.held_minor = 0 and t.captured_minor > 0 and t.refunded_minor = 0
      when 'Partially Refunded' then t.held_minor = 0 and t.refunded_minor > 0 and t.refunded_minor < t.captured_minor
      when 'Refunded' then t.held_minor = 0 and t.captured_minor > 0 and t.refunded_minor = t.captured_minor
      else t.held_minor = 0 and t.captured_minor = 0 end) then 'transaction_state_money'
    when (t.status = 'Failed') <> (t.failure_code is not null) or (t.failure_code is null) <> (t.failure_sentence is null)
      then 'transaction_failure'
    when (t.status = 'Further Action Required') <> (t.action_expires_at is not null) then 'transaction_action'
    when t.lease_until is not null and t.status <> 'Processing' then 'transaction_lease'
    when t.action_wants is not null and t.status <> 'Further Action Required' then 'transaction_wants'
    when t.action_mail_to is not null and t.action_wants is null then 'transaction_mail_to'
    when t.card_token is null and t.status not in ('Processing', 'Further Action Required', 'Failed')
      then 'transaction_card'
    end;
begin
  if rule is null then
    return true;
  end if;
  raise exception 'the row breaks %', rule using errcode = 'check_violation', constraint = rule;
end $$;
alter table transaction
  drop constraint transaction_status_check, drop constraint transaction_source_check, drop constraint transaction_pre_sale_check,
  drop constraint transaction_action_wants_check, drop constraint transaction_currency_check,
  drop constraint transaction_token_sha256_check, drop constraint transaction_quantity_check,
  drop constraint transaction_unit_price_minor_check, drop constraint transaction_amount_minor_check,
  drop constraint transaction_total, drop constraint transaction_money, drop constraint transaction_state_money,
  drop constraint transaction_failure, drop constraint transaction_action, drop constraint transaction_lease,
  drop constraint transaction_wants, drop constraint transaction_mail_to, drop constraint transaction_card,
  add constraint transaction_is_whole check (transaction_is_whole(transaction)) not valid;

create function operation_is_whole(o operation) returns boolean immutable language plpgsql as $$
declare
  rule text := case
    when o.kind not in ('charge', 'capture', 'void', 'refund') then 'operation_kind_check'
    when o.outcome not in ('pending', 'succeeded', 'declined', 'not_sent', 'unknown') then 'operation_outcome_check'
    when o.doubt_told not in ('unknown', 'person') then 'operation_doubt_told_check'
    when o.currency !~ '^[A-Z]{3}$' then 'operation_currency_check'
    when o.amount_minor <= 0 then 'operation_amount_minor_check'
    when o.asks < 0 then 'operation_asks_check'
    when o.sendings < 0 then 'operation_sendings'
    when (o.outcome = 'declined') <> (o.decline_code is not null) then 'operation_declined'
    when (o.outcome in ('pending', 'unknown')) <> (o.settled_at is null) then 'operation_settled'
    when o.outcome = 'succeeded' and o.gateway_ref is null then 'operation_succeeded'
    end;
begin
  if rule is null then
    return true;
  end if;
  raise exception 'the row breaks %', rule using errcode = 'check_violation', constraint = rule;
end $$;
alter table operation
  drop constraint operation_kind_check, drop constraint operation_outcome_check, drop constraint operation_doubt_told_check,
  drop constraint operation_currency_check, drop constraint operation_amount_minor_check, drop constraint operation_asks_check,
  drop constraint operation_sendings, drop constraint operation_declined, drop constraint operation_settled,
  drop constraint operation_succeeded,
  add constraint operation_is_whole check (operation_is_whole(operation)) not valid;

create function delivery_is_whole(d delivery) returns boolean immutable language plpgsql as $$
declare
  rule text := case
    when d.state not in ('pending', 'delivered', 'dropped', 'canceled') then 'delivery_state_check'
    when d.attempts < 0 then 'delivery_attempts'
    when d.scheduled_made not between 0 and 10 then 'delivery_scheduled_made_check'
    when (d.state = 'pending') <> (d.settled_at is null) then 'delivery_check'
    when (d.due_at is not null) <> (d.state = 'pending' or d.resend_at is not null) then 'delivery_due_while'
    when d.holder is not null and (d.due_at is null or d.parked) then 'delivery_held_while'
    end;
begin
  if rule is null then
    return true;
  end if;
  raise exception 'the row breaks %', rule using errcode = 'check_violation', constraint = rule;
end $$;
alter table delivery
  drop constraint delivery_state_check, drop constraint delivery_attempts, drop constraint delivery_scheduled_made_check,
  drop constraint delivery_check, drop constraint delivery_due_while, drop constraint delivery_held_while,
  add constraint delivery_is_whole check (delivery_is_whole(delivery)) not valid;

create function event_is_whole(v event) returns boolean immutable language plpgsql as $$
declare
  rule text := case
    when v.kind not in ('transaction', 'far', 'error', 'update') then 'event_kind_check'
    when v.type not in ('success', 'far', 'error', 'refund', 'void', 'dispute') then 'event_type_check'
    when octet_length(v.details) > 65536 then 'event_details_check'
    when v.version is not null and v.transaction_id is null then 'event_version'
    end;
begin
  if rule is null then
    return true;
  end if;
  raise exception 'the row breaks %', rule using errcode = 'check_violation', constraint = rule;
end $$;
alter table event
  drop constraint event_kind_check, drop constraint event_type_check, drop constraint event_details_check,
  drop constraint event_version, add constraint event_is_whole check (event_is_whole(event)) not valid;

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
