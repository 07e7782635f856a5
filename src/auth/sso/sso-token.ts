import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import { isText } from '../../core/text/text.js';

/** The expected claims of an ID token (sso.md 2.3, step 4). */
export interface ExpectedToken {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly now: Date;
}

export type SubjectClaims = JWTPayload & { readonly sub: string };

/** Whether the set has no key that matches the token. */
export const isUnknownKey = (error: unknown): boolean => error instanceof errors.JWKSNoMatchingKey;

// Only asymmetric algorithms (sso.md section 5).
export const TOKEN_ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
];
export const SKEW_SECONDS = 60;
const MAX_SUBJECT = 255;

async function verifySignature(token: string, keys: JSONWebKeySet, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, createLocalJWKSet(keys), options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/**
 * Verifies an ID token with the configured keys. The token cannot choose the source of the keys.
 * @throws Error for every failed check; see `isUnknownKey`
 */
export async function verifyIdToken(
  token: string,
  keys: JSONWebKeySet,
  { issuer, clientId, nonce, now }: ExpectedToken,
): Promise<SubjectClaims> {
  const claims = await verifySignature(token, keys, {
    algorithms: [...TOKEN_ALGORITHMS],
    issuer,
    audience: clientId,
    clockTolerance: SKEW_SECONDS,
    currentDate: now,
    requiredClaims: ['exp', 'iat', 'nonce', 'sub'],
  });
  const { sub, iat, aud, azp } = claims;
  const isForOthersToo = Array.isArray(aud) && aud.length > 1;
  const isSound =
    typeof claims.iss === 'string' &&
    claims.nonce === nonce &&
    typeof iat === 'number' &&
    iat <= now.getTime() / 1000 + SKEW_SECONDS &&
    (azp === undefined ? !isForOthersToo : azp === clientId) &&
    isSubject(sub);
  if (!isSound) throw new errors.JWTClaimValidationFailed('a claim is not what it must be', claims);
  return claims as SubjectClaims;
}

export const isSubject = (value: unknown): value is string =>
  isText(value) && value.length >= 1 && value.length <= MAX_SUBJECT;
