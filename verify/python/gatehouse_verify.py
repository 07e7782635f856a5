"""Authenticates the requests of a WSGI or ASGI application by Gatehouse.

It keeps admissions, and drops them when something is revoked (forward-auth.md section 4). It needs Python 3.9 or newer and
no other package. Only ``AssertionVerifier`` needs the package ``cryptography``. Its behavior is that of the Node.js package
``@gatehouse-auth/verify``.

    auth = Gatehouse('https://id.example.com', client_id, client_secret)
    app = WSGIMiddleware(app, auth, 'documents-read')      # the caller: environ['gatehouse.caller']
    app = ASGIMiddleware(app, auth, 'documents-read')      # the caller: scope['gatehouse.caller']
"""

import asyncio
import base64
import hashlib
import http.client
import json
import os
import random
import re
import socket
import ssl
import threading
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote, urlsplit

__all__ = [
    'ASGIMiddleware',
    'AssertionVerifier',
    'AuthError',
    'Gatehouse',
    'InvalidAssertion',
    'WSGIMiddleware',
    'asgi_error_handler',
]

# Without a heartbeat for this time, the stream is lost. All times are in seconds.
LOST = 0.8
# Gatehouse sends a heartbeat every 250 ms. One that arrives later than this counts from here.
LATE = 0.35
# Time limit for the first byte of a response of the stream.
CONNECT = 2.0
FIRST_BACK_OFF, LONGEST_BACK_OFF = 0.1, 2.0
# How long a revoked tag is remembered. No admission is kept for longer.
REMEMBERED = 300.0
# Above this number of tags, the oldest ones are forgotten earlier.
MOST_TAGS = 200_000
# A response and an event of the stream may not be longer, in bytes.
LONGEST_RESPONSE, LONGEST_EVENT = 1024 * 1024, 16 * 1024 * 1024
# Requests to Gatehouse at the same time, in an ASGI application.
MOST_THREADS = 64

# The keys of assertions are fetched at most once in this time, and with this time limit.
KEYS_REFRESH, KEYS_TIMEOUT = 5.0, 2.0

NEVER = float('-inf')
# The IP address of the connection.
OF_SOCKET = object()
# Headers that belong to one connection, or that the server of the response sets itself.
OF_CONNECTION = {'connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'}


class AuthError(Exception):
    """The caller is not admitted.

    Contains the response of the guard that rejected the request, unchanged: ``status``, ``headers`` (a list of pairs) and
    ``body`` (bytes). If Gatehouse does not respond, the status is 503 and ``__cause__`` is the reason. It is also an ASGI
    application that sends this response.
    """

    def __init__(self, status, headers, body):
        super().__init__(f'The request was rejected with status {status}')
        self.status = status
        pairs = [(name, one) for name, value in headers.items() for one in ([value] if isinstance(value, str) else value)]
        self.headers = [(name, value) for name, value in pairs if name.lower() not in OF_CONNECTION]
        self.body = body if isinstance(body, bytes) else body.encode()

    @classmethod
    def unavailable(cls, retry_after=None):
        """The error if Gatehouse does not decide. ``retry_after`` is in seconds."""
        headers = {
            'cache-control': 'no-store',
            'content-type': 'application/json; charset=utf-8',
            'retry-after': retry_after or '1',
        }
        body = {'code': 'SERVICE_UNAVAILABLE', 'message': 'The service is unavailable. Try again later.'}
        return cls(503, headers, json.dumps(body, separators=(',', ':')))

    def _sent_headers(self):
        return [*self.headers, ('content-length', str(len(self.body)))]

    async def __call__(self, scope, receive, send):
        headers = [(name.lower().encode('latin-1'), value.encode('latin-1')) for name, value in self._sent_headers()]
        await send({'type': 'http.response.start', 'status': self.status, 'headers': headers})
        body = b'' if scope.get('method') == 'HEAD' else self.body
        await send({'type': 'http.response.body', 'body': body})

    def wsgi(self, environ, start_response):
        """Sends the response in a WSGI application."""
        reason = http.client.responses.get(self.status, 'Unknown')
        start_response(f'{self.status} {reason}', self._sent_headers())
        return [b'' if environ.get('REQUEST_METHOD') == 'HEAD' else self.body]


