-- 0022: A card that is entered to pay is kept by the success of its payment. Those that were kept before, and with which nothing
-- was paid, are removed from their vaults as soon as nothing is open that they pay for.

update card c set remove_at = now()
where c.consented_at is not null and c.remove_at is null and c.removed_at is null
  -- Charged right after it was entered: one that was entered on a link for cards is not.
  and exists (select from transaction t join operation p on p.merchant_id = t.merchant_id and p.transaction_id = t.id
    where t.merchant_id = c.merchant_id and t.customer_id = c.customer_id and t.card_token = c.token and t.entered is not null
      and p.created_at between c.created_at and c.created_at + interval '5 minutes')
  and not exists (select from transaction t
    where t.merchant_id = c.merchant_id and t.customer_id = c.customer_id and t.card_token = c.token
      and t.status not in ('Processing', 'Further Action Required', 'Failed'));
