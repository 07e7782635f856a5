import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SignJWT } from 'jose';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { SigningKeys } from '../oauth/openid/signing-keys.service.js';
import type { Identity } from '../policy/identity.js';
import { callerKindOf } from '../policy/service-policy.js';

export const ASSERTION_TYPE = 'gatehouse-assertion+jwt';
const LIFETIME_SECONDS = 10;
/** An assertion may be sent again for this long. */
const REUSE_MS = 5_000;
const MAX_KEPT = 10_000;

interface KeptAssertion {
  readonly assertion: Promise<string>;
  readonly until: number;
}

/** The claims that depend on the caller. */
function claimsOf(identity: Identity | null): Record<string, string> {
  return {
    ...(identity && { sub: identity.account.id }),
    kind: callerKindOf(identity),
    ...((identity?.via === 'bot' || identity?.via === 'bearer') && { application_id: identity.applicationId }),
    ...(identity?.via === 'bearer' && { scope: identity.scopes.join(' ') }),
  };
}

/** The ID of the credential, which differs between two credentials of one account. */
function credentialOf(identity: Identity | null): string {
  if (!identity) return '';
  if (identity.via === 'session') return identity.digest.toString('base64url');
  return identity.via === 'admin-key' ? identity.keyId : identity.tokenId;
}

/**
 * Signs who the caller of another service is (contract/forward-auth.md section 2). Sends an assertion again for at most
 * five seconds, because a signature costs more than the decision. The decision itself is made for each request.
 */
@Injectable()
export class Assertions {
  /** The newest last. */
  private readonly kept = new Map<string, KeptAssertion>();

  constructor(
    private readonly keys: SigningKeys,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Returns the assertion of a caller that the policy has just admitted. */
  issue(identity: Identity | null, policy: string): Promise<string> {
    const claims = claimsOf(identity);
    const key = JSON.stringify([policy, credentialOf(identity), claims]);
    const now = this.clock.now();
    const known = this.kept.get(key);
    if (known && now < known.until) return known.assertion;
    const assertion = this.sign(claims, policy);
    this.keep(key, { assertion, until: now + REUSE_MS }, now);
    assertion.catch(() => this.kept.delete(key));
    return assertion;
  }

  private keep(key: string, fresh: KeptAssertion, now: number): void {
    this.kept.delete(key);
    for (const [old, { until }] of this.kept) {
      if (now < until && this.kept.size < MAX_KEPT) break;
      this.kept.delete(old);
    }
    this.kept.set(key, fresh);
  }

  private async sign(claims: Record<string, string>, policy: string): Promise<string> {
    const issuedAt = this.clock.seconds();
    const key = await this.keys.current('assertion');
    return new SignJWT({
      ...claims,
      iss: this.config.publicOrigin,
      aud: `urn:gatehouse:policy:${policy}`,
      iat: issuedAt,
      exp: issuedAt + LIFETIME_SECONDS,
      jti: randomUUID(),
    })
      .setProtectedHeader({ alg: 'ES256', typ: ASSERTION_TYPE, kid: key.kid })
      .sign(await this.keys.privateKey(key));
  }
}