async def asgi_error_handler(request, error):
    """For ``app.add_exception_handler(AuthError, asgi_error_handler)`` of Starlette and FastAPI."""
    return error


class UnexpectedResponse(Exception):
    """A response that contains no decision, such as 401 for invalid client credentials or 404 for an unknown policy."""

    def __init__(self, status, retry_after, body):
        super().__init__(f'Gatehouse responded with status {status}: {body[:200]!r}')
        self.status = status
        self.retry_after = retry_after


# <ID>-<seconds since 1970>-<identity of the journal>
_MARK = re.compile(r'(-?[0-9]{1,16})-[0-9]{1,12}-([0-9a-f]{1,64})')


def _reaches(mark, other):
    """Whether a mark is certainly not before another one. It is false if the two are of different journals."""
    one, two = (_MARK.fullmatch(text) if isinstance(text, str) else None for text in (mark, other))
    return bool(one and two and one[2] == two[2] and int(one[1]) >= int(two[1]))


class _Revocations:
    """The tags that were revoked in the last five minutes.

    A position counts the messages of the stream that were received. A decision whose request was sent at a position
    contains every revocation up to this position.
    """

    def __init__(self):
        self.position = 0
        self._revoked = OrderedDict()
        # Nothing is known about revocations before it.
        self._horizon = (0, None)
        self._last = None

    def advance(self, mark):
        self._last = mark
        if self._horizon[1] is None:
            self._horizon = (self._horizon[0], mark)

    def add(self, tags, now):
        self.position += 1
        for tag in tags:
            self._revoked.pop(tag, None)
            self._revoked[tag] = (self.position, self._last, now)
        while self._revoked:
            position, mark, at = next(iter(self._revoked.values()))
            if now - at < REMEMBERED and len(self._revoked) <= MOST_TAGS:
                break
            self._revoked.popitem(last=False)
            self._horizon = (position, mark or self._horizon[1])

    def restart(self):
        """Forgets everything, because revocations may be missing. Nothing that was decided earlier is valid."""
        self._revoked.clear()
        self._last = None
        self.position += 1
        self._horizon = (self.position, None)

    def touch(self, tags, since):
        """Whether one of the tags may have been revoked after a position."""
        if since < self._horizon[0]:
            return True
        return any(tag in self._revoked and self._revoked[tag][0] > since for tag in tags)

    def follow(self, tags, as_of):
        """Whether one of the tags may have been revoked after the mark ``as_of`` of a decision."""
        marks = [self._horizon[1], *(self._revoked[tag][1] for tag in tags if tag in self._revoked)]
        return any(mark is not None and not _reaches(as_of, mark) for mark in marks)


