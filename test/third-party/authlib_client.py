"""A client of Authlib that is told what to do, one JSON object a line, and answers likewise."""
import json
import os
import sys

os.environ['AUTHLIB_INSECURE_TRANSPORT'] = '1'

from authlib.common.errors import AuthlibBaseError
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from requests import HTTPError

registration = json.loads(sys.stdin.readline())
origin = registration['origin']


def not_a_token(response):
    """Authlib takes every answer below 500 for tokens that has no `error`."""
    if response.status_code == 429:
        response.raise_for_status()
    return response


def session(**more):
    made = OAuth2Session(
        registration['id'],
        registration['secret'],
        redirect_uri=registration['callback'],
        scope=registration['scope'],
        code_challenge_method='S256',
        **more,
    )
    made.register_compliance_hook('access_token_response', not_a_token)
    made.register_compliance_hook('refresh_token_response', not_a_token)
    return made


def metadata():
    return session().get(origin + '/.well-known/oauth-authorization-server', withhold_token=True).json()


server = metadata()


def begin():
    verifier = generate_token(48)
    url, state = session().create_authorization_url(server['authorization_endpoint'], code_verifier=verifier)
    return {'url': url, 'state': state, 'verifier': verifier}


def redeem(back, state, verifier):
    return session(state=state).fetch_token(
        server['token_endpoint'], authorization_response=back, code_verifier=verifier
    )


def refresh(token):
    return session().refresh_token(server['token_endpoint'], refresh_token=token)


def subject(access):
    answer = session(token={'access_token': access, 'token_type': 'Bearer'}).get(server['userinfo_endpoint'])
    answer.raise_for_status()
    return {'sub': answer.json()['sub']}


def revoke(token):
    session().revoke_token(server['revocation_endpoint'], token=token).raise_for_status()
    return {}


OPERATIONS = {operation.__name__: operation for operation in (begin, redeem, refresh, subject, revoke)}

for line in sys.stdin:
    name, arguments = json.loads(line)
    try:
        answer = {'done': OPERATIONS[name](*arguments)}
    except AuthlibBaseError as error:
        answer = {'error': error.error, 'message': str(error)}
    except HTTPError as error:
        answer = {'status': error.response.status_code, 'message': str(error)}
    print(json.dumps(answer), flush=True)
