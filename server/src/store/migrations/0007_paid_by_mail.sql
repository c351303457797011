-- 0007: customers pay by sending a mail. A letter is a mail that asks to pay; it is committed before the sender is told that
-- it was taken, and charged afterwards by whoever holds it. What it lacks (proof, a card, an answer, room within the limits)
-- makes a transaction that waits for its customer without a card and without an operation.

alter table transaction
  alter column card_token drop not null,
  -- The token that it was asked for with, as the SHA-256 of its box.
  add column token_sha256 bytea check (length(token_sha256) = 32),
  -- What it wants of its customer before anything can be charged; null: nothing, or the bank's own step.
  add column action_wants text check (action_wants in ('proof', 'card', 'field', 'limit')),
  -- A mailto link that goes on with it.
  add column action_mail_to text,
  add constraint transaction_wants check (action_wants is null or status = 'Further Action Required'),
  add constraint transaction_mail_to check (action_mail_to is null or action_wants is not null),
  -- Without a card nothing was charged, and nothing can be.
  add constraint transaction_card check (card_token is not null or status in ('Processing', 'Further Action Required', 'Failed'));
create index transaction_wanting on transaction (merchant_id, action_expires_at) where action_wants is not null;

-- What is known of a token, by the SHA-256 of its box. A token can be made offline: a row comes with its offer, with its
-- registration, or with its revocation.
create table token (
  merchant_id text not null references merchant (merchant_id),
  box_sha256 bytea not null check (length(box_sha256) = 32),
  -- What it stands for; null: it was revoked before anybody showed it.
  offer_id uuid,
  -- It lets this very transaction go on, once.
  verifies uuid,
  -- The only card that it may charge.
  only_card text,
  -- The offer was made from it, and ends with it.
  registered boolean not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (merchant_id, box_sha256),
  foreign key (merchant_id, offer_id) references offer (merchant_id, id),
  foreign key (merchant_id, verifies) references transaction (merchant_id, id),
  foreign key (merchant_id, only_card) references card (merchant_id, token),
  constraint token_stands_for check (offer_id is not null or revoked_at is not null)
);
create index token_by_offer on token (merchant_id, offer_id);

-- A token pays once, or once for each customer: taken in the commit that makes a transaction chargeable, and given back in
-- the one that writes Failed or Voided. `used_by` is the customer where each may use it once, and empty where one may.
create table token_use (
  merchant_id text not null,
  box_sha256 bytea not null,
  used_by text not null,
  transaction_id uuid not null,
  primary key (merchant_id, box_sha256, used_by),
  foreign key (merchant_id, transaction_id) references transaction (merchant_id, id)
);
create index token_use_by_transaction on token_use (merchant_id, transaction_id);

-- Offers have had tokens from the beginning.
insert into token (merchant_id, box_sha256, offer_id, registered, created_at)
select merchant_id, sha256(substring(decode(translate(
    regexp_replace(token_content, '^@([^~@]*~)?|@$', '', 'g'), '-_', '+/'), 'base64') from 33)), id, false, created_at
from offer where token_content <> '';

