-- 0026: A link confirms a saved card only where it was asked for in the checkout that has saved the card: that checkout, by its secret's
-- hash. Links that are open when this is applied confirm none; the page of the payment mails another.
alter table address_proof add column saved_card_of bytea;
