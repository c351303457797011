-- 0010: hooks for a developer's own machine. It cannot be called from outside, so it asks: a listener has an endpoint for each
-- kind that it wants, and what is posted there waits in hook_relay until the listener takes it and answers.

create table hook_listener (
  merchant_id text not null references merchant,
  id uuid not null,
  name text not null check (length(name) between 1 and 63),
  created_at timestamptz not null,
  -- These are on the database's clock, which no sandbox moves: it lives as long as it asks.
  seen_at timestamptz not null default now(),
  present_until timestamptz not null default now(),
  -- How often it has asked: of two that overlap, the newer says whether it is there.
  polls integer not null default 0,
  ended_at timestamptz,
  primary key (merchant_id, id)
);
create index hook_listener_open on hook_listener (seen_at) where ended_at is null;
create index hook_listener_over on hook_listener (ended_at) where ended_at is not null;

alter table hook_endpoint
  add column listener_id uuid,
  add foreign key (merchant_id, listener_id) references hook_listener;
create index hook_endpoint_by_listener on hook_endpoint (merchant_id, listener_id) where listener_id is not null;

-- Unlogged: a row lives for seconds. A crash of PostgreSQL empties this; whoever waits then finds no answer, which is a failed
-- attempt, made again as any other. And what a row says of a customer stays out of archives of the log.
create unlogged table hook_relay (
  merchant_id text not null references merchant,
  id uuid not null,
  listener_id uuid not null,
  kind text not null,
  headers jsonb not null,
  body text not null,
  deadline timestamptz not null,
  taken_at timestamptz,
  answered_at timestamptz,
  status integer check (status between 100 and 599),
  reason text,
  duration_ms integer,
  answer text not null default '',
  primary key (merchant_id, id),
  foreign key (merchant_id, listener_id) references hook_listener on delete cascade,
  check (answered_at is null or (status is null) <> (reason is null))
);
create index hook_relay_waiting on hook_relay (merchant_id, listener_id, id) where answered_at is null;
create index hook_relay_over on hook_relay (deadline);
