import json
import os
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

from gatehouse_verify import AuthError, Gatehouse

auth = Gatehouse(
    os.environ['GATEHOUSE_URL'],
    os.environ['CLIENT_ID'],
    os.environ['CLIENT_SECRET'],
    on_error=lambda error: print(error, file=sys.stderr),
)


def respond(start_response, value):
    start_response('200 OK', [('Content-Type', 'application/json')])
    return [json.dumps(value).encode()]


def app(environ, start_response):
    if environ['PATH_INFO'] == '/health':
        return respond(start_response, auth.metrics())
    try:
        caller = auth.require_environ(environ, 'documents-read')
    except AuthError as error:
        return error.wsgi(environ, start_response)
    return respond(start_response, {'documents': [f'Notes of account {caller["account_id"]}']})


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


if __name__ == '__main__':
    make_server('', int(os.environ.get('PORT', 3000)), app, Server).serve_forever()
