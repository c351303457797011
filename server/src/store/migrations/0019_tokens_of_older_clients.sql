-- 0019: Tokens of older clients open, and an endpoint may have Standard Webhooks with a JSON body.

-- A token that names no currency has that of its key, whatever becomes of the merchant's default.
alter table merchant_key add column currency text;
update merchant_key k set currency = m.currency from merchant m where m.merchant_id = k.merchant_id;
alter table merchant_key alter column currency set not null;
alter table merchant_key add constraint merchant_key_currency_check check (currency ~ '^[A-Z]{3}$');

-- An offer may ask for both addresses.
alter table offer drop constraint offer_address_check;
alter table offer add constraint offer_address_check check (address in ('shipping', 'billing', 'shipping,billing'));

-- Whether a token may authorise without saying so inside its box. Null: as the service's mode has it.
alter table mail_settings add column unsigned_authorizations boolean;

-- A second column, so that a process of the release before still reads the first.
alter table hook_endpoint add column sends_json boolean not null default false;
alter table hook_endpoint add constraint hook_endpoint_sends_json_check check (standard_webhooks or not sends_json);