class _Client:
    """The two requests to Gatehouse, with the credentials of the resource application."""

    def __init__(self, url, client_id, client_secret, timeout):
        if not client_id or not client_secret:
            raise ValueError('Set client_id and client_secret to those of the resource application')
        parts = urlsplit(url)
        if parts.scheme not in ('http', 'https') or not parts.hostname:
            raise ValueError('The URL of Gatehouse must begin with http:// or https://')
        self._parts = parts
        self._tls = ssl.create_default_context() if parts.scheme == 'https' else None
        # Both parts are encoded (RFC 6749, section 2.3.1).
        pair = f'{quote(client_id, safe="")}:{quote(client_secret, safe="")}'
        self._authorization = f'Basic {base64.b64encode(pair.encode()).decode()}'
        self.timeout = timeout
        self._idle = []

    def _connection(self, timeout):
        host, port = self._parts.hostname, self._parts.port
        if self._tls:
            return http.client.HTTPSConnection(host, port, timeout=timeout, context=self._tls)
        return http.client.HTTPConnection(host, port, timeout=timeout)

    def decide(self, decision_request):
        """Asks for a decision. Raises an error if there is none in time."""
        body = json.dumps(decision_request)
        headers = {'authorization': self._authorization, 'content-type': 'application/json'}
        try:
            connection, is_reused = self._idle.pop(), True
        except IndexError:
            connection, is_reused = self._connection(self.timeout), False
        while True:
            try:
                connection.request('POST', '/v1/decisions', body, headers)
                response = connection.getresponse()
                text = response.read(LONGEST_RESPONSE)
                break
            except (ConnectionResetError, BrokenPipeError, http.client.RemoteDisconnected):
                connection.close()
                # Gatehouse may close an idle connection at the moment at which it is used again.
                if not is_reused:
                    raise
                connection, is_reused = self._connection(self.timeout), False
            except BaseException:
                connection.close()
                raise
        if response.isclosed() and not response.will_close:
            self._idle.append(connection)
        else:
            connection.close()
        if response.status != 200:
            raise UnexpectedResponse(response.status, response.headers.get('retry-after'), text)
        return _decision(json.loads(text))

    def subscribe(self, mark):
        """Connects to the stream of revocations. Returns the socket, the response and the time of the request."""
        connection = self._connection(CONNECT)
        try:
            connection.connect()
            headers = {'accept': 'text/event-stream', 'authorization': self._authorization}
            if mark is not None:
                headers['last-event-id'] = mark
            requested = time.monotonic()
            connection.request('GET', '/v1/decisions/revocations', headers=headers)
            connected = connection.sock
            response = connection.getresponse()
            if response.status != 200:
                raise UnexpectedResponse(response.status, None, b'no stream of revocations')
            return connected, response, requested
        except BaseException:
            connection.close()
            raise

    def close(self):
        while self._idle:
            self._idle.pop().close()


def _decision(value):
    is_decision = isinstance(value, dict) and isinstance(value.get('tags'), list)
    if is_decision and value.get('admitted') is True:
        is_decision = isinstance(value.get('identity'), dict) and isinstance(value.get('expires_in'), (int, float))
    elif is_decision:
        is_decision = value.get('admitted') is False and isinstance(value.get('status'), int)
    if not is_decision:
        raise ValueError('Gatehouse did not return a decision')
    return value


def _events(chunks):
    """The events of a ``text/event-stream`` as dictionaries of their fields, a list for each chunk."""
    rest, fields = b'', {}
    for chunk in chunks:
        lines = re.split(rb'\r\n|\n|\r(?=[^\n])', rest + chunk)
        rest = lines.pop()
        if len(rest) > LONGEST_EVENT:
            raise ValueError('An event of the stream is too long')
        found = []
        for line in lines:
            if line:
                name, _, value = line.decode().partition(':')
                value = value[1:] if value.startswith(' ') else value
                fields[name] = f'{fields[name]}\n{value}' if name == 'data' and name in fields else value
            else:
                if 'event' in fields or 'data' in fields:
                    found.append(fields)
                fields = {}
        yield found


def _chunks(response):
    while True:
        chunk = response.read1(65536)
        if not chunk:
            return
        yield chunk


