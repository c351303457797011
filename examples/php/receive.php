<?php
// What becomes of a hook: verified, then acted on once, however often it comes.

const MOST_AT_ONCE = 5;
// Tests that are sent from the dashboard name this transaction: ship nothing for them.
const TEST_TRANSACTION = '00000000-0000-0000-0000-000000000000';

// The route says which kind of hook it is. `type` must fit: a Pre-Sale at the wrong URL is no payment. Published examples of
// the interface have those of FAR and Error crossed, so either fits these two.
const TYPES = [
    'pre_sale' => ['pre_sale'],
    'transaction' => ['success'],
    'far' => ['far', 'error'],
    'error' => ['far', 'error'],
];

function is_authentic(string $details, string $signature, string $private_key): bool {
    return hash_equals(hash_hmac('sha1', $details, $private_key), $signature);
}

/** Answers the HTTP status. While keys are rotated there are two that may have signed. */
function receive(string $kind, array $form, array $private_keys, PDO $db): int {
    ['details' => $details, 'signature' => $signature] = $form + ['details' => null, 'signature' => null];
    if (!is_string($details) || !is_string($signature)) return 403;
    $signed = array_filter($private_keys, fn($key) => is_authentic($details, $signature, $key));
    if ($signed === []) return 403;
    $hook = json_decode($details, true, flags: JSON_THROW_ON_ERROR);
    if (!in_array($hook['type'], TYPES[$kind], true)) return 400;
    // Pre-Sale is a question, asked once before the card is charged: any status but 2xx stops the sale.
    if ($kind === 'pre_sale') return $hook['quantity'] <= MOST_AT_ONCE ? 200 : 409;
    act_once($kind, $details, $hook, $db);
    return 200;
}

/** What was seen and what was done about it are one transaction: no crash can part them. */
function act_once(string $kind, string $details, array $hook, PDO $db): void {
    $db->exec('create table if not exists seen (hash text primary key)');
    $db->exec('create table if not exists orders (id text, item text, quantity integer, amount text, email text)');
    $db->beginTransaction();
    // Each attempt carries the same details, byte for byte.
    $first = $db->prepare('insert or ignore into seen values (?)');
    $first->execute([hash('sha256', $details)]);
    if ($first->rowCount() === 1) act($kind, $hook, $db);
    $db->commit();
}

function act(string $kind, array $hook, PDO $db): void {
    $is_test = $hook['transaction'] === TEST_TRANSACTION;
    // An authorisation is a Transaction too, but the money comes with its capture.
    if ($kind !== 'transaction' || !$hook['capture'] || $is_test) return;
    $order = $db->prepare('insert into orders values (?, ?, ?, ?, ?)');
    $item = $hook['user_data']['item_name'] ?? '';
    $order->execute([$hook['transaction'], $item, $hook['quantity'], $hook['amount'], $hook['email']]);
}
