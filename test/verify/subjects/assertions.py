"""Verifies the assertions that it reads, one JSON array per line: issuer, number of the verifier, assertion, policy."""

import asyncio
import json
import sys

from gatehouse_verify import AssertionVerifier, InvalidAssertion

verifiers = {}


async def verify(issuer, number, assertion, policy):
    verifier = verifiers.setdefault(number, AssertionVerifier(issuer))
    try:
        return {'caller': await verifier.verify_async(assertion, policy)}
    except InvalidAssertion as error:
        return {'invalid': str(error)}
    except Exception as error:
        return {'error': repr(error)}


for line in sys.stdin:
    print(json.dumps(asyncio.run(verify(*json.loads(line)))), flush=True)
