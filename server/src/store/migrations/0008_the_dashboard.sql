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
create index console_change_over on console_change (at);

-- Whoever has its link comes in as one of the merchant's people: only its owners read it.
alter table inbox_mail add column is_private boolean not null default false;

alter table api_key
  add column name text,
  add column created_by text,
  -- To the minute or so: it is written now and then, and never while a request waits.
  add column last_used_at timestamptz;

-- A merchant may want no payments by mail.
alter table mail_settings add column payments boolean not null default true;

-- What the merchant's people are still to be mailed about.
alter table delivery add column drop_untold boolean not null default false;
-- As what it was told of: in doubt, or left to a person. Null: not yet. Whether all rows pass the check is looked at later:
-- here it would shut out everybody meanwhile.
alter table operation add column doubt_told text,
  add constraint operation_doubt_told_check check (doubt_told in ('unknown', 'person')) not valid;
-- When a merchant was last told of a kind, and until when somebody is at it: on the database's clock.
create table alert_mail (
  merchant_id text not null references merchant (merchant_id),
  kind text not null check (kind in ('hook_dropped', 'in_doubt')),
  told_at timestamptz,
  telling_until timestamptz,
  -- Somebody has had the last one, or never will.
  is_reached boolean not null default true,
  primary key (merchant_id, kind)
);
-- Mails to the merchant's people as they were written, until the relay has taken them.
create table owed_alert (
  merchant_id text not null,
  id uuid not null,
  kind text not null check (kind in ('hook_dropped', 'endpoint_paused', 'in_doubt')),
  email text not null,
  subject text not null,
  text text not null,
  html text not null,
  tries integer not null default 0,
  due_at timestamptz not null default now(),
  primary key (merchant_id, id),
  foreign key (merchant_id, email) references login (merchant_id, email) on delete cascade
);
create index owed_alert_by_login on owed_alert (merchant_id, email);
create index owed_alert_due on owed_alert (due_at);
