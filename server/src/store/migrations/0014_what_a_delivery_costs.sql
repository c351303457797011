-- 0014: What a delivery costs the database.

-- Whose result a worker brings is in its claim: all that it lists, until something is given back. Only of one that was cut the list is looked
-- through. Not compressed: to press it together took longer than all else that a claim writes, and each reader pressed it apart.
alter table claim add column is_cut boolean not null default false;
alter table claim alter column delivery_ids set storage external;

-- A delivery's id says when it was owed, so what is old is found by the key of its attempts, merchant by merchant.
drop index attempt_to_forget;
