"""POST /hooks/KIND, with a route for each kind of hook."""

import os
import re
from http import HTTPStatus
from wsgiref.simple_server import make_server

from receive import receive

PRIVATE_KEYS = os.environ['TILLBELL_PRIVATE_KEY'].split()
DATABASE = os.environ.get('SHOP_DATABASE', 'shop.sqlite')
# No hook is larger, and whoever posts says how much there is to read.
MOST_BYTES = 256 * 1024


def app(environ, start_response):
    route = re.fullmatch('/hooks/(pre_sale|transaction|far|error)', environ['PATH_INFO'])
    if route is None or environ['REQUEST_METHOD'] != 'POST':
        status = 404
    else:
        status = status_of(route[1], environ)
    start_response(f'{status} {HTTPStatus(status).phrase}', [('Content-Length', '0')])
    return []


def status_of(kind, environ):
    length = environ.get('CONTENT_LENGTH') or '0'
    if not re.fullmatch('[0-9]{1,12}', length):
        return 400
    if int(length) > MOST_BYTES:
        return 413
    return receive(kind, environ['wsgi.input'].read(int(length)), PRIVATE_KEYS, DATABASE)


if __name__ == '__main__':
    with make_server('127.0.0.1', int(os.environ.get('PORT', 3000)), app) as server:
        print(f'listening on http://127.0.0.1:{server.server_port}', flush=True)
        server.serve_forever()