class Gatehouse:
    """Decides about requests with the guards of Gatehouse, and keeps admissions.

    ``url`` is the origin of Gatehouse. The credentials are those of the resource application. ``timeout`` is the time in
    seconds to wait for a decision. ``max_kept`` is the number of admissions that are kept at most. ``on_error`` is called
    with an exception if Gatehouse does not decide, or if the stream of revocations fails. Threads may share an instance.
    The connection to the stream is opened at the first request, in each process.
    """

    def __init__(self, url, client_id, client_secret, *, timeout=2.0, max_kept=10_000, on_error=None):
        self._client = _Client(url, client_id, client_secret, timeout)
        self._max_kept = max_kept
        self._on_error = on_error or (lambda error: None)
        self._threads = None
        self._begin()

    def _begin(self):
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._kept = OrderedDict()
        self._revocations = _Revocations()
        self._counts = dict.fromkeys(('hits', 'misses', 'revocations', 'stream_losses', 'failures'), 0)
        self._mark = None
        # When the last heartbeat was sent, or earlier.
        self._alive = NEVER
        self._stream = None
        self._closed = threading.Event()

    def require(self, policy, authorization=None, sudo=None, address=None):
        """Returns the caller of a request that the policy admits, as a dictionary. Do not change it.

        ``authorization`` and ``sudo`` are the values of the headers ``Authorization`` and ``X-Service-Sudo-Mode-JWT``.
        ``address`` is the IP address of the client. Raises ``AuthError`` with the response of the guard, or with status
        503 if Gatehouse does not decide.
        """
        decision_request = (policy, authorization, sudo, address)
        key = _key(decision_request)
        caller = self._look_up(key)
        return self._ask(key, decision_request) if caller is None else caller

    async def require_async(self, policy, authorization=None, sudo=None, address=None):
        """Like ``require``, without blocking the event loop."""
        decision_request = (policy, authorization, sudo, address)
        key = _key(decision_request)
        caller = self._look_up(key)
        if caller is not None:
            return caller
        if self._threads is None:
            self._threads = ThreadPoolExecutor(MOST_THREADS, 'gatehouse')
        asked = asyncio.get_running_loop().run_in_executor(self._threads, self._ask, key, decision_request)
        try:
            return await asyncio.wait_for(asked, self._client.timeout * 2)
        except asyncio.TimeoutError as cause:
            raise AuthError.unavailable() from cause

    def require_environ(self, environ, policy, address=OF_SOCKET):
        """Requires a policy for a WSGI request. The default address is that of the connection."""
        caller = self.require(
            policy,
            environ.get('HTTP_AUTHORIZATION'),
            environ.get('HTTP_X_SERVICE_SUDO_MODE_JWT'),
            _connected(environ.get('REMOTE_ADDR')) if address is OF_SOCKET else address,
        )
        environ['gatehouse.caller'] = caller
        return caller

    async def require_scope(self, scope, policy, address=OF_SOCKET):
        """Requires a policy for an ASGI request. The default address is that of the connection."""
        found = {}
        for name, value in scope['headers']:
            found.setdefault(name.lower(), []).append(value.decode('latin-1'))
        # Several headers are joined, so that Gatehouse rejects them.
        authorization, sudo = (
            ', '.join(found[name]) if name in found else None for name in (b'authorization', b'x-service-sudo-mode-jwt')
        )
        client = scope.get('client')
        default = _connected(client[0]) if client else None
        caller = await self.require_async(policy, authorization, sudo, default if address is OF_SOCKET else address)
        scope['gatehouse.caller'] = caller
        return caller

    def metrics(self):
        """Counters, the number of kept admissions, and the seconds since the last heartbeat (``None`` without a stream)."""
        lag = time.monotonic() - self._alive
        with self._lock:
            return {**self._counts, 'kept': len(self._kept), 'lag_seconds': lag if lag < LOST else None}

    def close(self):
        """Closes the connections to Gatehouse. Afterwards, every request asks."""
        self._closed.set()
        self._alive = NEVER
        _shut(self._stream)
        self._client.close()
        if self._threads is not None:
            self._threads.shutdown(wait=False)
            self._threads = None
        with self._lock:
            self._kept.clear()

    def _is_live(self, now):
        return now - self._alive < LOST

    def _look_up(self, key):
        if self._process != os.getpid():
            # A forked process has no thread that reads the stream, and shares the connections.
            self._threads, self._client._idle = None, []
            self._begin()
        now = time.monotonic()
        with self._lock:
            if self._stream is None and not self._closed.is_set():
                self._stream = False
                threading.Thread(target=self._follow, name='gatehouse-revocations', daemon=True).start()
            kept = self._kept.get(key) if self._is_live(now) else None
            if kept is not None:
                caller, tags, since, expires = kept
                if now < expires and not self._revocations.touch(tags, since):
                    self._kept.move_to_end(key)
                    self._counts['hits'] += 1
                    return caller
                del self._kept[key]
            self._counts['misses'] += 1
            return None

    def _ask(self, key, decision_request, is_first=True):
        sent = time.monotonic()
        with self._lock:
            since = self._revocations.position if self._is_live(sent) else None
        policy, authorization, sudo, address = decision_request
        optional = {'sudo': sudo, 'address': address}
        body = {'policy': policy, 'authorization': authorization or ''}
        body.update({name: value for name, value in optional.items() if value is not None})
        try:
            decision = self._client.decide(body)
        except Exception as cause:
            with self._lock:
                self._counts['failures'] += 1
            self._on_error(cause)
            raise AuthError.unavailable(getattr(cause, 'retry_after', None)) from cause
        if not decision['admitted']:
            sent_body = decision.get('body', '')
            text = sent_body if isinstance(sent_body, str) else json.dumps(sent_body, separators=(',', ':'), ensure_ascii=False)
            raise AuthError(decision['status'], decision.get('headers') or {}, text)
        caller, tags = decision['identity'], decision['tags']
        if since is None:
            return caller
        with self._lock:
            is_doubtful = self._revocations.touch(tags, since) or self._revocations.follow(tags, decision.get('as_of'))
            # A policy that requires sudo mode admits no request without a proof.
            if not is_doubtful and sudo is None:
                expires = sent + min(decision['expires_in'], REMEMBERED)
                self._kept[key] = (caller, tags, since, expires)
                self._kept.move_to_end(key)
                if len(self._kept) > self._max_kept:
                    self._kept.popitem(last=False)
        # The second decision is made after this revocation.
        return self._ask(key, decision_request, False) if is_doubtful and is_first else caller

    def _follow(self):
        """Reads ``GET /v1/decisions/revocations``, and connects again if it ends (forward-auth.md section 3)."""
        attempts, closed = 0, self._closed
        while not closed.is_set():
            try:
                connected, response, requested = self._client.subscribe(self._mark)
                self._stream = connected
                connected.settimeout(LOST)
                if not closed.is_set():
                    self._read(response, requested)
            except Exception as error:
                if not closed.is_set():
                    self._on_error(error)
            _shut(self._stream)
            if self._alive != NEVER:
                attempts = 0
                self._alive = NEVER
                with self._lock:
                    self._counts['stream_losses'] += 1
            closed.wait(random.random() * min(LONGEST_BACK_OFF, FIRST_BACK_OFF * 2**attempts))
            attempts = min(attempts + 1, 10)

    def _read(self, response, requested):
        if self._mark is None:
            self._restart()
        for events in _events(_chunks(response)):
            # After a pause of this process, older heartbeats are waiting to be read. Only a new connection has new ones.
            if self._alive != NEVER and not self._is_live(time.monotonic()):
                raise TimeoutError('The stream was lost')
            for fields in events:
                self._handle(fields, requested)

    def _handle(self, fields, requested):
        event, mark = fields.get('event', 'message'), fields.get('id')
        if event == 'reset':
            self._mark = None
            self._restart()
        tags = json.loads(fields['data'])['tags'] if event == 'revoked' else None
        with self._lock:
            if mark is not None:
                self._revocations.advance(mark)
            if tags is not None:
                self._counts['revocations'] += len(tags)
                self._revocations.add(tags, time.monotonic())
        if event == 'alive':
            # A heartbeat may arrive much later than it was sent. Therefore the first one counts from the request, and each
            # further one from at most 350 ms after the former one.
            self._alive = requested if self._alive == NEVER else min(time.monotonic(), self._alive + LATE)
        if mark is not None:
            self._mark = mark

    def _restart(self):
        with self._lock:
            self._kept.clear()
            self._revocations.restart()


