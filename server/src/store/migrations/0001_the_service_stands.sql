-- 0001: what a charge needs. merchant_id leads every key, so that rows of one merchant can live together on one node and
-- no statement needs two merchants. States, amounts and arrows are held here, whatever the program thinks.

-- The one table that is asked without a merchant: whose is this API key, offer, gateway, partner number, login?
create table directory (
  kind text not null check (kind in ('api_key', 'offer', 'gateway', 'partner', 'login')),
  key text not null,
  merchant_id text not null,
  primary key (kind, key)
);

-- Facts of the installation: the sandbox clock's offset, the service's key pair.
create table setting (
  name text primary key,
  value jsonb not null
);

create sequence partner_number start 1001;

create table merchant (
  merchant_id text primary key,
  partner uuid not null,
  partner_id bigint not null,
  name text not null,
  email text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  created_at timestamptz not null
);

-- A merchant's key pairs. The text of the current Private Key signs hooks; the private half is sealed.
create table merchant_key (
  merchant_id text not null references merchant,
  id uuid not null,
  state text not null check (state in ('next', 'current', 'former')),
  public_key text not null,
  private_key_sealed bytea not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index merchant_key_one_current on merchant_key (merchant_id) where state = 'current';

create table api_key (
  merchant_id text not null references merchant,
  id text not null,
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (merchant_id, id)
);

create table login (
  merchant_id text not null references merchant,
  email text not null,
  password_hash text not null,
  role text not null check (role in ('owner', 'developer', 'viewer')),
  created_at timestamptz not null,
  primary key (merchant_id, email)
);

create table gateway (
  merchant_id text not null references merchant,
  id text not null,
  type text not null,
  credentials_sealed bytea not null,
  is_default boolean not null,
  status text not null check (status in ('active', 'inactive')),
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index gateway_one_default on gateway (merchant_id) where is_default;

create table customer (
  merchant_id text not null references merchant,
  id uuid not null,
  email text check (email = lower(email)),
  first_name text,
  last_name text,
  sms_number text,
  billing jsonb,
  shipping jsonb,
  created_at timestamptz not null,
  erased_at timestamptz,
  primary key (merchant_id, id),
  -- Erased means erased: no personal field survives.
  check (erased_at is null
    or (email is null and first_name is null and last_name is null and sms_number is null and billing is null and shipping is null))
);
create unique index customer_by_email on customer (merchant_id, email) where email is not null;
create index customer_erased on customer (merchant_id, id) where erased_at is not null;

create table card (
  merchant_id text not null,
  token text not null,
  customer_id uuid not null,
  gateway_id text not null,
  card_ref text not null,
  mask text not null check (mask ~ '^[0-9]{4}$'),
  type text not null check (type in ('visa', 'master', 'american_express', 'discover', 'other')),
  expiry_month int not null check (expiry_month between 1 and 12),
  expiry_year int not null,
  fingerprint text not null,
  created_at timestamptz not null,
  removed_at timestamptz,
  primary key (merchant_id, token),
  foreign key (merchant_id, customer_id) references customer,
  foreign key (merchant_id, gateway_id) references gateway
);
create index card_by_customer on card (merchant_id, customer_id);

create table offer (
  merchant_id text not null references merchant,
  id uuid not null,
  created_at timestamptz not null,
  title text not null,
  details text,
  amount_minor bigint not null check (amount_minor between 1 and 999999999999),
  amount_given text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  ref_id text,
  campaign text,
  tag text,
  form text,
  stock_left int,
  expires_at timestamptz,
  gateway_id text,
  page_url text,
  custom_fields jsonb not null,
  address text check (address in ('shipping', 'billing')),
  custom_user_data text,
  fulfillment double precision,
  email text check (email = lower(email)),
  authorization_only boolean not null,
  custom_data jsonb not null,
  token_content text not null,
  active boolean not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, gateway_id) references gateway
);

create table transaction (
  merchant_id text not null references merchant,
  id uuid not null,
  created_at timestamptz not null,
  status text not null check (status in ('Processing', 'Successful', 'Authorized', 'Failed', 'Further Action Required',
    'Voided', 'Partially Refunded', 'Refunded')),
  source text not null check (source in ('Web Transaction', 'Email Transaction')),
  offer_id uuid not null,
  customer_id uuid not null,
  card_token text not null,
  gateway_id text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  unit_price_minor bigint not null check (unit_price_minor > 0),
  quantity int not null check (quantity between 1 and 9999),
  amount_minor bigint not null check (amount_minor <= 999999999999),
  net_amount_minor bigint,
  authorization_only boolean not null,
  referrer_context text,
  pre_sale text not null check (pre_sale in ('not_asked', 'asked', 'passed', 'stopped', 'error')),
  failure_code text,
  failure_sentence text,
  held_minor bigint not null,
  captured_minor bigint not null,
  refund_reserved_minor bigint not null,
  refunded_minor bigint not null,
  action_expires_at timestamptz,
  repeat_guard text,
  version int not null,
  -- Until when its process may go on alone; null once an operation's row has the lease, or nothing is left to do.
  lease_until timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, offer_id) references offer,
  foreign key (merchant_id, customer_id) references customer,
  foreign key (merchant_id, card_token) references card,
  foreign key (merchant_id, gateway_id) references gateway,
  constraint transaction_total check (amount_minor = unit_price_minor * quantity),
  constraint transaction_money check (
    held_minor between 0 and amount_minor and captured_minor between 0 and amount_minor
    and refund_reserved_minor >= 0 and refunded_minor >= 0
    and refund_reserved_minor + refunded_minor <= captured_minor),
  constraint transaction_state_money check (case status
    when 'Authorized' then held_minor = amount_minor and captured_minor = 0
    when 'Successful' then held_minor = 0 and captured_minor > 0 and refunded_minor = 0
    when 'Partially Refunded' then held_minor = 0 and refunded_minor > 0 and refunded_minor < captured_minor
    when 'Refunded' then held_minor = 0 and captured_minor > 0 and refunded_minor = captured_minor
    else held_minor = 0 and captured_minor = 0 end),
  constraint transaction_failure check ((status = 'Failed') = (failure_code is not null)
    and (failure_code is null) = (failure_sentence is null)),
  constraint transaction_action check ((status = 'Further Action Required') = (action_expires_at is not null)),
  constraint transaction_lease check (lease_until is null or status = 'Processing')
);
create index transaction_by_status on transaction (merchant_id, status, id);
create index transaction_by_offer on transaction (merchant_id, offer_id, id);
create index transaction_by_customer on transaction (merchant_id, customer_id, id);
-- A GET without a key is taken for a repetition of an equal one that is still processing.
create unique index transaction_repeat on transaction (merchant_id, repeat_guard) where status = 'Processing';
-- Only what a dead process may have left: settled rows outnumber these by as many as there ever were.
create index transaction_abandoned on transaction (merchant_id, lease_until) where lease_until is not null;

