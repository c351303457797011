-- 0006: customers pay on a page of ours. What they type belongs to that one payment, because whoever types an address has
-- not proven it; cards are tried by strangers, so tries are counted; and a card may be given for one payment only.

-- What the customer entered for this very payment: name, addresses, answers to the offer's custom fields. Null: by REST.
alter table transaction add column entered jsonb;

alter table card
  -- When the customer ticked the box on a page of ours; null: the merchant brought the card, and answers for that.
  add column consented_at timestamptz,
  -- When its customer, who had proven the address, entered or chose it: a stranger can store a card under any address.
  add column confirmed_at timestamptz,
  -- Given for one payment only: when it is to be taken out of its vault. Null: it is kept.
  add column remove_at timestamptz;
create index card_to_remove on card (remove_at) where remove_at is not null and removed_at is null;

-- How a merchant's pages look, and where they may be framed.
create table payment_page (
  merchant_id text primary key references merchant (merchant_id),
  button_color text check (button_color ~ '^#[0-9a-f]{6}$'),
  background_color text check (background_color ~ '^#[0-9a-f]{6}$'),
  logo bytea check (length(logo) between 1 and 40960),
  logo_type text check (logo_type in ('image/png', 'image/jpeg', 'image/webp')),
  support_email text,
  return_url text,
  -- Origins that may show the pages in a frame.
  frame_ancestors text[] not null default '{}',
  constraint payment_page_logo check ((logo is null) = (logo_type is null))
);

-- One customer at one offer in one browser. Its secret is in the page's form and in a cookie; here is its hash. Written
-- when the form is first sent: looking at a page writes nothing.
create table checkout (
  merchant_id text not null,
  secret_sha256 bytea not null,
  offer_id uuid not null,
  -- The address that whoever has the secret has proven.
  proven_email text check (proven_email = lower(proven_email)),
  -- While one request pays for it, on the database's clock: others wait.
  taken_until timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, secret_sha256),
  foreign key (merchant_id, offer_id) references offer (merchant_id, id)
);
create index checkout_over on checkout (created_at);
create index checkout_by_email on checkout (merchant_id, proven_email) where proven_email is not null;

-- A link that was mailed to prove an address, for one offer. The secret is in the mail alone.
create table address_proof (
  merchant_id text not null,
  secret_sha256 bytea not null,
  offer_id uuid not null,
  email text not null check (email = lower(email)),
  -- What the page was asked for when the link was: the customer goes on from there.
  quantity int not null check (quantity between 1 and 9999),
  referrer_context text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (merchant_id, secret_sha256),
  foreign key (merchant_id, offer_id) references offer (merchant_id, id)
);
create index address_proof_over on address_proof (expires_at);
create index address_proof_by_email on address_proof (merchant_id, email);

-- How many tries somebody has left, at one merchant: an address on the network, a card, an address that mail goes to. Their
-- names are keyed hashes. Shared by all processes, and not forgotten by a restart.
create table tries (
  merchant_id text not null references merchant (merchant_id),
  who bytea not null,
  left_over double precision not null,
  at timestamptz not null,
  primary key (merchant_id, who)
);
create index tries_over on tries (at);
