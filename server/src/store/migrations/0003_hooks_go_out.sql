-- 0003: hooks go out. A delivery is held by the worker that sends it, waits while its endpoint is paused, and leaves one
-- row per attempt. Every change of a transaction's status is written down by the database itself, so that an audit can say
-- whether each has exactly the notifications it owes.

alter table hook_endpoint
  add column standard_webhooks boolean not null default false,
  -- The first failure since the last success; null while it works.
  add column failing_since timestamptz,
  add column paused_because text check (paused_because in ('asked', 'failing')),
  -- When its merchant was told by mail that it was paused for failing.
  add column pause_announced_at timestamptz,
  add constraint hook_endpoint_pause check (paused_because is null or status = 'paused');
update hook_endpoint set paused_because = 'asked' where status = 'paused';

-- Standard Webhooks secrets of an endpoint: one that signs, and replaced ones that sign beside it for a while.
create table hook_secret (
  merchant_id text not null,
  id uuid not null,
  endpoint_id uuid not null,
  secret_sealed bytea not null,
  created_at timestamptz not null,
  signs_until timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, endpoint_id) references hook_endpoint
);
create unique index hook_secret_one_current on hook_secret (merchant_id, endpoint_id) where signs_until is null;
create index hook_secret_by_endpoint on hook_secret (merchant_id, endpoint_id);

-- A deleted key has no private half any more; its public half still opens tokens, unless the key was compromised.
alter table merchant_key
  drop constraint merchant_key_state_check,
  alter column private_key_sealed drop not null,
  add column compromised boolean not null default false,
  add constraint merchant_key_state check (state in ('next', 'current', 'former', 'deleted')),
  add constraint merchant_key_deleted check ((state = 'deleted') = (private_key_sealed is null));
create unique index merchant_key_one_next on merchant_key (merchant_id) where state = 'next';

-- An id that sorts with the moment of another: rows that belong to an event are listed where it happened.
create function id_of_the_moment_of(id uuid) returns uuid language sql volatile
  return (left(id::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid;

-- Pre-Sale requests are shown among the deliveries: they get an id, and what was asked where. Without transaction: a test.
alter table pre_sale_request
  add column id uuid,
  add column url text,
  add column details text check (octet_length(details) <= 65536),
  drop constraint pre_sale_request_pkey;
update pre_sale_request p set id = id_of_the_moment_of(p.transaction_id), url = e.url
  from hook_endpoint e where e.merchant_id = p.merchant_id and e.id = p.endpoint_id;
alter table pre_sale_request
  alter column id set not null,
  alter column url set not null,
  alter column transaction_id drop not null,
  add primary key (merchant_id, id),
  add constraint pre_sale_request_once unique (merchant_id, transaction_id, endpoint_id);
create index pre_sale_request_by_endpoint on pre_sale_request (merchant_id, endpoint_id, id);
-- For lists by state: those that were not accepted are few, and are looked for.
create index pre_sale_request_not_accepted on pre_sale_request (merchant_id, id)
  where status is null or status < 200 or status > 299;
create index pre_sale_request_to_forget on pre_sale_request (recorded_at) where details is not null;

-- Written by the database, whatever the program thinks: an update to this version moved it from one status to another.
create table transaction_change (
  merchant_id text not null,
  transaction_id uuid not null,
  version int not null,
  from_status text not null,
  to_status text not null,
  at timestamptz not null default now(),
  primary key (merchant_id, transaction_id, version),
  foreign key (merchant_id, transaction_id) references transaction
);
create function note_transaction_change() returns trigger language plpgsql as $$
begin
  insert into transaction_change (merchant_id, transaction_id, version, from_status, to_status)
    values (new.merchant_id, new.id, new.version, old.status, new.status);
  return null;
end $$;
create trigger transaction_changes after update of status on transaction
  for each row when (old.status is distinct from new.status) execute function note_transaction_change();

alter table event
  -- Without transaction: a test.
  alter column transaction_id drop not null,
  -- The version of the transaction that the change led to which owes this.
  add column version int,
  add constraint event_version check (version is null or transaction_id is not null);
-- For lists by kind. Most events are of this one kind, and are found without.
create index event_by_rare_kind on event (merchant_id, kind, id) where kind <> 'transaction';
-- What happened before changes were written down cannot be audited.
insert into setting (name, value) select 'audited_since', to_jsonb(greatest(now(), (select max(at) from event)));

-- A process that sends hooks, and how often its heart has beaten. Others count the beats on their own clocks: neither a
-- clock that jumps nor one that differs makes a living worker dead. Its deliveries go on with another when it is gone.
create table worker (
  id uuid primary key,
  beats bigint not null
);

alter table delivery
  drop constraint delivery_attempts_check,
  -- All attempts, resends included; of the ten of the schedule, how many were made, since when, and when the last one.
  add constraint delivery_attempts check (attempts >= 0),
  add column scheduled_made int not null default 0 check (scheduled_made between 0 and 10),
  add column original_at timestamptz,
  add column last_at timestamptz,
  -- One attempt outside the schedule was asked for then, and was not made yet.
  add column resend_at timestamptz,
  -- It waits for its endpoint to be resumed.
  add column parked boolean not null default false,
  -- The worker that has it in hand, and the number of times it was taken up: a result without that number is dropped.
  add column holder uuid,
  add column lease_no int not null default 0,
  add constraint delivery_due_while check ((due_at is not null) = (state = 'pending' or resend_at is not null)),
  add constraint delivery_held_while check (holder is null or (due_at is not null and not parked));

-- Only what may be claimed: held, parked and settled rows are not in it, so that a claim reads no more than it takes. By
-- endpoint, so that one with a million due does not stand before its neighbour.
drop index delivery_due;
create index delivery_claimable on delivery (merchant_id, endpoint_id, due_at)
  where due_at is not null and holder is null and not parked;
create index delivery_held on delivery (holder, merchant_id) where holder is not null;
create index delivery_parked on delivery (merchant_id, endpoint_id) where parked;
create index delivery_by_endpoint on delivery (merchant_id, endpoint_id, id);
create index delivery_by_state on delivery (merchant_id, state, id) where state <> 'delivered';
-- Every row is updated at least once, and a claim passes over what vacuum has not cleared yet.
alter table delivery set (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

create table attempt (
  merchant_id text not null,
  delivery_id uuid not null,
  number int not null check (number >= 1),
  at timestamptz not null,
  -- Where it went: the endpoint's may have been changed since.
  url text not null,
  -- Outside the schedule, because somebody asked for it.
  resend boolean not null,
  status int,
  -- Why there is no status, or why one of 2xx does not count.
  reason text,
  duration_ms int not null,
  response text,
  primary key (merchant_id, delivery_id, number),
  foreign key (merchant_id, delivery_id) references delivery
);
create index attempt_answered on attempt (at) where response <> '';

-- Keys that were taken for work beyond one commit, and have no answer yet: where its process died, they are forgotten.
create index idempotency_key_taken on idempotency_key (created_at) where status is null and transaction_id is null;

-- The demo merchant's hook inbox: what it received, and whether the signature was good.
create table inbox_hook (
  merchant_id text not null references merchant,
  id uuid not null,
  at timestamptz not null,
  path text not null,
  details text not null,
  signature text not null,
  verified boolean not null,
  primary key (merchant_id, id)
);
