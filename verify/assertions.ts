import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import type { Caller } from './decision.js';

/** Options of `AssertionVerifier`. */
export interface AssertionOptions {
  /** The issuer: `PUBLIC_ORIGIN` of Gatehouse. */
  readonly issuer: string;
  /** The URL of the public keys. Default: `/.well-known/jwks.json` of the issuer. */
  readonly jwksUrl?: string;
  /** Tolerated difference between the clocks, in seconds. Default: 5. */
  readonly clockToleranceSeconds?: number;
}

/** The assertion is missing, malformed, expired, for another policy, or not signed by Gatehouse. */
export class InvalidAssertion extends Error {
  override readonly name = 'InvalidAssertion';
}

interface Claims {
  readonly iss: string;
  readonly aud: string;
  readonly sub?: string;
  readonly kind: Caller['kind'];
  readonly application_id?: string;
  readonly scope?: string;
  readonly exp: number;
}

const KINDS = new Set(['session', 'bot', 'bearer', 'anonymous']);
/** The keys are fetched at most once in this time, in milliseconds. */
const REFRESH_MS = 5000;
/** Time limit for a request for the keys, in milliseconds. */
const FETCH_MS = 2000;

function partOf(text: string | undefined): Record<string, unknown> {
  try {
    const value = JSON.parse(Buffer.from(text ?? '', 'base64url').toString());
    if (typeof value === 'object' && value !== null) return value;
  } catch {}
  throw new InvalidAssertion('The assertion is malformed');
}

/** Verifies `X-Auth-Assertion` for services behind a proxy that uses forward authentication (forward-auth.md section 2). */
export class AssertionVerifier {
  private keys = new Map<string, KeyObject>();
  private fetched = Number.NEGATIVE_INFINITY;
  private fetching: Promise<void> | undefined;
  private readonly issuer: string;
  private readonly jwksUrl: string;
  private readonly toleranceMs: number;

  constructor({ issuer, jwksUrl, clockToleranceSeconds = 5 }: AssertionOptions) {
    this.issuer = issuer;
    this.jwksUrl = jwksUrl ?? new URL('/.well-known/jwks.json', issuer).href;
    this.toleranceMs = clockToleranceSeconds * 1000;
  }

  /**
   * @param assertion the value of the `X-Auth-Assertion` header
   * @param policy the name of the service policy that the proxy uses for this request
   * @throws InvalidAssertion, and Error if the keys cannot be fetched
   */
  async verify(assertion: string | undefined, policy: string): Promise<Caller> {
    const [head, payload, signature, ...more] = (assertion ?? '').split('.');
    const { typ, alg, kid } = partOf(head);
    if (more.length > 0 || typ !== 'gatehouse-assertion+jwt' || alg !== 'ES256' || typeof kid !== 'string') {
      throw new InvalidAssertion('The assertion is malformed');
    }
    const key = { key: await this.keyOf(kid), dsaEncoding: 'ieee-p1363' as const };
    if (!verify('sha256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature ?? '', 'base64url'))) {
      throw new InvalidAssertion('The signature of the assertion is invalid');
    }
    return this.callerOf(partOf(payload) as unknown as Claims, policy);
  }

  private callerOf(claims: Claims, policy: string): Caller {
    const { iss, aud, exp, kind, sub, application_id, scope } = claims;
    if (iss !== this.issuer || aud !== `urn:gatehouse:policy:${policy}`) {
      throw new InvalidAssertion('The assertion is from another issuer or for another policy');
    }
    if (!(Date.now() < exp * 1000 + this.toleranceMs)) throw new InvalidAssertion('The assertion has expired');
    if (!KINDS.has(kind)) throw new InvalidAssertion('The assertion has an unknown kind of caller');
    return {
      kind,
      ...(sub === undefined ? {} : { account_id: sub }),
      ...(application_id === undefined ? {} : { application_id }),
      ...(scope === undefined ? {} : { scopes: scope.split(' ').filter((one) => one !== '') }),
    };
  }

  private async keyOf(kid: string): Promise<KeyObject> {
    if (!this.keys.has(kid) && performance.now() - this.fetched >= REFRESH_MS) {
      this.fetching ??= this.fetchKeys().finally(() => {
        this.fetching = undefined;
      });
    }
    await this.fetching;
    const key = this.keys.get(kid);
    if (!key) throw new InvalidAssertion('The key of the assertion is unknown');
    return key;
  }

  private async fetchKeys(): Promise<void> {
    const response = await fetch(this.jwksUrl, { redirect: 'error', signal: AbortSignal.timeout(FETCH_MS) });
    if (!response.ok) throw new Error(`The keys of Gatehouse: status ${response.status}`);
    const { keys } = (await response.json()) as { keys: (JsonWebKey & { kid?: string })[] };
    const usable = keys.filter(({ kty, crv, kid }) => kty === 'EC' && crv === 'P-256' && kid !== undefined);
    this.keys = new Map(usable.map((key) => [key.kid as string, createPublicKey({ key, format: 'jwk' })]));
    this.fetched = performance.now();
  }
}
