"""Verifies ID tokens with Authlib: one JSON object a line with a token and what is expected of it, and one answer each."""
import json
import sys

from authlib.jose import JsonWebKey, JsonWebToken
from authlib.jose.errors import JoseError
from authlib.oidc.core import CodeIDToken

ALGORITHMS = JsonWebToken(['RS256', 'ES256', 'EdDSA'])

for line in sys.stdin:
    asked = json.loads(line)
    options = {'iss': {'essential': True, 'value': asked['issuer']}, 'aud': {'essential': True, 'value': asked['id']}}
    given = {'nonce': asked['nonce'], 'client_id': asked['id'], 'access_token': asked['access_token']}
    try:
        claims = ALGORITHMS.decode(
            asked['token'],
            JsonWebKey.import_key_set(asked['keys']),
            claims_cls=CodeIDToken,
            claims_options=options,
            claims_params=given,
        )
        claims.validate(leeway=5)
        answer = {'claims': claims, 'header': claims.header}
    except (JoseError, ValueError) as error:
        answer = {'error': type(error).__name__, 'message': str(error)}
    print(json.dumps(answer), flush=True)
