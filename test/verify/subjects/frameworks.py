"""A service of Flask or FastAPI. Prints its port, and then each error that `on_error` receives, as a line."""

import os
import socket
import sys
from threading import Thread

sys.path.insert(0, os.environ['VERIFY'])
from gatehouse_verify import ASGIMiddleware, AuthError, Gatehouse, WSGIMiddleware, asgi_error_handler  # noqa: E402

READ = 'documents-read'
auth = Gatehouse(
    os.environ['GATEHOUSE_URL'],
    os.environ['CLIENT_ID'],
    os.environ['CLIENT_SECRET'],
    on_error=lambda error: print(error, flush=True),
)


def shown(caller):
    return {'kind': caller['kind'], 'account_id': caller.get('account_id')}


def serve_flask():
    from flask import Flask, request
    from werkzeug.serving import make_server

    app = Flask(__name__)

    @app.get('/middleware')
    def behind():
        return shown(request.environ['gatehouse.caller'])

    @app.get('/require')
    def required():
        return shown(auth.require_environ(request.environ, READ))

    app.register_error_handler(AuthError, lambda error: error.wsgi)
    app.wsgi_app = WSGIMiddleware(app.wsgi_app, auth, lambda environ: READ if environ['PATH_INFO'] == '/middleware' else None)
    server = make_server('127.0.0.1', 0, app, threaded=True)
    print(server.server_port, flush=True)
    server.serve_forever()


def serve_fastapi():
    import uvicorn
    from fastapi import Depends, FastAPI, Request

    app = FastAPI()

    async def caller_of(request: Request):
        return await auth.require_scope(request.scope, READ)

    @app.get('/middleware')
    async def behind(request: Request):
        return shown(request.scope['gatehouse.caller'])

    @app.get('/require')
    async def required(caller: dict = Depends(caller_of)):
        return shown(caller)

    app.add_exception_handler(AuthError, asgi_error_handler)
    app.add_middleware(ASGIMiddleware, auth=auth, policy=lambda scope: READ if scope['path'] == '/middleware' else None)
    listening = socket.create_server(('127.0.0.1', 0))
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level='critical')).run(sockets=[listening])


# The service ends with the process that started it.
Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
{'flask': serve_flask, 'fastapi': serve_fastapi}[sys.argv[1]]()
