-- 0015: A claim goes on where the ones before it end.

-- The last that a claim took up, in the order of its lane. One of a process that did not say so ends nowhere: nothing comes after it.
alter table claim add column ends_due_at timestamptz not null default 'infinity';
alter table claim add column ends_id uuid not null default 'ffffffff-ffff-ffff-ffff-ffffffffffff';

-- The old one goes when the new one is there: until then what is owed can be read.
create index owed_delivery_to_claim on owed_delivery (merchant_id, endpoint_id, due_at, id)
  where due_at is not null and holder is null and not parked;
drop index owed_delivery_claimable;
alter index owed_delivery_to_claim rename to owed_delivery_claimable;
