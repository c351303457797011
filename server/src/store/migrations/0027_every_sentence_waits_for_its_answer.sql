-- 0027: What a gateway said that a person has to look into is kept until it is answered, and no longer overwritten by what it says next.

alter table operation add column more_for_person text[] not null default '{}';
