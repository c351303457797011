-- 0008: the merchant's people come in by the dashboard. Sessions and links are on the database's own clock, which nobody moves:
-- the sandbox may jump a day ahead without signing anybody out.

alter table login
  add column language text check (language in ('en', 'es')),
  add column password_changed_at timestamptz not null default now(),
  -- Sealed: null is no second factor. One that was made and not yet confirmed by a code has no `totp_since`.
  add column totp_sealed bytea,
  add column totp_since timestamptz,
  -- The newest period whose code was taken: no code is taken twice.
  add column totp_used_period bigint,
  -- Who is mailed about what.
  add column alerts text[] not null default '{}'
    check (alerts <@ array['hook_dropped', 'endpoint_paused', 'in_doubt']),
  add constraint login_totp check (totp_since is null or totp_sealed is not null);
update login set alerts = array['hook_dropped', 'endpoint_paused', 'in_doubt'] where role = 'owner';

-- Each is taken once, where the authenticator is lost.
create table recovery_code (
  merchant_id text not null,
  code_sha256 bytea not null check (length(code_sha256) = 32),
  email text not null,
  primary key (merchant_id, code_sha256),
  foreign key (merchant_id, email) references login (merchant_id, email) on delete cascade
);
create index recovery_code_by_login on recovery_code (merchant_id, email);

create table console_session (
  merchant_id text not null,
  id uuid not null,
  email text not null,
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  replaced_at timestamptz not null default now(),
  -- The secret before that one. The answer with the new one may be lost: the former is good until a minute after the new
  -- one was first seen. Whoever shows it later has stolen one of them.
  former_sha256 bytea check (length(former_sha256) = 32),
  first_used_at timestamptz,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  address text not null,
  user_agent text not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, email) references login (merchant_id, email) on delete cascade
);
create index console_session_by_login on console_session (merchant_id, email);
create index console_session_over on console_session (seen_at);

-- How often somebody failed to sign in, by keyed hashes of an address or a name; nobody need have a login to be counted.
create table sign_in_try (
  who bytea not null primary key,
  failures integer not null,
  at timestamptz not null default now()
);
create index sign_in_try_over on sign_in_try (at);

-- Mailed: who knows its secret sets a password, for a login that is there (reset) or is to be (invitation).
create table login_link (
  merchant_id text not null references merchant (merchant_id),
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  kind text not null check (kind in ('reset', 'invitation')),
  email text not null check (email = lower(email)),
  role text check (role in ('owner', 'developer', 'viewer')),
  -- Who invited.
  made_by text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (merchant_id, secret_sha256),
  constraint login_link_role check ((kind = 'invitation') = (role is not null))
);
create index login_link_by_email on login_link (merchant_id, email);
-- Of two owners who invite the same person at once, one does.
create unique index login_link_one_invitation on login_link (merchant_id, email) where kind = 'invitation';
create index login_link_over on login_link (expires_at);

-- The audit log. A row is written before what it tells of is begun, and its status after: null is not known.
create table console_change (
  merchant_id text not null references merchant (merchant_id),
  id uuid not null,
  at timestamptz not null,
  by text not null,
  role text,
  action text not null,
  about text,
  detail jsonb not null default '{}',
  address text not null,
  user_agent text not null,
  status integer,
  primary key (merchant_id, id)
);
create index console_change_by_action on console_change (merchant_id, action, id);
create index console_change_by_person on console_change (merchant_id, by, id);
create index console_change_by_thing on console_change (merchant_id, about, id) where about is not null;

alter table api_key
  add column name text,
  add column created_by text,
  -- To the minute or so: it is written now and then, and never while a request waits.
  add column last_used_at timestamptz;

-- An offer is looked for by the merchant's own name for it.
create index offer_by_ref_id on offer (merchant_id, ref_id, id) where ref_id is not null;
-- Or by how its title begins; and the few that are over are not looked for among a million that are not, nor the other way.
create index offer_by_title on offer (merchant_id, lower(title) text_pattern_ops);
create index offer_by_active on offer (merchant_id, active, id);

-- A merchant may want no payments by mail.
alter table mail_settings add column payments boolean not null default true;

-- What the merchant's people are still to be mailed about. The indexes hold just that: with nothing to tell, looking costs
-- nothing.
alter table delivery add column drop_untold boolean not null default false;
create index delivery_drop_untold on delivery (merchant_id, id) where drop_untold;
-- As what it was told of: in doubt, or left to a person. Null: not yet.
alter table operation add column doubt_told text check (doubt_told in ('unknown', 'person'));
create index operation_doubt_untold on operation (merchant_id, id)
  where (outcome = 'unknown' and doubt_told is null) or (for_person is not null and doubt_told is distinct from 'person');
-- When a merchant was last told of a kind, and until when somebody is at it: on the database's clock.
create table alert_mail (
  merchant_id text not null references merchant (merchant_id),
  kind text not null check (kind in ('hook_dropped', 'in_doubt')),
  told_at timestamptz,
  telling_until timestamptz,
  primary key (merchant_id, kind)
);

create index dispute_open on dispute (merchant_id) where status = 'open';

-- A list of one state, one source or one offer, or of any of these together, is walked in its order along an index, however
-- rare what it asks for is and however long ago. No index more than before: a change of status writes all of them anyway, and
-- each entry is as much longer as the names of a state and a source.
drop index transaction_by_status;
create index transaction_by_status on transaction (merchant_id, status, source, id);
drop index transaction_by_offer;
create index transaction_by_offer on transaction (merchant_id, offer_id, status, source, id);
-- Also by how an address begins, in whatever language the database sorts.
drop index customer_by_email;
create unique index customer_by_email on customer (merchant_id, email text_pattern_ops) where email is not null;
