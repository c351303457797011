-- 0002: the books of the sandbox gateway when it runs in the service's process. It plays a system outside of ours, so its
-- rows are led by its own account, never joined with ours, and kept when a process dies: a real gateway's would be too.

create table sandbox_entry (
  account text not null,
  operation_id uuid not null,
  seq int not null,
  root_id uuid not null,
  written bigint generated always as identity,
  step text not null,
  transaction_id uuid not null,
  kind text not null,
  capture boolean not null,
  card_ref text,
  asked_minor bigint not null,
  booked_minor bigint not null,
  currency text not null,
  code text,
  primary key (account, operation_id, seq)
);
create index sandbox_entry_by_root on sandbox_entry (account, root_id, written);

-- What a card does, never its number.
create table sandbox_card (
  account text not null,
  card_ref text not null,
  behaviour text not null,
  mask text not null,
  type text not null,
  expiry_month int not null,
  expiry_year int not null,
  fingerprint text not null,
  primary key (account, card_ref)
);
