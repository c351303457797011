-- 0016: An email charges at once only where its customer surely wants to pay; every other one is confirmed by a link.

-- A payment by email may wait for its customer's confirmation.
create or replace function transaction_is_whole(t transaction) returns boolean immutable language plpgsql as $$
declare
  rule text := case
    when t.status not in ('Processing', 'Successful', 'Authorized', 'Failed', 'Further Action Required', 'Voided',
      'Partially Refunded', 'Refunded') then 'transaction_status_check'
    when t.source not in ('Web Transaction', 'Email Transaction') then 'transaction_source_check'
    when t.pre_sale not in ('not_asked', 'asked', 'passed', 'stopped', 'error') then 'transaction_pre_sale_check'
    when t.action_wants not in ('proof', 'card', 'field', 'confirmation', 'limit') then 'transaction_action_wants_check'
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

alter table letter
  -- It was asked for with a token for one customer or card, which only the merchant can have made. Before: treated as public.
  add column is_personal boolean not null default false,
  -- Its words say that its sender wants to pay; null: it came before this was asked, and does not charge at once.
  add column has_consent boolean,
  -- Its token is for another customer than its sender.
  add column is_for_another boolean not null default false;

-- Nobody but one customer, or the owner of one card, can pay with it, and once.
alter table token add column is_personal boolean not null default false;
update token t set is_personal = true from offer o
where o.merchant_id = t.merchant_id and o.id = t.offer_id and (o.email is not null or t.verifies is not null or t.only_card is not null);

alter table mail_settings
  add column public_charge_at_once boolean not null default false,
  add column personal_charge_at_once boolean not null default true,
  -- What emails may say that charge at once, beside the sentence of our own links.
  add column sentences jsonb not null default '[]';

-- The token with which one customer pays an offer by email at once: the same one until it is used, revoked or expired.
create table offer_link (
  merchant_id text not null,
  offer_id uuid not null,
  email text not null check (email = lower(email collate "C")),
  -- The token as it stands in an email, what it is known by, and when it expires; null: never.
  content text not null,
  box_sha256 bytea not null,
  expires_at timestamptz,
  primary key (merchant_id, offer_id, email),
  foreign key (merchant_id, offer_id) references offer (merchant_id, id),
  foreign key (merchant_id, box_sha256) references token (merchant_id, box_sha256)
);
-- For the erasure of a customer.
create index offer_link_by_email on offer_link (merchant_id, email);
