-- What the migrations lead to. Written by: UPDATE_SCHEMA=1 npm test -- server/test/migrations.test.ts

create sequence partner_number start 1001;

create table address_proof (
  merchant_id text not null,
  secret_sha256 bytea not null,
  offer_id uuid not null,
  email text not null,
  quantity integer not null,
  referrer_context text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  transaction_id uuid,
  saved_card_of bytea,
  constraint address_proof_email_check CHECK (email = lower(email COLLATE "C")) NOT VALID,
  constraint address_proof_quantity_check CHECK (quantity >= 1 AND quantity <= 9999),
  constraint address_proof_merchant_id_offer_id_fkey FOREIGN KEY (merchant_id, offer_id) REFERENCES offer(merchant_id, id),
  constraint address_proof_merchant_id_transaction_id_fkey FOREIGN KEY (merchant_id, transaction_id) REFERENCES transaction(merchant_id, id),
  constraint address_proof_pkey PRIMARY KEY (merchant_id, secret_sha256)
);
CREATE INDEX address_proof_by_email ON address_proof USING btree (merchant_id, email);
CREATE INDEX address_proof_over ON address_proof USING btree (expires_at);

create table alert_mail (
  merchant_id text not null,
  kind text not null,
  told_at timestamp with time zone,
  telling_until timestamp with time zone,
  is_reached boolean not null,
  constraint alert_mail_kind_check CHECK (kind = ANY (ARRAY['hook_dropped'::text, 'in_doubt'::text])),
  constraint alert_mail_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint alert_mail_pkey PRIMARY KEY (merchant_id, kind)
);

create table api_key (
  merchant_id text not null,
  id text not null,
  secret_sha256 bytea not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  name text,
  created_by text,
  last_used_at timestamp with time zone,
  constraint api_key_secret_sha256_check CHECK (length(secret_sha256) = 32),
  constraint api_key_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint api_key_pkey PRIMARY KEY (merchant_id, id)
);

create table ask (
  merchant_id text not null,
  operation_id uuid not null,
  number integer not null,
  at timestamp with time zone not null,
  step text not null,
  heard jsonb not null,
  constraint ask_number_check CHECK (number >= 1),
  constraint ask_step_check CHECK (step = ANY (ARRAY['send_again'::text, 'fence_and_look_up'::text, 'look_up'::text, 'leave_to_a_person'::text])),
  constraint ask_merchant_id_operation_id_fkey FOREIGN KEY (merchant_id, operation_id) REFERENCES operation(merchant_id, id),
  constraint ask_pkey PRIMARY KEY (merchant_id, operation_id, number)
);

create table attempt (
  merchant_id text not null,
  delivery_id uuid not null,
  number integer not null,
  at timestamp with time zone not null,
  url text not null,
  resend boolean not null,
  status integer,
  reason text,
  duration_ms integer not null,
  response text,
  constraint attempt_number_check CHECK (number >= 1),
  constraint attempt_pkey PRIMARY KEY (merchant_id, delivery_id, number)
);
CREATE INDEX attempt_answered ON attempt USING btree (at) WHERE response <> ''::text;

create table card (
  merchant_id text not null,
  token text not null,
  customer_id uuid not null,
  gateway_id text not null,
  card_ref text not null,
  mask text not null,
  type text not null,
  expiry_month integer not null,
  expiry_year integer not null,
  fingerprint text not null,
  created_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  consented_at timestamp with time zone,
  confirmed_at timestamp with time zone,
  remove_at timestamp with time zone,
  constraint card_expiry_month_check CHECK (expiry_month >= 1 AND expiry_month <= 12),
  constraint card_mask_check CHECK (mask ~ '^[0-9]{4}$'::text),
  constraint card_type_check CHECK (type = ANY (ARRAY['visa'::text, 'master'::text, 'american_express'::text, 'discover'::text, 'other'::text])),
  constraint card_merchant_id_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customer(merchant_id, id),
  constraint card_merchant_id_gateway_id_fkey FOREIGN KEY (merchant_id, gateway_id) REFERENCES gateway(merchant_id, id),
  constraint card_pkey PRIMARY KEY (merchant_id, token)
);
CREATE INDEX card_by_customer ON card USING btree (merchant_id, customer_id);
CREATE UNIQUE INDEX card_one_per_ref ON card USING btree (merchant_id, gateway_id, card_ref) WHERE removed_at IS NULL;
CREATE INDEX card_to_remove ON card USING btree (remove_at) WHERE remove_at IS NOT NULL AND removed_at IS NULL;

create table card_copy (
  merchant_id text not null,
  token text not null,
  gateway_id text not null,
  card_ref text not null,
  fingerprint text not null,
  created_at timestamp with time zone not null,
  constraint card_copy_merchant_id_gateway_id_fkey FOREIGN KEY (merchant_id, gateway_id) REFERENCES gateway(merchant_id, id),
  constraint card_copy_merchant_id_token_fkey FOREIGN KEY (merchant_id, token) REFERENCES card(merchant_id, token),
  constraint card_copy_pkey PRIMARY KEY (merchant_id, token, gateway_id)
);
CREATE UNIQUE INDEX card_copy_one_per_ref ON card_copy USING btree (merchant_id, gateway_id, card_ref);

create table card_link (
  merchant_id text not null,
  secret_sha256 bytea not null,
  email text not null,
  first_name text,
  last_name text,
  gateway_id text not null,
  return_url text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  taken_until timestamp with time zone,
  used_at timestamp with time zone,
  card_token text,
  constraint card_link_used_for_a_card CHECK ((used_at IS NULL) = (card_token IS NULL)),
  constraint card_link_merchant_id_card_token_fkey FOREIGN KEY (merchant_id, card_token) REFERENCES card(merchant_id, token),
  constraint card_link_merchant_id_gateway_id_fkey FOREIGN KEY (merchant_id, gateway_id) REFERENCES gateway(merchant_id, id),
  constraint card_link_pkey PRIMARY KEY (merchant_id, secret_sha256)
);
CREATE INDEX card_link_by_email ON card_link USING btree (merchant_id, email);
CREATE INDEX card_link_over ON card_link USING btree (COALESCE(used_at, expires_at));

