-- 0004: what is over goes without a search. Each sweep finds its rows in an index that holds little else, and an endpoint
-- that was paused for failing has its merchant told by one process at a time.

-- An erased customer is looked at until nothing is left that names it, and never again.
alter table customer
  add column emptied_at timestamptz,
  add constraint customer_emptied check (emptied_at is null or erased_at is not null);
drop index customer_erased;
create index customer_to_empty on customer (merchant_id, id) where erased_at is not null and emptied_at is null;

-- The attempts of a delivery go together, so the first of them stands for all.
create index attempt_to_forget on attempt (at) where number = 1;

create index hook_secret_over on hook_secret (signs_until) where signs_until is not null;

alter table hook_endpoint
  -- Whoever tells the merchant has until then; afterwards somebody tries again.
  add column pause_telling_until timestamptz;
create index hook_endpoint_to_tell on hook_endpoint (merchant_id, id)
  where paused_because = 'failing' and pause_announced_at is null and deleted_at is null;