def _key(decision_request):
    """SHA-256 of policy, authorization, proof and address, each with its length in front."""
    digest = hashlib.sha256()
    for text in decision_request:
        part = b'' if text is None else text.encode('utf-8', 'surrogateescape')
        digest.update(b'-' if text is None else b'%d:' % len(part))
        digest.update(part)
    return digest.digest()


def _connected(address):
    """The IP address of a connection. IPv4 addresses are written without the prefix of IPv6."""
    return re.sub(r'^::ffff:(?=[\d.]+$)', '', address) if address else None


def _shut(connected):
    if connected:
        try:
            connected.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        connected.close()


class InvalidAssertion(Exception):
    """The assertion is missing, malformed, expired, for another policy, or not signed by Gatehouse."""


def _bytes(text):
    if not re.fullmatch(r'[A-Za-z0-9_-]+', text):
        raise InvalidAssertion('The assertion is malformed')
    try:
        return base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))
    except ValueError as cause:
        raise InvalidAssertion('The assertion is malformed') from cause


def _members(text):
    try:
        value = json.loads(_bytes(text))
    except ValueError as cause:
        raise InvalidAssertion('The assertion is malformed') from cause
    if not isinstance(value, dict):
        raise InvalidAssertion('The assertion is malformed')
    return value


class AssertionVerifier:
    """Verifies ``X-Auth-Assertion`` for services behind a proxy that uses forward authentication (forward-auth.md section 2).

    ``issuer`` is ``PUBLIC_ORIGIN`` of Gatehouse. ``jwks_url`` is the URL of the public keys, by default
    ``/.well-known/jwks.json`` of the issuer. ``clock_tolerance`` is the tolerated difference between the clocks, in seconds.
    Threads may share an instance. It needs the package ``cryptography``.
    """

    def __init__(self, issuer, *, jwks_url=None, clock_tolerance=5.0):
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, utils

        self._ec, self._encode, self._bad_signature = ec, utils.encode_dss_signature, InvalidSignature
        self._algorithm = ec.ECDSA(hashes.SHA256())
        self._issuer, self._tolerance = issuer, clock_tolerance
        self._jwks = urlsplit(jwks_url or f'{issuer.rstrip("/")}/.well-known/jwks.json')
        self._keys, self._fetched, self._lock = {}, NEVER, threading.Lock()

    def verify(self, assertion, policy):
        """Returns the caller as a dictionary. ``policy`` is the name of the policy that the proxy uses for this request.

        Raises ``InvalidAssertion``, and another error if the keys cannot be fetched.
        """
        parts = (assertion or '').split('.')
        if len(parts) != 3:
            raise InvalidAssertion('The assertion is malformed')
        head, signature = _members(parts[0]), _bytes(parts[2])
        kid = head.get('kid')
        is_expected = head.get('typ') == 'gatehouse-assertion+jwt' and head.get('alg') == 'ES256' and isinstance(kid, str)
        if not is_expected or len(signature) != 64:
            raise InvalidAssertion('The assertion is malformed')
        r, s = (int.from_bytes(half, 'big') for half in (signature[:32], signature[32:]))
        try:
            self._key(kid).verify(self._encode(r, s), f'{parts[0]}.{parts[1]}'.encode(), self._algorithm)
        except self._bad_signature as cause:
            raise InvalidAssertion('The signature of the assertion is invalid') from cause
        return self._caller(_members(parts[1]), policy)

    async def verify_async(self, assertion, policy):
        """Like ``verify``, without blocking the event loop."""
        return await asyncio.get_running_loop().run_in_executor(None, self.verify, assertion, policy)

    def _caller(self, claims, policy):
        if claims.get('iss') != self._issuer or claims.get('aud') != f'urn:gatehouse:policy:{policy}':
            raise InvalidAssertion('The assertion is from another issuer or for another policy')
        expires = claims.get('exp')
        if not isinstance(expires, (int, float)) or not time.time() < expires + self._tolerance:
            raise InvalidAssertion('The assertion has expired')
        if claims.get('kind') not in ('session', 'bot', 'bearer', 'anonymous'):
            raise InvalidAssertion('The assertion has an unknown kind of caller')
        caller = {'kind': claims['kind']}
        if 'sub' in claims:
            caller['account_id'] = claims['sub']
        if 'application_id' in claims:
            caller['application_id'] = claims['application_id']
        if 'scope' in claims:
            caller['scopes'] = claims['scope'].split()
        return caller

    def _key(self, kid):
        with self._lock:
            if kid not in self._keys and time.monotonic() - self._fetched >= KEYS_REFRESH:
                self._keys = self._fetch()
                self._fetched = time.monotonic()
        if kid not in self._keys:
            raise InvalidAssertion('The key of the assertion is unknown')
        return self._keys[kid]

    def _fetch(self):
        kind = http.client.HTTPSConnection if self._jwks.scheme == 'https' else http.client.HTTPConnection
        connection = kind(self._jwks.hostname, self._jwks.port, timeout=KEYS_TIMEOUT)
        try:
            connection.request('GET', self._jwks.path, headers={'accept': 'application/json'})
            response = connection.getresponse()
            if response.status != 200:
                raise ConnectionError(f'The keys of Gatehouse: status {response.status}')
            keys = json.loads(response.read(LONGEST_RESPONSE))['keys']
        finally:
            connection.close()
        usable = [key for key in keys if key.get('kty') == 'EC' and key.get('crv') == 'P-256' and 'kid' in key]
        return {key['kid']: self._public_key(key) for key in usable}

    def _public_key(self, key):
        x, y = (int.from_bytes(_bytes(key[name]), 'big') for name in ('x', 'y'))
        return self._ec.EllipticCurvePublicNumbers(x, y, self._ec.SECP256R1()).public_key()