create function hold_transaction_arrows() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) not in (
    ('Processing', 'Successful'), ('Processing', 'Authorized'), ('Processing', 'Failed'),
    ('Processing', 'Further Action Required'),
    ('Further Action Required', 'Processing'), ('Further Action Required', 'Successful'),
    ('Further Action Required', 'Authorized'), ('Further Action Required', 'Failed'),
    ('Authorized', 'Successful'), ('Authorized', 'Voided'),
    ('Successful', 'Partially Refunded'), ('Successful', 'Refunded'),
    ('Partially Refunded', 'Successful'), ('Partially Refunded', 'Refunded'),
    ('Refunded', 'Successful'), ('Refunded', 'Partially Refunded'),
    ('Failed', 'Successful'), ('Failed', 'Authorized')
  ) then
    raise exception 'transaction %: no arrow from % to %', old.id, old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger transaction_arrows before update of status on transaction
  for each row when (old.status is distinct from new.status) execute function hold_transaction_arrows();

create table operation (
  merchant_id text not null,
  id uuid not null,
  transaction_id uuid not null,
  kind text not null check (kind in ('charge', 'capture', 'void', 'refund')),
  gateway_id text not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  created_at timestamptz not null,
  outcome text not null check (outcome in ('pending', 'succeeded', 'declined', 'not_sent', 'unknown')),
  sendings int not null check (sendings >= 1),
  asks int not null check (asks >= 0),
  next_ask_at timestamptz,
  gateway_ref text,
  decline_code text,
  cause text,
  settled_at timestamptz,
  for_person text,
  refunded_by text,
  refunded_reason text,
  repeat_guard text,
  lease_no int not null,
  lease_until timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, transaction_id) references transaction,
  foreign key (merchant_id, gateway_id) references gateway,
  constraint operation_settled check ((outcome in ('pending', 'unknown')) = (settled_at is null)),
  constraint operation_declined check ((outcome = 'declined') = (decline_code is not null)),
  constraint operation_succeeded check (outcome <> 'succeeded' or gateway_ref is not null)
);
create index operation_by_transaction on operation (merchant_id, transaction_id, id);
create unique index operation_one_charge on operation (merchant_id, transaction_id)
  where kind = 'charge' and outcome in ('pending', 'unknown', 'succeeded');
