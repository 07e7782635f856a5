import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { digest, equalsInConstantTime, Keyring, mintToken } from '../../core/secrets.js';

export interface TokenPair {
  readonly access: string;
  readonly refresh: string;
}

/** An access token must not have the prefix of session tokens or personal access tokens, which also follow `Bearer`. */
const isAccessToken = (token: string): boolean => !token.startsWith('flx_') && !token.startsWith('gp_');

/** Creates access and refresh tokens of 43 base64url characters. */
@Injectable()
export class TokenMint {
  constructor(private readonly keyring: Keyring) {}

  mintPair(mint: () => string = mintToken): TokenPair {
    let access = mint();
    while (!isAccessToken(access)) access = mint();
    return { access, refresh: mint() };
  }

  /**
   * Derives the pair that replaces a refresh token, so that a retry gets the same pair. It requires the token and the
   * key of the service. Therefore nothing that reveals the pair is stored.
   */
  deriveSuccessor(refreshToken: string): TokenPair {
    return this.derive(this.keyring.signing('oauth-successor').bytes, refreshToken);
  }

  /** Returns the pair for a retry. It is the successor under the key that produces these digests. */
  findSuccessor(refreshToken: string, digests: { access: Buffer; refresh: Buffer }): TokenPair | null {
    const pairs = this.keyring.keys('oauth-successor').map(({ bytes }) => this.derive(bytes, refreshToken));
    const isIt = ({ access, refresh }: TokenPair) =>
      equalsInConstantTime(digest(access), digests.access) && equalsInConstantTime(digest(refresh), digests.refresh);
    return pairs.find(isIt) ?? null;
  }

  private derive(key: Buffer, refreshToken: string): TokenPair {
    const make = (part: string) => createHmac('sha256', key).update(`${part}\0${refreshToken}`).digest('base64url');
    let access = make('access');
    for (let attempt = 1; !isAccessToken(access); attempt++) access = make(`access${attempt}`);
    return { access, refresh: make('refresh') };
  }
}