create table letter (
  merchant_id text not null,
  id uuid not null,
  received_at timestamptz not null,
  offer_id uuid not null,
  token_sha256 bytea check (length(token_sha256) = 32),
  -- The transaction that its token lets go on, and the only card that it may charge.
  verifies uuid,
  only_card text,
  -- The one address in From; null: there is not exactly one, or its customer was erased.
  sender text check (sender = lower(sender)),
  -- Whether the sender is believed, and whether a mail to them may answer it.
  is_proven boolean not null,
  is_answerable boolean not null,
  language text not null,
  -- For the answer's thread.
  message_id text,
  -- What was found out about it, and by which rule; null: its customer was erased.
  verdict jsonb,
  -- As it came, sealed; null: its time is over.
  raw_sealed bytea,
  state text not null check (state in ('waiting', 'done')),
  -- What came of it; null: it waits, or came to nothing, and then why.
  transaction_id uuid,
  closed_because text,
  -- Which worker has it in hand, and the number that shuts the one before out.
  holder uuid,
  lease_no int not null default 0,
  primary key (merchant_id, id),
  foreign key (merchant_id, offer_id) references offer (merchant_id, id),
  foreign key (merchant_id, transaction_id) references transaction (merchant_id, id),
  constraint letter_waits check (state = 'waiting' or holder is null),
  constraint letter_comes_to check (case state when 'waiting' then transaction_id is null and closed_because is null
    else transaction_id is null or closed_because is null end)
);
create index letter_waiting on letter (merchant_id, id) where state = 'waiting';
create index letter_held on letter (holder, merchant_id) where holder is not null;
create index letter_by_transaction on letter (merchant_id, transaction_id) where transaction_id is not null;
create index letter_by_sender on letter (merchant_id, sender) where sender is not null;
create index letter_raw on letter (received_at) where raw_sealed is not null;
create index letter_over on letter (received_at);

-- How a letter that comes again is known: by its Message-ID and sender, and by each signature that proved it.
create table letter_key (
  merchant_id text not null,
  key_sha256 bytea not null check (length(key_sha256) = 32),
  letter_id uuid not null,
  primary key (merchant_id, key_sha256),
  foreign key (merchant_id, letter_id) references letter (merchant_id, id) on delete cascade
);
create index letter_key_by_letter on letter_key (merchant_id, letter_id);

-- What the customer is told by mail of a transaction that a letter made. Written in the commit of the change that owes it;
-- what it says, and every secret in it, is made when it is sent.
create table outgoing_mail (
  merchant_id text not null,
  id uuid not null,
  letter_id uuid not null,
  transaction_id uuid not null,
  kind text not null check (kind in ('receipt', 'further_action', 'error')),
  created_at timestamptz not null,
  state text not null check (state in ('waiting', 'sent', 'dropped', 'skipped')),
  attempts int not null default 0,
  due_at timestamptz,
  settled_at timestamptz,
  -- Why it was not sent, or not yet.
  cause text,
  holder uuid,
  lease_no int not null default 0,
  primary key (merchant_id, id),
  foreign key (merchant_id, letter_id) references letter (merchant_id, id) on delete cascade,
  foreign key (merchant_id, transaction_id) references transaction (merchant_id, id),
  constraint outgoing_mail_waits check ((state = 'waiting') = (due_at is not null) and (state = 'waiting') = (settled_at is null)
    and (state = 'waiting' or holder is null))
);
create index outgoing_mail_due on outgoing_mail (merchant_id, due_at) where state = 'waiting';
create index outgoing_mail_held on outgoing_mail (holder, merchant_id) where holder is not null;
create index outgoing_mail_by_transaction on outgoing_mail (merchant_id, transaction_id);
create index outgoing_mail_by_letter on outgoing_mail (merchant_id, letter_id);

-- What customers may pay by mail, each, and which mails they get. No row: the defaults.
create table mail_settings (
  merchant_id text primary key references merchant (merchant_id),
  -- In the merchant's currency; null: no limit.
  amount_max_minor bigint check (amount_max_minor > 0),
  day_amount_max_minor bigint check (day_amount_max_minor > 0),
  day_payments_max int check (day_payments_max > 0),
  receipts boolean not null,
  further_actions boolean not null,
  errors boolean not null
);

-- A proof may be for a transaction that waits for it.
alter table address_proof
  add column transaction_id uuid,
  add foreign key (merchant_id, transaction_id) references transaction (merchant_id, id);

-- The demo merchant's mails, shown instead of sent.
create table inbox_mail (
  merchant_id text not null references merchant (merchant_id),
  id uuid not null,
  at timestamptz not null,
  to_address text not null,
  subject text not null,
  text text not null,
  html text not null,
  primary key (merchant_id, id)
);
