-- 0023: A customer has one token for an offer: one that was replaced is revoked.

-- Those that were replaced before, also by links that went with their erased customer. A link of an offer for one customer has replaced
-- the offer's own.
update token t set revoked_at = now() from offer o
where t.is_personal and not t.registered and t.verifies is null and t.revoked_at is null
  and o.merchant_id = t.merchant_id and o.id = t.offer_id
  and not exists (select from offer_link l where l.merchant_id = t.merchant_id and l.box_sha256 = t.box_sha256)
  and (o.email is null
    or exists (select from offer_link l where l.merchant_id = t.merchant_id and l.offer_id = t.offer_id));
