-- 0009: what the dashboard's lists are walked along. These tables may be large: while an index is built nobody writes, and
-- everybody reads. What shuts out readers as well comes last, and takes no time.

-- An offer is looked for by the merchant's own name for it.
create index offer_by_ref_id on offer (merchant_id, ref_id, id) where ref_id is not null;
-- Or by how its title begins; and the few that are over are not looked for among a million that are not, nor the other way.
create index offer_by_title on offer (merchant_id, lower(title) text_pattern_ops);
create index offer_by_active on offer (merchant_id, active, id);

-- What the merchant's people are still to be mailed about, and just that: with nothing to tell, looking costs nothing.
create index delivery_drop_untold on delivery (merchant_id, id) where drop_untold;
create index operation_doubt_untold on operation (merchant_id, id)
  where (outcome = 'unknown' and doubt_told is null) or (for_person is not null and doubt_told is distinct from 'person');

create index dispute_open on dispute (merchant_id) where status = 'open';

-- A list of one state, one source or one offer, or of any of these together, is walked in its order along an index, however
-- rare what it asks for is and however long ago. No index more than before: a change of status writes all of them anyway, and
-- each entry is as much longer as the names of a state and a source.
create index transaction_by_status_and_source on transaction (merchant_id, status, source, id);
create index transaction_by_offer_and_status on transaction (merchant_id, offer_id, status, source, id);
-- Also by how an address begins, in whatever language the database sorts.
create unique index customer_by_start_of_email on customer (merchant_id, email text_pattern_ops) where email is not null;

alter table operation validate constraint operation_doubt_told_check;
drop index transaction_by_status;
alter index transaction_by_status_and_source rename to transaction_by_status;
drop index transaction_by_offer;
alter index transaction_by_offer_and_status rename to transaction_by_offer;
drop index customer_by_email;
alter index customer_by_start_of_email rename to customer_by_email;
