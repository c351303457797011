-- 0020: What is left of a token is counted by its box: a personal one pays once, whoever's name a payment says and whichever version its
-- text has.

-- A late success that was accepted wrote the use of a personal token under its customer's name, beside that of another payment. The one
-- without a name stays; where there is none, that of the first payment.
alter table token_use add column is_personal boolean;
update token t set is_personal = true where exists (select from token_use u
  where u.merchant_id = t.merchant_id and u.box_sha256 = t.box_sha256 and u.used_by = '');
delete from token_use u using token t, token_use kept
where t.merchant_id = u.merchant_id and t.box_sha256 = u.box_sha256 and t.is_personal
  and kept.merchant_id = u.merchant_id and kept.box_sha256 = u.box_sha256
  and (kept.used_by <> '', kept.transaction_id, kept.used_by) < (u.used_by <> '', u.transaction_id, u.used_by);
update token_use u set is_personal = t.is_personal, used_by = case when t.is_personal then '' else u.used_by end
from token t where t.merchant_id = u.merchant_id and t.box_sha256 = u.box_sha256;

-- So the key of a use is the box alone where the token is personal, and the box and the customer where it is not.
alter table token add constraint token_is_personal_key unique (merchant_id, box_sha256, is_personal);
alter table token_use
  alter column is_personal set not null,
  add constraint token_use_by_whom check ((used_by = '') = is_personal),
  add constraint token_use_of_token foreign key (merchant_id, box_sha256, is_personal)
    references token (merchant_id, box_sha256, is_personal);

-- Where a box does not say which version it is of, each version has an offer of its own, as whoever shows it first must not decide for
-- the other. The two are what is left of one box: they have the same stock, and end together.
alter table offer
  add column other_version_id uuid,
  add constraint offer_other_version foreign key (merchant_id, other_version_id) references offer (merchant_id, id);
create function copy_to_other_version() returns trigger language plpgsql as $$
begin
  update offer set stock_left = new.stock_left, active = new.active
  where merchant_id = new.merchant_id and id = new.other_version_id
    and (stock_left, active) is distinct from (new.stock_left, new.active);
  return null;
end $$;
create trigger offer_versions after update of stock_left, active on offer
  for each row when (new.other_version_id is not null and (old.stock_left, old.active) is distinct from (new.stock_left, new.active))
  execute function copy_to_other_version();
