"""POST /hooks/KIND, with a route for each kind of hook."""

import os
import re
from http import HTTPStatus
from wsgiref.simple_server import make_server

from receive import receive

PRIVATE_KEYS = os.environ['TILLBELL_PRIVATE_KEY'].split()
DATABASE = os.environ.get('SHOP_DATABASE', 'shop.sqlite')


def app(environ, start_response):
    route = re.fullmatch('/hooks/(pre_sale|transaction|far|error)', environ['PATH_INFO'])
    if route is None or environ['REQUEST_METHOD'] != 'POST':
        status = 404
    else:
        body = environ['wsgi.input'].read(int(environ.get('CONTENT_LENGTH') or 0))
        status = receive(route[1], body, PRIVATE_KEYS, DATABASE)
    start_response(f'{status} {HTTPStatus(status).phrase}', [('Content-Length', '0')])
    return []


if __name__ == '__main__':
    with make_server('127.0.0.1', int(os.environ.get('PORT', 3000)), app) as server:
        print(f'listening on http://127.0.0.1:{server.server_port}', flush=True)
        server.serve_forever()
