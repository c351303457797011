<?php
// POST /hooks/KIND, with a route for each kind of hook.

require __DIR__ . '/receive.php';

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$known = preg_match('#^/hooks/(pre_sale|transaction|far|error)$#', $path, $route);
if (!$known || $_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(404);
    return;
}
$private_keys = preg_split('/\s+/', (string) getenv('TILLBELL_PRIVATE_KEY'), flags: PREG_SPLIT_NO_EMPTY);
$db = new PDO('sqlite:' . (getenv('SHOP_DATABASE') ?: __DIR__ . '/shop.sqlite'));
http_response_code(receive($route[1], $_POST, $private_keys, $db));