create table checkout (
  merchant_id text not null,
  secret_sha256 bytea not null,
  offer_id uuid not null,
  proven_email text,
  taken_until timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint checkout_proven_email_check CHECK (proven_email = lower(proven_email COLLATE "C")) NOT VALID,
  constraint checkout_merchant_id_offer_id_fkey FOREIGN KEY (merchant_id, offer_id) REFERENCES offer(merchant_id, id),
  constraint checkout_pkey PRIMARY KEY (merchant_id, secret_sha256)
);
CREATE INDEX checkout_by_email ON checkout USING btree (merchant_id, proven_email) WHERE proven_email IS NOT NULL;
CREATE INDEX checkout_over ON checkout USING btree (created_at);

create table claim (
  merchant_id text not null,
  id uuid not null,
  endpoint_id uuid not null,
  holder uuid not null,
  delivery_ids uuid[] not null,
  attempts integer[] not null,
  is_cut boolean not null,
  ends_due_at timestamp with time zone not null,
  ends_id uuid not null,
  constraint claim_check CHECK (cardinality(attempts) = cardinality(delivery_ids)),
  constraint claim_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint claim_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX claim_held ON claim USING btree (holder, merchant_id);
CREATE INDEX claim_of_lane ON claim USING btree (merchant_id, endpoint_id);

create table console_change (
  merchant_id text not null,
  id uuid not null,
  at timestamp with time zone not null,
  by text not null,
  role text,
  action text not null,
  about text,
  detail jsonb not null,
  address text not null,
  user_agent text not null,
  status integer,
  constraint console_change_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint console_change_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX console_change_by_action ON console_change USING btree (merchant_id, action, id);
CREATE INDEX console_change_by_person ON console_change USING btree (merchant_id, by, id);
CREATE INDEX console_change_by_thing ON console_change USING btree (merchant_id, about, id) WHERE about IS NOT NULL;
CREATE INDEX console_change_over ON console_change USING btree (at);

create table console_session (
  merchant_id text not null,
  id uuid not null,
  email text not null,
  secret_sha256 bytea not null,
  replaced_at timestamp with time zone not null,
  former_sha256 bytea,
  first_used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  address text not null,
  user_agent text not null,
  constraint console_session_former_sha256_check CHECK (length(former_sha256) = 32),
  constraint console_session_secret_sha256_check CHECK (length(secret_sha256) = 32),
  constraint console_session_merchant_id_email_fkey FOREIGN KEY (merchant_id, email) REFERENCES login(merchant_id, email) ON DELETE CASCADE,
  constraint console_session_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX console_session_by_login ON console_session USING btree (merchant_id, email);
CREATE INDEX console_session_over ON console_session USING btree (seen_at);

create table customer (
  merchant_id text not null,
  id uuid not null,
  email text,
  first_name text,
  last_name text,
  sms_number text,
  billing jsonb,
  shipping jsonb,
  created_at timestamp with time zone not null,
  erased_at timestamp with time zone,
  emptied_at timestamp with time zone,
  constraint customer_check CHECK (erased_at IS NULL OR email IS NULL AND first_name IS NULL AND last_name IS NULL AND sms_number IS NULL AND billing IS NULL AND shipping IS NULL),
  constraint customer_email_check CHECK (email = lower(email COLLATE "C")) NOT VALID,
  constraint customer_emptied CHECK (emptied_at IS NULL OR erased_at IS NOT NULL),
  constraint customer_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint customer_pkey PRIMARY KEY (merchant_id, id)
);
CREATE UNIQUE INDEX customer_by_email ON customer USING btree (merchant_id, email text_pattern_ops) WHERE email IS NOT NULL;
CREATE INDEX customer_to_empty ON customer USING btree (merchant_id, id) WHERE erased_at IS NOT NULL AND emptied_at IS NULL;

create table delivery (
  merchant_id text not null,
  id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  attempts_forgotten integer,
  created_at timestamp with time zone not null,
  constraint delivery_pkey PRIMARY KEY (merchant_id, id),
  constraint delivery_once UNIQUE (merchant_id, event_id, endpoint_id)
);
CREATE INDEX delivery_by_endpoint ON delivery USING btree (merchant_id, endpoint_id, id);

create table directory (
  kind text not null,
  key text not null,
  merchant_id text not null,
  constraint directory_kind_check CHECK (kind = ANY (ARRAY['api_key'::text, 'offer'::text, 'gateway'::text, 'partner'::text, 'login'::text])),
  constraint directory_pkey PRIMARY KEY (kind, key)
);

create table dispute (
  merchant_id text not null,
  transaction_id uuid not null,
  gateway_ref text not null,
  status text not null,
  amount_minor bigint not null,
  currency text not null,
  reason text,
  opened_at timestamp with time zone not null,
  changes integer not null,
  constraint dispute_amount_minor_check CHECK (amount_minor >= 0),
  constraint dispute_changes_check CHECK (changes >= 1),
  constraint dispute_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint dispute_status_check CHECK (status = ANY (ARRAY['open'::text, 'won'::text, 'lost'::text])),
  constraint dispute_merchant_id_transaction_id_fkey FOREIGN KEY (merchant_id, transaction_id) REFERENCES transaction(merchant_id, id),
  constraint dispute_pkey PRIMARY KEY (merchant_id, transaction_id, gateway_ref)
);
CREATE INDEX dispute_open ON dispute USING btree (merchant_id) WHERE status = 'open'::text;

create table event (
  merchant_id text not null,
  id uuid not null,
  transaction_id uuid,
  kind text not null,
  type text not null,
  details text,
  at timestamp with time zone not null,
  version integer,
  constraint event_is_whole CHECK (event_is_whole(event.*)) NOT VALID,
  constraint event_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX event_by_rare_kind ON event USING btree (merchant_id, kind, id) WHERE kind <> 'transaction'::text;
CREATE INDEX event_by_transaction ON event USING btree (merchant_id, transaction_id, id);
CREATE INDEX event_to_forget ON event USING btree (at) WHERE details IS NOT NULL;

create table gateway (
  merchant_id text not null,
  id text not null,
  type text not null,
  credentials_sealed bytea not null,
  is_default boolean not null,
  status text not null,
  created_at timestamp with time zone not null,
  account text,
  fallback integer,
  constraint gateway_fallback_check CHECK (fallback >= 1 AND fallback <= 100),
  constraint gateway_status_check CHECK (status = ANY (ARRAY['active'::text, 'inactive'::text])),
  constraint gateway_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint gateway_pkey PRIMARY KEY (merchant_id, id)
);
CREATE UNIQUE INDEX gateway_one_default ON gateway USING btree (merchant_id) WHERE is_default;
CREATE UNIQUE INDEX gateway_one_per_account ON gateway USING btree (merchant_id, type, account);

create table hook_endpoint (
  merchant_id text not null,
  id uuid not null,
  kind text not null,
  url text not null,
  timeout_s integer not null,
  status text not null,
  created_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  standard_webhooks boolean not null,
  failing_since timestamp with time zone,
  paused_because text,
  pause_announced_at timestamp with time zone,
  pause_telling_until timestamp with time zone,
  listener_id uuid,
  sends_json boolean not null,
  constraint hook_endpoint_kind_check CHECK (kind = ANY (ARRAY['pre_sale'::text, 'transaction'::text, 'far'::text, 'error'::text, 'generic'::text, 'update'::text])),
  constraint hook_endpoint_pause CHECK (paused_because IS NULL OR status = 'paused'::text),
  constraint hook_endpoint_paused_because_check CHECK (paused_because = ANY (ARRAY['asked'::text, 'failing'::text])),
  constraint hook_endpoint_sends_json_check CHECK (standard_webhooks OR NOT sends_json),
  constraint hook_endpoint_status_check CHECK (status = ANY (ARRAY['enabled'::text, 'paused'::text])),
  constraint hook_endpoint_timeout_s_check CHECK (timeout_s >= 1 AND timeout_s <= 30),
  constraint hook_endpoint_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint hook_endpoint_merchant_id_listener_id_fkey FOREIGN KEY (merchant_id, listener_id) REFERENCES hook_listener(merchant_id, id),
  constraint hook_endpoint_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX hook_endpoint_by_kind ON hook_endpoint USING btree (merchant_id, kind) WHERE deleted_at IS NULL;
CREATE INDEX hook_endpoint_by_listener ON hook_endpoint USING btree (merchant_id, listener_id) WHERE listener_id IS NOT NULL;
CREATE INDEX hook_endpoint_to_tell ON hook_endpoint USING btree (merchant_id, id) WHERE paused_because = 'failing'::text AND pause_announced_at IS NULL AND deleted_at IS NULL;

create table hook_listener (
  merchant_id text not null,
  id uuid not null,
  name text not null,
  created_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  present_until timestamp with time zone not null,
  polls integer not null,
  ended_at timestamp with time zone,
  constraint hook_listener_name_check CHECK (length(name) >= 1 AND length(name) <= 63),
  constraint hook_listener_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint hook_listener_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX hook_listener_open ON hook_listener USING btree (seen_at) WHERE ended_at IS NULL;
CREATE INDEX hook_listener_over ON hook_listener USING btree (ended_at) WHERE ended_at IS NOT NULL;

create unlogged table hook_relay (
  merchant_id text not null,
  id uuid not null,
  listener_id uuid not null,
  kind text not null,
  headers jsonb not null,
  body text not null,
  deadline timestamp with time zone not null,
  taken_at timestamp with time zone,
  answered_at timestamp with time zone,
  status integer,
  reason text,
  duration_ms integer,
  answer text not null,
  constraint hook_relay_check CHECK (answered_at IS NULL OR (status IS NULL) <> (reason IS NULL)),
  constraint hook_relay_status_check CHECK (status >= 100 AND status <= 599),
  constraint hook_relay_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint hook_relay_merchant_id_listener_id_fkey FOREIGN KEY (merchant_id, listener_id) REFERENCES hook_listener(merchant_id, id) ON DELETE CASCADE,
  constraint hook_relay_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX hook_relay_over ON hook_relay USING btree (deadline);
CREATE INDEX hook_relay_waiting ON hook_relay USING btree (merchant_id, listener_id, id) WHERE answered_at IS NULL;

create table hook_secret (
  merchant_id text not null,
  id uuid not null,
  endpoint_id uuid not null,
  secret_sealed bytea not null,
  created_at timestamp with time zone not null,
  signs_until timestamp with time zone,
  constraint hook_secret_merchant_id_endpoint_id_fkey FOREIGN KEY (merchant_id, endpoint_id) REFERENCES hook_endpoint(merchant_id, id),
  constraint hook_secret_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX hook_secret_by_endpoint ON hook_secret USING btree (merchant_id, endpoint_id);
CREATE UNIQUE INDEX hook_secret_one_current ON hook_secret USING btree (merchant_id, endpoint_id) WHERE signs_until IS NULL;
CREATE INDEX hook_secret_over ON hook_secret USING btree (signs_until) WHERE signs_until IS NOT NULL;

create table idempotency_key (
  merchant_id text not null,
  operation text not null,
  key text not null,
  arguments_hash text not null,
  transaction_id uuid,
  operation_id uuid,
  status integer,
  answer text,
  created_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  customer_id uuid,
  email text,
  constraint idempotency_key_check CHECK ((status IS NULL) = (answer IS NULL) AND (status IS NULL) = (settled_at IS NULL)),
  constraint idempotency_key_pkey PRIMARY KEY (merchant_id, operation, key)
);
CREATE INDEX idempotency_key_by_customer ON idempotency_key USING btree (merchant_id, customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX idempotency_key_by_email ON idempotency_key USING btree (merchant_id, email) WHERE email IS NOT NULL;
CREATE INDEX idempotency_key_by_transaction ON idempotency_key USING btree (merchant_id, transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX idempotency_key_settled ON idempotency_key USING btree (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX idempotency_key_taken ON idempotency_key USING btree (created_at) WHERE status IS NULL AND transaction_id IS NULL;

create table inbox_hook (
  merchant_id text not null,
  id uuid not null,
  at timestamp with time zone not null,
  path text not null,
  details text not null,
  signature text not null,
  verified boolean not null,
  constraint inbox_hook_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint inbox_hook_pkey PRIMARY KEY (merchant_id, id)
);

create table inbox_mail (
  merchant_id text not null,
  id uuid not null,
  at timestamp with time zone not null,
  to_address text not null,
  subject text not null,
  text text not null,
  html text not null,
  is_private boolean not null,
  constraint inbox_mail_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint inbox_mail_pkey PRIMARY KEY (merchant_id, id)
);

create table letter (
  merchant_id text not null,
  id uuid not null,
  received_at timestamp with time zone not null,
  offer_id uuid not null,
  token_sha256 bytea,
  verifies uuid,
  only_card text,
  sender text,
  is_proven boolean not null,
  is_answerable boolean not null,
  language text not null,
  message_id text,
  verdict jsonb,
  raw_sealed bytea,
  state text not null,
  transaction_id uuid,
  closed_because text,
  holder uuid,
  lease_no integer not null,
  is_personal boolean not null,
  has_consent boolean,
  is_for_another boolean not null,
  constraint letter_comes_to CHECK (
CASE state
    WHEN 'waiting'::text THEN transaction_id IS NULL AND closed_because IS NULL
    ELSE transaction_id IS NULL OR closed_because IS NULL
END),
  constraint letter_sender_check CHECK (sender = lower(sender COLLATE "C")) NOT VALID,
  constraint letter_state_check CHECK (state = ANY (ARRAY['waiting'::text, 'done'::text])),
  constraint letter_token_sha256_check CHECK (length(token_sha256) = 32),
  constraint letter_waits CHECK (state = 'waiting'::text OR holder IS NULL),
  constraint letter_merchant_id_offer_id_fkey FOREIGN KEY (merchant_id, offer_id) REFERENCES offer(merchant_id, id),
  constraint letter_merchant_id_transaction_id_fkey FOREIGN KEY (merchant_id, transaction_id) REFERENCES transaction(merchant_id, id),
  constraint letter_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX letter_by_sender ON letter USING btree (merchant_id, sender) WHERE sender IS NOT NULL;
CREATE INDEX letter_by_transaction ON letter USING btree (merchant_id, transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX letter_held ON letter USING btree (holder, merchant_id) WHERE holder IS NOT NULL;
CREATE INDEX letter_over ON letter USING btree (received_at);
CREATE INDEX letter_raw ON letter USING btree (received_at) WHERE raw_sealed IS NOT NULL;
CREATE INDEX letter_waiting ON letter USING btree (merchant_id, id) WHERE state = 'waiting'::text;

create table letter_key (
  merchant_id text not null,
  key_sha256 bytea not null,
  letter_id uuid not null,
  constraint letter_key_key_sha256_check CHECK (length(key_sha256) = 32),
  constraint letter_key_merchant_id_letter_id_fkey FOREIGN KEY (merchant_id, letter_id) REFERENCES letter(merchant_id, id) ON DELETE CASCADE,
  constraint letter_key_pkey PRIMARY KEY (merchant_id, key_sha256)
);
CREATE INDEX letter_key_by_letter ON letter_key USING btree (merchant_id, letter_id);

create table login (
  merchant_id text not null,
  email text not null,
  password_hash text not null,
  role text not null,
  created_at timestamp with time zone not null,
  language text,
  password_changed_at timestamp with time zone not null,
  totp_sealed bytea,
  totp_since timestamp with time zone,
  totp_used_period bigint,
  alerts text[] not null,
  constraint login_alerts_check CHECK (alerts <@ ARRAY['hook_dropped'::text, 'endpoint_paused'::text, 'in_doubt'::text]),
  constraint login_language_check CHECK (language = ANY (ARRAY['en'::text, 'es'::text])),
  constraint login_role_check CHECK (role = ANY (ARRAY['owner'::text, 'developer'::text, 'viewer'::text])),
  constraint login_totp CHECK (totp_since IS NULL OR totp_sealed IS NOT NULL),
  constraint login_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint login_pkey PRIMARY KEY (merchant_id, email)
);

create table login_link (
  merchant_id text not null,
  secret_sha256 bytea not null,
  kind text not null,
  email text not null,
  role text,
  made_by text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint login_link_email_check CHECK (email = lower(email COLLATE "C")) NOT VALID,
  constraint login_link_kind_check CHECK (kind = ANY (ARRAY['reset'::text, 'invitation'::text])),
  constraint login_link_role CHECK ((kind = 'invitation'::text) = (role IS NOT NULL)),
  constraint login_link_role_check CHECK (role = ANY (ARRAY['owner'::text, 'developer'::text, 'viewer'::text])),
  constraint login_link_secret_sha256_check CHECK (length(secret_sha256) = 32),
  constraint login_link_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint login_link_pkey PRIMARY KEY (merchant_id, secret_sha256)
);
CREATE INDEX login_link_by_email ON login_link USING btree (merchant_id, email);
CREATE UNIQUE INDEX login_link_one_invitation ON login_link USING btree (merchant_id, email) WHERE kind = 'invitation'::text;
CREATE INDEX login_link_over ON login_link USING btree (expires_at);

create table mail_settings (
  merchant_id text not null,
  amount_max_minor bigint,
  day_amount_max_minor bigint,
  day_payments_max integer,
  receipts boolean not null,
  further_actions boolean not null,
  errors boolean not null,
  payments boolean not null,
  public_charge_at_once boolean not null,
  personal_charge_at_once boolean not null,
  sentences jsonb not null,
  unsigned_authorizations boolean,
  constraint mail_settings_amount_max_minor_check CHECK (amount_max_minor > 0),
  constraint mail_settings_day_amount_max_minor_check CHECK (day_amount_max_minor > 0),
  constraint mail_settings_day_payments_max_check CHECK (day_payments_max > 0),
  constraint mail_settings_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint mail_settings_pkey PRIMARY KEY (merchant_id)
);

create table merchant (
  merchant_id text not null,
  partner uuid not null,
  partner_id bigint not null,
  name text not null,
  email text not null,
  currency text not null,
  created_at timestamp with time zone not null,
  constraint merchant_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint merchant_pkey PRIMARY KEY (merchant_id)
);

create table merchant_key (
  merchant_id text not null,
  id uuid not null,
  state text not null,
  public_key text not null,
  private_key_sealed bytea,
  created_at timestamp with time zone not null,
  compromised boolean not null,
  currency text not null,
  constraint merchant_key_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint merchant_key_deleted CHECK ((state = 'deleted'::text) = (private_key_sealed IS NULL)),
  constraint merchant_key_state CHECK (state = ANY (ARRAY['next'::text, 'current'::text, 'former'::text, 'deleted'::text])),
  constraint merchant_key_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint merchant_key_pkey PRIMARY KEY (merchant_id, id)
);
CREATE UNIQUE INDEX merchant_key_one_current ON merchant_key USING btree (merchant_id) WHERE state = 'current'::text;
CREATE UNIQUE INDEX merchant_key_one_next ON merchant_key USING btree (merchant_id) WHERE state = 'next'::text;

create table migration (
  number integer not null,
  name text not null,
  applied_at timestamp with time zone not null,
  constraint migration_pkey PRIMARY KEY (number)
);

create table offer (
  merchant_id text not null,
  id uuid not null,
  created_at timestamp with time zone not null,
  title text not null,
  details text,
  amount_minor bigint not null,
  amount_given text not null,
  currency text not null,
  ref_id text,
  campaign text,
  tag text,
  form text,
  stock_left integer,
  expires_at timestamp with time zone,
  gateway_id text,
  page_url text,
  custom_fields jsonb not null,
  address text,
  custom_user_data text,
  fulfillment double precision,
  email text,
  authorization_only boolean not null,
  custom_data jsonb not null,
  token_content text not null,
  active boolean not null,
  other_version_id uuid,
  constraint offer_address_check CHECK (address = ANY (ARRAY['shipping'::text, 'billing'::text, 'shipping,billing'::text])),
  constraint offer_amount_minor_check CHECK (amount_minor >= 1 AND amount_minor <= '999999999999'::bigint),
  constraint offer_currency_check CHECK (currency ~ '^[A-Z]{3}$'::text),
  constraint offer_email_check CHECK (email = lower(email COLLATE "C")) NOT VALID,
  constraint offer_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint offer_merchant_id_gateway_id_fkey FOREIGN KEY (merchant_id, gateway_id) REFERENCES gateway(merchant_id, id),
  constraint offer_other_version FOREIGN KEY (merchant_id, other_version_id) REFERENCES offer(merchant_id, id),
  constraint offer_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX offer_by_active ON offer USING btree (merchant_id, active, id);
CREATE INDEX offer_by_ref_id ON offer USING btree (merchant_id, ref_id, id) WHERE ref_id IS NOT NULL;
CREATE INDEX offer_by_title ON offer USING btree (merchant_id, lower(title) text_pattern_ops);
CREATE TRIGGER offer_versions AFTER UPDATE OF stock_left, active ON offer FOR EACH ROW WHEN (new.other_version_id IS NOT NULL AND (old.stock_left IS DISTINCT FROM new.stock_left OR old.active IS DISTINCT FROM new.active)) EXECUTE FUNCTION copy_to_other_version();

create table offer_link (
  merchant_id text not null,
  offer_id uuid not null,
  email text not null,
  content text not null,
  box_sha256 bytea not null,
  expires_at timestamp with time zone,
  constraint offer_link_email_check CHECK (email = lower(email COLLATE "C")),
  constraint offer_link_merchant_id_box_sha256_fkey FOREIGN KEY (merchant_id, box_sha256) REFERENCES token(merchant_id, box_sha256),
  constraint offer_link_merchant_id_offer_id_fkey FOREIGN KEY (merchant_id, offer_id) REFERENCES offer(merchant_id, id),
  constraint offer_link_pkey PRIMARY KEY (merchant_id, offer_id, email)
);
CREATE INDEX offer_link_by_email ON offer_link USING btree (merchant_id, email);

create table operation (
  merchant_id text not null,
  id uuid not null,
  transaction_id uuid not null,
  kind text not null,
  gateway_id text not null,
  amount_minor bigint not null,
  currency text not null,
  created_at timestamp with time zone not null,
  outcome text not null,
  sendings integer not null,
  asks integer not null,
  next_ask_at timestamp with time zone,
  gateway_ref text,
  decline_code text,
  cause text,
  settled_at timestamp with time zone,
  for_person text,
  refunded_by text,
  refunded_reason text,
  lease_no integer not null,
  lease_until timestamp with time zone not null,
  card_ref text,
  not_sent_code text,
  returned_at timestamp with time zone,
  doubt_told text,
  request json,
  overdue_at timestamp with time zone,
  more_for_person text[] not null,
  constraint operation_is_whole CHECK (operation_is_whole(operation.*)) NOT VALID,
  constraint operation_merchant_id_transaction_id_fkey FOREIGN KEY (merchant_id, transaction_id) REFERENCES transaction(merchant_id, id),
  constraint operation_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX operation_by_gateway_ref ON operation USING btree (merchant_id, gateway_id, gateway_ref) WHERE gateway_ref IS NOT NULL;
CREATE INDEX operation_by_transaction ON operation USING btree (merchant_id, transaction_id, id);
CREATE INDEX operation_doubt_untold ON operation USING btree (merchant_id, id) WHERE outcome = 'unknown'::text AND doubt_told IS NULL OR for_person IS NOT NULL AND doubt_told IS DISTINCT FROM 'person'::text;
CREATE INDEX operation_for_person ON operation USING btree (merchant_id, id) WHERE for_person IS NOT NULL;
CREATE UNIQUE INDEX operation_one_capture_or_void ON operation USING btree (merchant_id, transaction_id) WHERE (kind = ANY (ARRAY['capture'::text, 'void'::text])) AND (outcome = ANY (ARRAY['pending'::text, 'unknown'::text, 'succeeded'::text]));
CREATE UNIQUE INDEX operation_one_charge ON operation USING btree (merchant_id, transaction_id) WHERE kind = 'charge'::text AND (outcome = ANY (ARRAY['pending'::text, 'unknown'::text, 'succeeded'::text]));
CREATE UNIQUE INDEX operation_one_refund_each ON operation USING btree (merchant_id, gateway_id, gateway_ref) WHERE kind = 'refund'::text AND gateway_ref IS NOT NULL;
CREATE INDEX operation_to_ask ON operation USING btree (merchant_id, next_ask_at) WHERE next_ask_at IS NOT NULL;
CREATE INDEX operation_waited ON operation USING btree (merchant_id, settled_at) WHERE kind = 'charge'::text AND ("left"(id::text, 8) <> "left"(transaction_id::text, 8) OR (settled_at - created_at) > '00:01:00'::interval);
CREATE TRIGGER operation_arrows BEFORE UPDATE OF outcome ON operation FOR EACH ROW WHEN (old.outcome IS DISTINCT FROM new.outcome) EXECUTE FUNCTION hold_operation_arrows();

create table outgoing_mail (
  merchant_id text not null,
  id uuid not null,
  letter_id uuid not null,
  transaction_id uuid not null,
  kind text not null,
  created_at timestamp with time zone not null,
  state text not null,
  attempts integer not null,
  due_at timestamp with time zone,
  settled_at timestamp with time zone,
  cause text,
  holder uuid,
  lease_no integer not null,
  constraint outgoing_mail_kind_check CHECK (kind = ANY (ARRAY['receipt'::text, 'further_action'::text, 'error'::text])),
  constraint outgoing_mail_state_check CHECK (state = ANY (ARRAY['waiting'::text, 'sent'::text, 'dropped'::text, 'skipped'::text])),
  constraint outgoing_mail_waits CHECK ((state = 'waiting'::text) = (due_at IS NOT NULL) AND (state = 'waiting'::text) = (settled_at IS NULL) AND (state = 'waiting'::text OR holder IS NULL)),
  constraint outgoing_mail_merchant_id_letter_id_fkey FOREIGN KEY (merchant_id, letter_id) REFERENCES letter(merchant_id, id) ON DELETE CASCADE,
  constraint outgoing_mail_merchant_id_transaction_id_fkey FOREIGN KEY (merchant_id, transaction_id) REFERENCES transaction(merchant_id, id),
  constraint outgoing_mail_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX outgoing_mail_by_letter ON outgoing_mail USING btree (merchant_id, letter_id);
CREATE INDEX outgoing_mail_by_transaction ON outgoing_mail USING btree (merchant_id, transaction_id);
CREATE INDEX outgoing_mail_due ON outgoing_mail USING btree (merchant_id, due_at) WHERE state = 'waiting'::text;
CREATE INDEX outgoing_mail_held ON outgoing_mail USING btree (holder, merchant_id) WHERE holder IS NOT NULL;

create table owed_alert (
  merchant_id text not null,
  id uuid not null,
  kind text not null,
  email text not null,
  subject text not null,
  text text not null,
  html text not null,
  tries integer not null,
  due_at timestamp with time zone not null,
  constraint owed_alert_kind_check CHECK (kind = ANY (ARRAY['hook_dropped'::text, 'endpoint_paused'::text, 'in_doubt'::text])),
  constraint owed_alert_merchant_id_email_fkey FOREIGN KEY (merchant_id, email) REFERENCES login(merchant_id, email) ON DELETE CASCADE,
  constraint owed_alert_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX owed_alert_by_login ON owed_alert USING btree (merchant_id, email);
CREATE INDEX owed_alert_due ON owed_alert USING btree (due_at);

create table owed_delivery (
  merchant_id text not null,
  id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  created_at timestamp with time zone not null,
  state text not null,
  attempts integer not null,
  scheduled_made integer not null,
  original_at timestamp with time zone,
  last_at timestamp with time zone,
  due_at timestamp with time zone,
  resend_at timestamp with time zone,
  settled_at timestamp with time zone,
  holder uuid,
  parked boolean not null,
  drop_untold boolean not null,
  constraint owed_delivery_is_whole CHECK (owed_delivery_is_whole(owed_delivery.*)) NOT VALID,
  constraint owed_delivery_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX owed_delivery_canceled ON owed_delivery USING btree (merchant_id, id) WHERE state = 'canceled'::text;
CREATE INDEX owed_delivery_claimable ON owed_delivery USING btree (merchant_id, endpoint_id, due_at, id) WHERE due_at IS NOT NULL AND holder IS NULL AND NOT parked;
CREATE INDEX owed_delivery_drop_untold ON owed_delivery USING btree (merchant_id, id) WHERE drop_untold;
CREATE INDEX owed_delivery_dropped ON owed_delivery USING btree (merchant_id, id) WHERE state = 'dropped'::text;
CREATE INDEX owed_delivery_held ON owed_delivery USING btree (holder, merchant_id) WHERE holder IS NOT NULL;
CREATE INDEX owed_delivery_parked ON owed_delivery USING btree (merchant_id, endpoint_id) WHERE parked;
CREATE INDEX owed_delivery_pending ON owed_delivery USING btree (merchant_id, id) WHERE state = 'pending'::text;

create table payment_page (
  merchant_id text not null,
  button_color text,
  background_color text,
  logo bytea,
  logo_type text,
  support_email text,
  return_url text,
  frame_ancestors text[] not null,
  constraint payment_page_background_color_check CHECK (background_color ~ '^#[0-9a-f]{6}$'::text),
  constraint payment_page_button_color_check CHECK (button_color ~ '^#[0-9a-f]{6}$'::text),
  constraint payment_page_logo CHECK ((logo IS NULL) = (logo_type IS NULL)),
  constraint payment_page_logo_check CHECK (length(logo) >= 1 AND length(logo) <= 40960),
  constraint payment_page_logo_type_check CHECK (logo_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text])),
  constraint payment_page_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint payment_page_pkey PRIMARY KEY (merchant_id)
);

create table pre_sale_request (
  merchant_id text not null,
  transaction_id uuid,
  endpoint_id uuid not null,
  recorded_at timestamp with time zone not null,
  status integer,
  reason text,
  duration_ms integer,
  answer text,
  answered_at timestamp with time zone,
  id uuid not null,
  url text not null,
  details text,
  constraint pre_sale_request_pkey PRIMARY KEY (merchant_id, id),
  constraint pre_sale_request_once UNIQUE (merchant_id, transaction_id, endpoint_id)
);
CREATE INDEX pre_sale_request_answered ON pre_sale_request USING btree (answered_at) WHERE answer IS NOT NULL;
CREATE INDEX pre_sale_request_by_endpoint ON pre_sale_request USING btree (merchant_id, endpoint_id, id);
CREATE INDEX pre_sale_request_not_accepted ON pre_sale_request USING btree (merchant_id, id) WHERE status IS NULL OR status < 200 OR status > 299;
CREATE INDEX pre_sale_request_to_forget ON pre_sale_request USING btree (recorded_at) WHERE details IS NOT NULL;

create table recovery_code (
  merchant_id text not null,
  code_sha256 bytea not null,
  email text not null,
  constraint recovery_code_code_sha256_check CHECK (length(code_sha256) = 32),
  constraint recovery_code_merchant_id_email_fkey FOREIGN KEY (merchant_id, email) REFERENCES login(merchant_id, email) ON DELETE CASCADE,
  constraint recovery_code_pkey PRIMARY KEY (merchant_id, code_sha256)
);
CREATE INDEX recovery_code_by_login ON recovery_code USING btree (merchant_id, email);

create table resolution (
  merchant_id text not null,
  operation_id uuid not null,
  at timestamp with time zone not null,
  verdict text not null,
  by text not null,
  note text not null,
  answers text,
  constraint resolution_verdict_check CHECK (verdict = ANY (ARRAY['succeeded'::text, 'not_made'::text, 'dismissed'::text])),
  constraint resolution_merchant_id_operation_id_fkey FOREIGN KEY (merchant_id, operation_id) REFERENCES operation(merchant_id, id),
  constraint resolution_pkey PRIMARY KEY (merchant_id, operation_id, at)
);

create table sandbox_card (
  account text not null,
  card_ref text not null,
  behaviour text not null,
  mask text not null,
  type text not null,
  expiry_month integer not null,
  expiry_year integer not null,
  fingerprint text not null,
  constraint sandbox_card_pkey PRIMARY KEY (account, card_ref)
);

create table sandbox_entry (
  account text not null,
  operation_id uuid not null,
  seq integer not null,
  root_id uuid not null,
  written bigint not null generated always as identity,
  step text not null,
  transaction_id uuid not null,
  kind text not null,
  capture boolean not null,
  card_ref text,
  asked_minor bigint not null,
  booked_minor bigint not null,
  currency text not null,
  code text,
  constraint sandbox_entry_pkey PRIMARY KEY (account, operation_id, seq)
);
CREATE INDEX sandbox_entry_by_root ON sandbox_entry USING btree (account, root_id, written);

create table setting (
  name text not null,
  value jsonb not null,
  constraint setting_pkey PRIMARY KEY (name)
);

create table sign_in_try (
  who bytea not null,
  failures integer not null,
  at timestamp with time zone not null,
  constraint sign_in_try_pkey PRIMARY KEY (who)
);
CREATE INDEX sign_in_try_over ON sign_in_try USING btree (at);

create table token (
  merchant_id text not null,
  box_sha256 bytea not null,
  offer_id uuid,
  verifies uuid,
  only_card text,
  registered boolean not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  is_personal boolean not null,
  key_id uuid,
  constraint token_box_sha256_check CHECK (length(box_sha256) = 32),
  constraint token_stands_for CHECK (offer_id IS NOT NULL OR revoked_at IS NOT NULL),
  constraint token_made_with FOREIGN KEY (merchant_id, key_id) REFERENCES merchant_key(merchant_id, id),
  constraint token_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint token_merchant_id_offer_id_fkey FOREIGN KEY (merchant_id, offer_id) REFERENCES offer(merchant_id, id),
  constraint token_merchant_id_only_card_fkey FOREIGN KEY (merchant_id, only_card) REFERENCES card(merchant_id, token),
  constraint token_merchant_id_verifies_fkey FOREIGN KEY (merchant_id, verifies) REFERENCES transaction(merchant_id, id),
  constraint token_pkey PRIMARY KEY (merchant_id, box_sha256),
  constraint token_is_personal_key UNIQUE (merchant_id, box_sha256, is_personal)
);
CREATE INDEX token_by_key ON token USING btree (merchant_id, key_id) WHERE revoked_at IS NULL;
CREATE INDEX token_by_offer ON token USING btree (merchant_id, offer_id);

create table token_use (
  merchant_id text not null,
  box_sha256 bytea not null,
  used_by text not null,
  transaction_id uuid not null,
  is_personal boolean not null,
  constraint token_use_by_whom CHECK ((used_by = ''::text) = is_personal),
  constraint token_use_merchant_id_transaction_id_fkey FOREIGN KEY (merchant_id, transaction_id) REFERENCES transaction(merchant_id, id),
  constraint token_use_of_token FOREIGN KEY (merchant_id, box_sha256, is_personal) REFERENCES token(merchant_id, box_sha256, is_personal),
  constraint token_use_pkey PRIMARY KEY (merchant_id, box_sha256, used_by)
);
CREATE INDEX token_use_by_transaction ON token_use USING btree (merchant_id, transaction_id);

create table transaction (
  merchant_id text not null,
  id uuid not null,
  created_at timestamp with time zone not null,
  status text not null,
  source text not null,
  offer_id uuid not null,
  customer_id uuid not null,
  card_token text,
  gateway_id text not null,
  currency text not null,
  unit_price_minor bigint not null,
  quantity integer not null,
  amount_minor bigint not null,
  net_amount_minor bigint,
  authorization_only boolean not null,
  referrer_context text,
  pre_sale text not null,
  failure_code text,
  failure_sentence text,
  held_minor bigint not null,
  captured_minor bigint not null,
  refund_reserved_minor bigint not null,
  refunded_minor bigint not null,
  action_expires_at timestamp with time zone,
  version integer not null,
  lease_until timestamp with time zone,
  entered jsonb,
  token_sha256 bytea,
  action_wants text,
  action_mail_to text,
  constraint transaction_is_whole CHECK (transaction_is_whole(transaction.*)) NOT VALID,
  constraint transaction_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX transaction_abandoned ON transaction USING btree (merchant_id, lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX transaction_by_customer ON transaction USING btree (merchant_id, customer_id, id);
CREATE INDEX transaction_by_offer ON transaction USING btree (merchant_id, offer_id, status, source, id);
CREATE INDEX transaction_by_status ON transaction USING btree (merchant_id, status, source, id);
CREATE INDEX transaction_wanting ON transaction USING btree (merchant_id, action_expires_at) WHERE action_wants IS NOT NULL;
CREATE TRIGGER transaction_arrows BEFORE UPDATE OF status ON transaction FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION hold_transaction_arrows();
CREATE TRIGGER transaction_changes AFTER UPDATE OF status ON transaction FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION note_transaction_change();

create table transaction_change (
  merchant_id text not null,
  transaction_id uuid not null,
  version integer not null,
  from_status text not null,
  to_status text not null,
  at timestamp with time zone not null,
  constraint transaction_change_pkey PRIMARY KEY (merchant_id, transaction_id, version)
);

create table tries (
  merchant_id text not null,
  who bytea not null,
  left_over double precision not null,
  at timestamp with time zone not null,
  constraint tries_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchant(merchant_id),
  constraint tries_pkey PRIMARY KEY (merchant_id, who)
);
CREATE INDEX tries_over ON tries USING btree (at);

create table worker (
  id uuid not null,
  beats bigint not null,
  constraint worker_pkey PRIMARY KEY (id)
);

create view whole_delivery as
 SELECT d.merchant_id,
    d.id,
    d.event_id,
    d.endpoint_id,
    d.created_at,
    COALESCE(o.state, 'delivered'::text) AS state,
    COALESCE(o.attempts, ( SELECT max(a.number) AS max
           FROM attempt a
          WHERE a.merchant_id = d.merchant_id AND a.delivery_id = d.id), d.attempts_forgotten, 1) AS attempts,
    COALESCE(o.scheduled_made, ( SELECT count(*)::integer AS count
           FROM attempt a
          WHERE a.merchant_id = d.merchant_id AND a.delivery_id = d.id AND NOT a.resend)) AS scheduled_made,
    o.original_at,
    o.last_at,
    o.due_at,
    o.resend_at,
        CASE
            WHEN o.id IS NULL THEN ( SELECT min(a.at) AS min
               FROM attempt a
              WHERE a.merchant_id = d.merchant_id AND a.delivery_id = d.id AND a.status >= 200 AND a.status <= 299)
            ELSE o.settled_at
        END AS settled_at,
    o.holder,
    COALESCE(o.parked, false) AS parked,
    COALESCE(o.drop_untold, false) AS drop_untold
   FROM delivery d
     LEFT JOIN owed_delivery o ON o.merchant_id = d.merchant_id AND o.id = d.id;

CREATE OR REPLACE FUNCTION tillbell.copy_to_other_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update offer set stock_left = new.stock_left, active = new.active
  where merchant_id = new.merchant_id and id = new.other_version_id
    and (stock_left, active) is distinct from (new.stock_left, new.active);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION tillbell.event_is_whole(v event)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  rule text := case
    when v.kind not in ('transaction', 'far', 'error', 'update') then 'event_kind_check'
    when v.type not in ('success', 'far', 'error', 'refund', 'void', 'dispute') then 'event_type_check'
    when v.version is not null and v.transaction_id is null then 'event_version'
    end;
begin
  if rule is null then
    return true;
  end if;
  raise exception 'the row breaks %', rule using errcode = 'check_violation', constraint = rule;
end $function$;

CREATE OR REPLACE FUNCTION tillbell.hold_operation_arrows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION tillbell.hold_transaction_arrows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION tillbell.id_of_the_moment_of(id uuid)
 RETURNS uuid
 LANGUAGE sql
RETURN ((("left"((id)::text, 14) || '7'::text) || substr((gen_random_uuid())::text, 16)))::uuid;

CREATE OR REPLACE FUNCTION tillbell.note_transaction_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into transaction_change (merchant_id, transaction_id, version, from_status, to_status)
    values (new.merchant_id, new.id, new.version, old.status, new.status);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION tillbell.operation_is_whole(o operation)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION tillbell.owed_delivery_is_whole(d owed_delivery)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  rule text := case
    when d.state not in ('pending', 'delivered', 'dropped', 'canceled') then 'owed_delivery_state'
    when d.attempts < 0 then 'owed_delivery_attempts'
    when d.scheduled_made not between 0 and 10 then 'owed_delivery_scheduled_made'
    when (d.state = 'pending') <> (d.settled_at is null) then 'owed_delivery_settled_while'
    when (d.due_at is not null) <> (d.state = 'pending' or d.resend_at is not null) then 'owed_delivery_due_while'
    when d.state = 'delivered' and d.due_at is null then 'owed_delivery_nothing_owed'
    when d.holder is not null and (d.due_at is null or d.parked) then 'owed_delivery_held_while'
    end;
begin
  if rule is null then
    return true;
  end if;
  raise exception 'the row breaks %', rule using errcode = 'check_violation', constraint = rule;
end $function$;

CREATE OR REPLACE FUNCTION tillbell.transaction_is_whole(t transaction)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
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
end $function$;
