-- 0017: Nothing of ours may keep what a gateway did from being written down, and what was not written is in doubt.

-- All that is sent to the gateway for an operation. A repetition sends just this, whatever was changed since. `json` and not
-- `jsonb`: it keeps the order of the members, so that what is sent again is the same byte for byte. Null: written by an older
-- release, or carried out at the gateway itself.
alter table operation add column request json;

-- When an operation is in doubt unless something was written down about it by then: two minutes after the lease that was
-- taken first. Later leases do not move it, so that one whose outcome cannot be committed does not look as if it were under
-- way. Every commit about the operation clears it. On the database's clock, like leases.
alter table operation add column overdue_at timestamptz;
update operation p set overdue_at = p.lease_until + interval '2 minutes'
  from transaction t where t.merchant_id = p.merchant_id and t.id = p.transaction_id
    and p.outcome = 'pending' and t.status <> 'Further Action Required';

-- The size of details is bounded where they are written. Here it could only refuse the outcome that they tell of.
create or replace function event_is_whole(v event) returns boolean immutable language plpgsql as $$
declare
  rule text := case
    when v.kind not in ('transaction', 'far', 'error', 'update') then 'event_kind_check'
    when v.type not in ('success', 'far', 'error', 'refund', 'void', 'dispute') then 'event_type_check'
    when v.version is not null and v.transaction_id is null then 'event_version'
    end;
begin
  if rule is null then
    return true;
  end if;
  raise exception 'the row breaks %', rule using errcode = 'check_violation', constraint = rule;
end $$;
alter table pre_sale_request drop constraint pre_sale_request_details_check;

-- A gateway may report a dispute of nothing, for instance an inquiry.
alter table dispute drop constraint dispute_amount_minor_check, add constraint dispute_amount_minor_check check (amount_minor >= 0);
