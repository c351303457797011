-- 0021: After a person's decision the gateway is asked again, so that settled operations have a time of their next ask as well.

drop index operation_to_ask;
create index operation_to_ask on operation (merchant_id, next_ask_at) where next_ask_at is not null;
