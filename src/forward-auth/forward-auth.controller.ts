import { Controller, Get } from '@nestjs/common';
import { formatDiscriminator } from '../accounts/account.views.js';
import { addressIsIn } from '../core/address.js';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import { ServicePolicies } from '../pipeline/service-policies.service.js';
import { ApiResponses } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { ByServicePolicy, Cors, CredentialFree, CurrentCall } from '../policy/decorators.js';
import type { Identity } from '../policy/identity.js';
import { callerKindOf } from '../policy/service-policy.js';
import { Assertions } from './assertions.service.js';

/** Stands for a value that the caller does not have. A header that is absent could be forged by the client. */
const NO_VALUE = '-';

const IDENTITY_HEADERS = [
  ...['X-Auth-Account-Id', 'X-Auth-Kind', 'X-Auth-Username', 'X-Auth-Application-Id', 'X-Auth-Scopes'],
  ...['X-Auth-Policy', 'X-Auth-Assertion'],
];

const usernameOf = ({ account }: Identity): string =>
  encodeURIComponent(`${account.username}#${formatDiscriminator(account.discriminator)}`);

/** The headers that tell another service who the caller is, without the assertion. */
function identityHeaders(identity: Identity | null, policy: string): Record<string, string> {
  const hasApplication = identity?.via === 'bot' || identity?.via === 'bearer';
  return {
    'X-Auth-Account-Id': identity?.account.id ?? NO_VALUE,
    'X-Auth-Kind': callerKindOf(identity),
    'X-Auth-Username': identity ? usernameOf(identity) : NO_VALUE,
    'X-Auth-Application-Id': hasApplication ? identity.applicationId : NO_VALUE,
    'X-Auth-Scopes': (identity?.via === 'bearer' && identity.scopes.join(' ')) || NO_VALUE,
    'X-Auth-Policy': policy,
  };
}

/** Forward authentication: reverse proxies ask for a decision about each request (contract/forward-auth.md section 2). */
@Controller('v1/forward-auth')
export class ForwardAuthController {
  constructor(
    private readonly config: Config,
    private readonly policies: ServicePolicies,
    private readonly assertions: Assertions,
  ) {}

  /**
   * Check a request of another service, for a reverse proxy. The `Authorization` header and `X-Service-Sudo-Mode-JWT` are
   * those of the request. Any method and any path below this one have the same result, and no body is read. A request
   * that the policy rejects gets the response of the guard that rejects it. Only for the IP addresses in
   * `FORWARD_AUTH_ALLOW`.
   */
  @Get(':policy')
  @CredentialFree()
  @ByServicePolicy()
  @Cors('none')
  @ApiResponses({ headers: IDENTITY_HEADERS, description: 'The policy admits the caller.' })
  async authenticate(@CurrentCall() call: Call): Promise<void> {
    const peer = call.req.socket.remoteAddress ?? '';
    if (!addressIsIn(peer, this.config.forwardAuthAllow)) throw new ApiError('NOT_FOUND');
    const policy = this.policies.find(String(call.params.policy));
    if (!policy) throw new ApiError('NOT_FOUND');
    await this.policies.admit(policy, call);
    const headers = identityHeaders(call.identity, policy.name);
    for (const name in headers) call.res.setHeader(name, headers[name] as string);
    call.res.setHeader('X-Auth-Assertion', await this.assertions.issue(call.identity, policy.name));
  }
}
