-- 0023: A dismissal names the sentence that it answers, so that it silences nothing that a gateway says later.

alter table resolution add column answers text;
