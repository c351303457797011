-- 0024: A token knows the Private Key that it was made with, and is revoked when that key is compromised; a customer has one token for an
-- offer, and one that was replaced is revoked.

-- Those that were replaced before, also by links that went with their erased customer. A link of an offer for one customer has replaced
-- the offer's own.
update token t set revoked_at = now() from offer o
where t.is_personal and not t.registered and t.verifies is null and t.revoked_at is null
  and o.merchant_id = t.merchant_id and o.id = t.offer_id
  and not exists (select from offer_link l where l.merchant_id = t.merchant_id and l.box_sha256 = t.box_sha256)
  and (o.email is null
    or exists (select from offer_link l where l.merchant_id = t.merchant_id and l.offer_id = t.offer_id));

-- The key that made or opened it; null: it is from before, and its merchant had several keys when it was first seen.
alter table token
  add column key_id uuid,
  add constraint token_made_with foreign key (merchant_id, key_id) references merchant_key (merchant_id, id);
update token t set key_id = k.id from merchant_key k
where k.merchant_id = t.merchant_id and k.created_at <= t.created_at and not exists (
  select from merchant_key other where other.merchant_id = t.merchant_id and other.id <> k.id and other.created_at <= t.created_at);
create index token_by_key on token (merchant_id, key_id) where revoked_at is null;

-- Keys that were marked as compromised before.
update offer o set active = false from token t join merchant_key k on k.merchant_id = t.merchant_id and k.id = t.key_id
where k.compromised and t.registered and t.revoked_at is null and o.merchant_id = t.merchant_id and o.id = t.offer_id and o.active;
update token t set revoked_at = now() from merchant_key k
where k.merchant_id = t.merchant_id and k.id = t.key_id and k.compromised and t.revoked_at is null;
