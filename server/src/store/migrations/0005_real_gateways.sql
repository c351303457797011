-- 0005: gateways that merchants really have. They report what happened without us, decline where another would not, and
-- leave doubt that a person settles: each of these is written down.

alter table gateway
  -- Whose account it is, as the gateway itself names it: new credentials may lead nowhere else. Null: not asked yet.
  add column account text,
  -- Its place among those tried next; null: it is none of them.
  add column fallback int check (fallback between 1 and 100);

-- Two gateways of one account would be told of each other's payments, and hand a declined card to the one that declined it.
create unique index gateway_one_per_account on gateway (merchant_id, type, account);

-- One name in a vault is one card here: removing it removes it there.
create unique index card_one_per_ref on card (merchant_id, gateway_id, card_ref) where removed_at is null;

-- The same card in another gateway's vault.
create table card_copy (
  merchant_id text not null,
  token text not null,
  gateway_id text not null,
  card_ref text not null,
  fingerprint text not null,
  created_at timestamptz not null,
  primary key (merchant_id, token, gateway_id),
  foreign key (merchant_id, token) references card (merchant_id, token),
  foreign key (merchant_id, gateway_id) references gateway (merchant_id, id)
);
create unique index card_copy_one_per_ref on card_copy (merchant_id, gateway_id, card_ref);

-- Where a customer enters a card, once, without paying. The secret is in the address; here is its hash.
create table card_link (
  merchant_id text not null,
  secret_sha256 bytea not null,
  email text not null,
  first_name text,
  last_name text,
  gateway_id text not null,
  return_url text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- While one request stores a card for it, on the database's clock: others wait.
  taken_until timestamptz,
  used_at timestamptz,
  card_token text,
  primary key (merchant_id, secret_sha256),
  foreign key (merchant_id, gateway_id) references gateway (merchant_id, id),
  foreign key (merchant_id, card_token) references card (merchant_id, token),
  constraint card_link_used_for_a_card check ((used_at is null) = (card_token is null))
);
create index card_link_by_email on card_link (merchant_id, email);
create index card_link_over on card_link (coalesce(used_at, expires_at));

alter table operation
  -- What is charged at this very gateway; null: what the card itself says.
  add column card_ref text,
  add column not_sent_code text,
  -- When a bank sent a refund back that had succeeded: written by the trigger below, for the audit.
  add column returned_at timestamptz,
  -- What a gateway reports was never sent by us.
  drop constraint operation_sendings_check,
  add constraint operation_sendings check (sendings >= 0);
-- From the gateway's name of a thing to ours; and what it reports is written once, however often it says so.
create index operation_by_gateway_ref on operation (merchant_id, gateway_id, gateway_ref) where gateway_ref is not null;
create unique index operation_one_refund_each on operation (merchant_id, gateway_id, gateway_ref)
  where kind = 'refund' and gateway_ref is not null;

create or replace function hold_operation_arrows() returns trigger language plpgsql as $$
begin
  -- What is settled stays so, but for two: a person may accept a late success, and a bank may send a refund back.
  if (old.outcome = 'succeeded' and not (old.kind = 'refund' and new.outcome = 'declined'))
    or (old.outcome in ('declined', 'not_sent') and new.outcome <> 'succeeded') then
    raise exception 'operation %: no arrow from % to %', old.id, old.outcome, new.outcome using errcode = 'check_violation';
  end if;
  if old.outcome = 'succeeded' then
    new.returned_at := now();
  end if;
  return new;
end $$;

-- What was asked in doubt, and what was heard.
create table ask (
  merchant_id text not null,
  operation_id uuid not null,
  number int not null check (number >= 1),
  at timestamptz not null,
  step text not null check (step in ('send_again', 'fence_and_look_up', 'look_up', 'leave_to_a_person')),
  heard jsonb not null,
  primary key (merchant_id, operation_id, number),
  foreign key (merchant_id, operation_id) references operation (merchant_id, id)
);

-- How a person settled what no proof did.
create table resolution (
  merchant_id text not null,
  operation_id uuid not null,
  at timestamptz not null,
  verdict text not null check (verdict in ('succeeded', 'not_made', 'dismissed')),
  by text not null,
  note text not null,
  primary key (merchant_id, operation_id, at),
  foreign key (merchant_id, operation_id) references operation (merchant_id, id)
);

create table dispute (
  merchant_id text not null,
  transaction_id uuid not null,
  gateway_ref text not null,
  status text not null check (status in ('open', 'won', 'lost')),
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  reason text,
  opened_at timestamptz not null,
  -- How often it was told of: when it was opened, and whenever it changed.
  changes int not null default 1 check (changes >= 1),
  primary key (merchant_id, transaction_id, gateway_ref),
  foreign key (merchant_id, transaction_id) references transaction (merchant_id, id)
);

alter table event
  drop constraint event_type_check,
  add constraint event_type_check check (type in ('success', 'far', 'error', 'refund', 'void', 'dispute'));