create unique index operation_one_capture_or_void on operation (merchant_id, transaction_id)
  where kind in ('capture', 'void') and outcome in ('pending', 'unknown', 'succeeded');
create unique index operation_repeat on operation (merchant_id, repeat_guard) where outcome in ('pending', 'unknown');
create index operation_to_ask on operation (merchant_id, next_ask_at)
  where outcome in ('pending', 'unknown') and next_ask_at is not null;
create index operation_for_person on operation (merchant_id, id) where for_person is not null;

create function hold_operation_arrows() returns trigger language plpgsql as $$
begin
  -- What is settled stays so; a person may accept a late success.
  if old.outcome = 'succeeded' or (old.outcome in ('declined', 'not_sent') and new.outcome <> 'succeeded') then
    raise exception 'operation %: no arrow from % to %', old.id, old.outcome, new.outcome using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger operation_arrows before update of outcome on operation
  for each row when (old.outcome is distinct from new.outcome) execute function hold_operation_arrows();

create table idempotency_key (
  merchant_id text not null references merchant,
  operation text not null,
  key text not null,
  arguments_hash text not null,
  -- What it began: a transaction's charge, or one operation of it. Null for what is done in the commit that takes the key.
  transaction_id uuid,
  operation_id uuid,
  status int,
  answer text,
  created_at timestamptz not null,
  settled_at timestamptz,
  primary key (merchant_id, operation, key),
  check ((status is null) = (answer is null) and (status is null) = (settled_at is null))
);
create index idempotency_key_by_transaction on idempotency_key (merchant_id, transaction_id) where transaction_id is not null;
create index idempotency_key_settled on idempotency_key (settled_at) where settled_at is not null;

create table hook_endpoint (
  merchant_id text not null references merchant,
  id uuid not null,
  kind text not null check (kind in ('pre_sale', 'transaction', 'far', 'error', 'generic', 'update')),
  url text not null,
  timeout_s int not null check (timeout_s between 1 and 30),
  status text not null check (status in ('enabled', 'paused')),
  created_at timestamptz not null,
  deleted_at timestamptz,
  primary key (merchant_id, id)
);
create index hook_endpoint_by_kind on hook_endpoint (merchant_id, kind) where deleted_at is null;

-- Written before Pre-Sale is sent: a row without an answer after a crash is an answer that was lost, and is not asked again.
create table pre_sale_request (
  merchant_id text not null,
  transaction_id uuid not null,
  endpoint_id uuid not null,
  recorded_at timestamptz not null,
  status int,
  reason text,
  duration_ms int,
  answer text,
  answered_at timestamptz,
  primary key (merchant_id, transaction_id, endpoint_id),
  foreign key (merchant_id, transaction_id) references transaction,
  foreign key (merchant_id, endpoint_id) references hook_endpoint
);
create index pre_sale_request_answered on pre_sale_request (answered_at) where answer is not null;

create table event (
  merchant_id text not null,
  id uuid not null,
  transaction_id uuid not null,
  kind text not null check (kind in ('transaction', 'far', 'error', 'update')),
  type text not null check (type in ('success', 'far', 'error', 'refund', 'void')),
  -- Posted as it is by every attempt. Null once retention or erasure has emptied it.
  details text check (octet_length(details) <= 65536),
  at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, transaction_id) references transaction
);
create index event_by_transaction on event (merchant_id, transaction_id, id);
-- For retention, which looks over all merchants for what is old and not yet emptied.
create index event_to_forget on event (at) where details is not null;

create table delivery (
  merchant_id text not null,
  id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  state text not null check (state in ('pending', 'delivered', 'dropped', 'canceled')),
  attempts int not null check (attempts between 0 and 10),
  due_at timestamptz,
  created_at timestamptz not null,
  settled_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, event_id) references event,
  foreign key (merchant_id, endpoint_id) references hook_endpoint,
  constraint delivery_once unique (merchant_id, event_id, endpoint_id),
  check ((state = 'pending') = (settled_at is null))
);
create index delivery_due on delivery (merchant_id, due_at) where state = 'pending';
