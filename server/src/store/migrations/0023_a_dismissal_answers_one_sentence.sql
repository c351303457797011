-- 0023: A dismissal names the sentence that it answers, so that it silences nothing that a gateway says later. A reference that a
-- person gave is kept apart until the gateway confirms it: nothing is refunded, captured or voided under it before.

alter table resolution add column answers text;
alter table operation add column unproven_ref text;
