import { Injectable } from '@nestjs/common';
import { errors, importJWK, type JWTHeaderParameters, jwtVerify } from 'jose';
import { SIGNING_ALGORITHMS } from '../../accounts/grants/oauth.entities.js';
import { Config } from '../../core/config/config.js';
import { isText } from '../../core/text/text.js';
import { SigningKeys } from './signing-keys.service.js';

/** A verified `id_token_hint`. */
export interface IdTokenHint {
  /** The account ID. */
  readonly sub: string;
  /** The application ID. */
  readonly aud: string;
  /** The ID of the login session for this application. */
  readonly sid: string;
}

/** Verifies ID tokens that applications send back (contract/openid.md sections 4 and 6). */
@Injectable()
export class IdTokenHints {
  constructor(
    private readonly keys: SigningKeys,
    private readonly config: Config,
  ) {}

  /**
   * Verifies signature, type, issuer and audience of an ID token. It may have expired. Returns `null` if the token is
   * invalid or of another type, for example a logout token.
   */
  async verify(hint: string, { audience }: { audience?: string | undefined } = {}): Promise<IdTokenHint | null> {
    try {
      const { payload } = await jwtVerify<IdTokenHint>(hint, (header) => this.findKey(header), {
        ...{ algorithms: [...SIGNING_ALGORITHMS], typ: 'JWT', issuer: this.config.publicOrigin },
        ...(audience !== undefined && { audience }),
        requiredClaims: ['sub', 'aud', 'sid', 'exp'],
        // No ID token has expired at this time.
        currentDate: new Date(0),
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  /** The key decides the algorithm, not the header. */
  private async findKey({ kid, alg }: JWTHeaderParameters) {
    const jwk = isText(kid) ? await this.keys.findPublic(kid) : undefined;
    if (jwk?.alg !== alg) throw new errors.JWKSNoMatchingKey();
    return importJWK(jwk);
  }
}
