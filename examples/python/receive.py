"""What becomes of a hook: verified, then acted on once, however often it comes."""

import hashlib
import hmac
import json
import sqlite3
from contextlib import closing
from urllib.parse import parse_qs

MOST_AT_ONCE = 5
# Tests that are sent from the dashboard name this transaction: ship nothing for them.
TEST_TRANSACTION = '00000000-0000-0000-0000-000000000000'

# The route says which kind of hook it is. `type` must fit: a Pre-Sale at the wrong URL is no payment. Published examples of
# the interface have those of FAR and Error crossed, so either fits these two.
TYPES = {
    'pre_sale': ['pre_sale'],
    'transaction': ['success'],
    'far': ['far', 'error'],
    'error': ['far', 'error'],
}


def is_authentic(details, signature, private_key):
    expected = hmac.new(private_key.encode(), details.encode(), hashlib.sha1).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


def receive(kind, body, private_keys, database):
    """Answers the HTTP status. While keys are rotated there are two that may have signed."""
    form = parse_qs(body.decode('utf-8', 'replace'))
    details, signature = (form.get(name, [''])[0] for name in ('details', 'signature'))
    if not any(is_authentic(details, signature, key) for key in private_keys):
        return 403
    hook = json.loads(details)
    if hook['type'] not in TYPES[kind]:
        return 400
    # Pre-Sale is a question, asked once before the card is charged: any status but 2xx stops the sale.
    if kind == 'pre_sale':
        return 200 if hook['quantity'] <= MOST_AT_ONCE else 409
    with closing(sqlite3.connect(database)) as db:
        act_once(kind, details, hook, db)
    return 200


def act_once(kind, details, hook, db):
    db.execute('create table if not exists seen (hash text primary key)')
    db.execute('create table if not exists orders (id text, item text, quantity integer, amount text, email text)')
    # What was seen and what was done about it are one transaction: no crash can part them.
    with db:
        # Each attempt carries the same details, byte for byte.
        digest = hashlib.sha256(details.encode()).hexdigest()
        if db.execute('insert or ignore into seen values (?)', [digest]).rowcount == 1:
            act(kind, hook, db)


def act(kind, hook, db):
    # An authorisation is a Transaction too, but the money comes with its capture.
    if kind != 'transaction' or not hook['capture'] or hook['transaction'] == TEST_TRANSACTION:
        return
    item = hook['user_data'].get('item_name', '')
    order = [hook['transaction'], item, hook['quantity'], hook['amount'], hook['email']]
    db.execute('insert into orders values (?, ?, ?, ?, ?)', order)