class WSGIMiddleware:
    """Requires a policy for every request to a WSGI application. The caller is ``environ['gatehouse.caller']``.

    ``policy`` is a name, or a function that gets ``environ`` and returns a name. ``address`` is a function that gets
    ``environ`` and returns the IP address of the client. By default, it is the address of the connection.
    Without a policy, it only sends the response for an ``AuthError`` of ``auth.require_environ``.
    """

    def __init__(self, app, auth, policy=None, address=None):
        self._app, self._auth, self._policy, self._address = app, auth, policy, address

    def __call__(self, environ, start_response):
        try:
            policy = self._policy(environ) if callable(self._policy) else self._policy
            if policy is not None:
                self._auth.require_environ(environ, policy, self._address(environ) if self._address else OF_SOCKET)
            return self._app(environ, start_response)
        except AuthError as error:
            return error.wsgi(environ, start_response)


class ASGIMiddleware:
    """Requires a policy for every HTTP request to an ASGI application. The caller is ``scope['gatehouse.caller']``.

    ``policy`` and ``address`` are as in ``WSGIMiddleware``, with ``scope``. WebSocket connections are closed with code 1008
    if they are not admitted.
    """

    def __init__(self, app, auth, policy=None, address=None):
        self._app, self._auth, self._policy, self._address = app, auth, policy, address

    async def __call__(self, scope, receive, send):
        if scope['type'] not in ('http', 'websocket'):
            await self._app(scope, receive, send)
            return
        try:
            policy = self._policy(scope) if callable(self._policy) else self._policy
            if policy is not None:
                await self._auth.require_scope(scope, policy, self._address(scope) if self._address else OF_SOCKET)
        except AuthError as error:
            if scope['type'] == 'http':
                await error(scope, receive, send)
            else:
                await send({'type': 'websocket.close', 'code': 1008})
            return
        await self._app(scope, receive, send)
