-- 0025: Charges that were settled more than a minute after their payment was asked for: those that waited for their customer or for the
-- bank, and those that were in doubt. Ids begin with the time; the first eight digits are the same for 65 seconds. A page looks for
-- what was paid in the last minutes, and would have to read everything that was asked for in a week without this index.
create index operation_waited on operation (merchant_id, settled_at)
  where kind = 'charge' and (left(id::text, 8) <> left(transaction_id::text, 8) or settled_at - created_at > interval '1 minute');
