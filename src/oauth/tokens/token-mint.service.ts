import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { digest, Keyring, matches, mintToken } from '../../core/secrets.js';

export interface TokenPair {
  readonly access: string;
  readonly refresh: string;
}

/** An access token must not look like a session token that happens to follow `Bearer`. */
const isAccessToken = (token: string): boolean => !token.startsWith('flx_');

/** Makes access and refresh tokens, 43 characters of base64url each. */
@Injectable()
export class TokenMint {
  constructor(private readonly keyring: Keyring) {}

  fresh(mint: () => string = mintToken): TokenPair {
    let access = mint();
    while (!isAccessToken(access)) access = mint();
    return { access, refresh: mint() };
  }

  /**
   * The pair that succeeds a refresh token where a retry must get it again: only who holds the token and the
   * service's key can make it, so that nothing needs to be kept that would give it away.
   */
  successor(refreshToken: string): TokenPair {
    return this.derive(this.keyring.signing('oauth-successor').bytes, refreshToken);
  }

  /** The pair that a retry gets: the successor under the key that made it, recognised by its digests. */
  successorOf(refreshToken: string, digests: { access: Buffer; refresh: Buffer }): TokenPair | null {
    const pairs = this.keyring.keys('oauth-successor').map(({ bytes }) => this.derive(bytes, refreshToken));
    const isIt = ({ access, refresh }: TokenPair) =>
      matches(digest(access), digests.access) && matches(digest(refresh), digests.refresh);
    return pairs.find(isIt) ?? null;
  }

  private derive(key: Buffer, refreshToken: string): TokenPair {
    const make = (part: string) => createHmac('sha256', key).update(`${part}\0${refreshToken}`).digest('base64url');
    let access = make('access');
    for (let attempt = 1; !isAccessToken(access); attempt++) access = make(`access${attempt}`);
    return { access, refresh: make('refresh') };
  }
}
