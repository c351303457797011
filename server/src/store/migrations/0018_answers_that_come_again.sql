-- 0018: A GET without a key is kept as an idempotency key, so that an equal one gets its answer for 60 seconds after it is settled.

-- What is still open, and was recognised by its guard, is recognised by its key from now on.
insert into idempotency_key (merchant_id, operation, key, arguments_hash, transaction_id, created_at)
  select merchant_id, 'GET transactions', repeat_guard, repeat_guard, id, now() from transaction
  where status = 'Processing' and repeat_guard is not null;
insert into idempotency_key (merchant_id, operation, key, arguments_hash, transaction_id, operation_id, created_at)
  select merchant_id, 'GET refunds', repeat_guard, repeat_guard, transaction_id, id, now() from operation
  where outcome in ('pending', 'unknown') and repeat_guard is not null;

-- The guards go, with their indexes. A process of an older version that still runs can then make no charge: one that it
-- recognised by its own guard, this version would not.
alter table transaction drop column repeat_guard;
alter table operation drop column repeat_guard;

-- Whom a kept answer speaks of, beside the transaction: a customer, or an address that may be nobody's yet. When they are erased, the answer is emptied.
alter table idempotency_key add column customer_id uuid, add column email text;
create index idempotency_key_by_customer on idempotency_key (merchant_id, customer_id) where customer_id is not null;
create index idempotency_key_by_email on idempotency_key (merchant_id, email) where email is not null;

-- Of answers that are there already, their own text says it.
update idempotency_key set email = answer::jsonb #>> '{offer,email}'
  where operation in ('offers', 'offers delete') and status = 200;
update idempotency_key set email = nullif(answer::jsonb #>> '{card,email}', '')
  where operation in ('credit_cards', 'credit_cards delete', 'sandbox cards') and status = 200;
update idempotency_key set transaction_id = (answer::jsonb #>> '{transaction,id}')::uuid
  where operation = 'sandbox disputes' and status = 200;

-- The service says which letters of an address are the same: A to Z and a to z. What the database's language says of others must not refuse what the service writes.
alter table customer drop constraint customer_email_check, add constraint customer_email_check check (email = lower(email collate "C")) not valid;
alter table offer drop constraint offer_email_check, add constraint offer_email_check check (email = lower(email collate "C")) not valid;
alter table checkout drop constraint checkout_proven_email_check,
  add constraint checkout_proven_email_check check (proven_email = lower(proven_email collate "C")) not valid;
alter table address_proof drop constraint address_proof_email_check,
  add constraint address_proof_email_check check (email = lower(email collate "C")) not valid;
alter table letter drop constraint letter_sender_check, add constraint letter_sender_check check (sender = lower(sender collate "C")) not valid;
alter table login_link drop constraint login_link_email_check,
  add constraint login_link_email_check check (email = lower(email collate "C")) not valid;
