"""A service that uses gatehouse_verify.py, for WSGI or ASGI. Prints its port."""

import json
import os
import socketserver
import sys
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

sys.path.insert(0, os.environ['VERIFY'])
from gatehouse_verify import ASGIMiddleware, Gatehouse, WSGIMiddleware  # noqa: E402

auth = Gatehouse(
    os.environ['GATEHOUSE_URL'],
    os.environ['CLIENT_ID'],
    os.environ['CLIENT_SECRET'],
    timeout=int(os.environ['TIMEOUT_MS']) / 1000,
    max_kept=int(os.environ['MAX_KEPT']),
)


def policy_of(path):
    return None if path == '/metrics' else path[1:]


def wsgi_app(environ, start_response):
    value = auth.metrics() if environ['PATH_INFO'] == '/metrics' else environ['gatehouse.caller']
    start_response('200 OK', [('content-type', 'application/json')])
    return [json.dumps(value).encode()]


async def asgi_app(scope, receive, send):
    if scope['type'] != 'http':
        return
    value = auth.metrics() if scope['path'] == '/metrics' else scope['gatehouse.caller']
    headers = [(b'content-type', b'application/json')]
    await send({'type': 'http.response.start', 'status': 200, 'headers': headers})
    await send({'type': 'http.response.body', 'body': json.dumps(value).encode()})


def stated(scope):
    return dict(scope['headers']).get(b'x-test-address', b'').decode() or None


class Threads(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass

    def address_string(self):
        return self.client_address[0]


if sys.argv[1] == 'wsgi':
    app = WSGIMiddleware(
        wsgi_app, auth, lambda environ: policy_of(environ['PATH_INFO']), lambda environ: environ.get('HTTP_X_TEST_ADDRESS')
    )
    server = make_server('127.0.0.1', 0, app, Threads, Quiet)
    print(server.server_port, flush=True)
    server.serve_forever()
else:
    import asyncio
    import socket

    import uvicorn

    listening = socket.create_server(('127.0.0.1', 0))
    app = ASGIMiddleware(asgi_app, auth, lambda scope: policy_of(scope['path']), stated)
    print(listening.getsockname()[1], flush=True)
    config = uvicorn.Config(app, log_level='critical', lifespan='off')
    asyncio.run(uvicorn.Server(config).serve(sockets=[listening]))
