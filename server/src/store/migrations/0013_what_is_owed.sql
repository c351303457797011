-- 0013: What is still to be done about a delivery is a row of its own, which goes when it is done.

-- Whoever writes waits from here on: what was committed between the reading and the change of the table would be lost.
lock table delivery, attempt in access exclusive mode;

-- A result was a new version of its delivery, with an entry in each of its indexes. Now a delivery is written once. While
-- something is owed of it there is a second row, which goes with it: that it was accepted deletes it, at half of what the change cost.
-- A delivery without one is delivered, and one of its attempts was accepted; the audit looks whether it is so.
create table owed_delivery (
  merchant_id text not null,
  id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  created_at timestamptz not null,
  -- `delivered`: it is to be sent again.
  state text not null default 'pending',
  attempts integer not null default 0,
  scheduled_made integer not null default 0,
  original_at timestamptz,
  last_at timestamptz,
  due_at timestamptz,
  resend_at timestamptz,
  settled_at timestamptz,
  holder uuid,
  parked boolean not null default false,
  drop_untold boolean not null default false,
  primary key (merchant_id, id)
);
-- Nothing waits for long, or everything does: it is cleaned up before it is many times as large as what is in it.
alter table owed_delivery set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

insert into owed_delivery (merchant_id, id, event_id, endpoint_id, created_at, state, attempts, scheduled_made, original_at, last_at,
    due_at, resend_at, settled_at, holder, parked, drop_untold)
  select merchant_id, id, event_id, endpoint_id, created_at, state, attempts, scheduled_made, original_at, last_at,
    due_at, resend_at, settled_at, holder, parked, drop_untold
  from delivery where state <> 'delivered' or due_at is not null;

-- One for each state, so that none can be taken for the way to a row by its id: where the table is empty, as it is most of the time, a planner
-- sees no difference, and its plan is kept when the table fills.
create index owed_delivery_pending on owed_delivery (merchant_id, id) where state = 'pending';
create index owed_delivery_dropped on owed_delivery (merchant_id, id) where state = 'dropped';
create index owed_delivery_canceled on owed_delivery (merchant_id, id) where state = 'canceled';
create index owed_delivery_claimable on owed_delivery (merchant_id, endpoint_id, due_at)
  where due_at is not null and holder is null and not parked;
create index owed_delivery_held on owed_delivery (holder, merchant_id) where holder is not null;
create index owed_delivery_parked on owed_delivery (merchant_id, endpoint_id) where parked;
create index owed_delivery_drop_untold on owed_delivery (merchant_id, id) where drop_untold;

create function owed_delivery_is_whole(d owed_delivery) returns boolean immutable language plpgsql as $$
declare
  rule text := case
    when d.state not in ('pending', 'delivered', 'dropped', 'canceled') then 'owed_delivery_state'
    when d.attempts < 0 then 'owed_delivery_attempts'
    when d.scheduled_made not between 0 and 10 then 'owed_delivery_scheduled_made'
    when (d.state = 'pending') <> (d.settled_at is null) then 'owed_delivery_settled_while'
    when (d.due_at is not null) <> (d.state = 'pending' or d.resend_at is not null) then 'owed_delivery_due_while'
    when d.state = 'delivered' and d.due_at is null then 'owed_delivery_nothing_owed'
    when d.holder is not null and (d.due_at is null or d.parked) then 'owed_delivery_held_while'
    end;
begin
  if rule is null then
    return true;
  end if;
  raise exception 'the row breaks %', rule using errcode = 'check_violation', constraint = rule;
end $$;
alter table owed_delivery add constraint owed_delivery_is_whole check (owed_delivery_is_whole(owed_delivery)) not valid;

-- How many attempts were made is the number of the newest; where retention has taken them it is kept here, if it was more than one.
alter table delivery drop constraint delivery_is_whole;
drop function delivery_is_whole;
alter table delivery rename column attempts to attempts_forgotten;
alter table delivery alter column attempts_forgotten drop not null,
  drop column state, drop column due_at, drop column settled_at, drop column scheduled_made, drop column original_at, drop column last_at,
  drop column resend_at, drop column parked, drop column holder, drop column lease_no, drop column drop_untold;
-- No second version of a row needs room any more, and nothing is left to be cleaned up.
alter table delivery reset (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
alter index delivery_pkey reset (fillfactor);
alter index delivery_once reset (fillfactor);
alter index delivery_by_endpoint reset (fillfactor);

-- A delivery with what is owed of it.
create view whole_delivery as
  select d.merchant_id, d.id, d.event_id, d.endpoint_id, d.created_at, coalesce(o.state, 'delivered') as state,
    coalesce(o.attempts, (select max(a.number) from attempt a where a.merchant_id = d.merchant_id and a.delivery_id = d.id),
      d.attempts_forgotten, 1) as attempts,
    coalesce(o.scheduled_made, (select count(*)::int from attempt a
      where a.merchant_id = d.merchant_id and a.delivery_id = d.id and not a.resend)) as scheduled_made, o.original_at, o.last_at, o.due_at, o.resend_at,
    case when o.id is null then (select min(a.at) from attempt a
      where a.merchant_id = d.merchant_id and a.delivery_id = d.id and a.status between 200 and 299)
      else o.settled_at end as settled_at, o.holder,
    coalesce(o.parked, false) as parked, coalesce(o.drop_untold, false) as drop_untold
  from delivery d left join owed_delivery o on o.merchant_id = d.merchant_id and o.id = d.id;
