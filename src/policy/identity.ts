import type { Account } from './account.js';

interface WithAccount {
  readonly account: Account;
}
/** The caller of a request with the token of a session. */
export type SessionIdentity = WithAccount & {
  readonly via: 'session';
  readonly sessionId: string;
  readonly digest: Buffer;
};
/** The caller of a request with a bot token. */
export type BotIdentity = WithAccount & {
  readonly via: 'bot';
  readonly applicationId: string;
  readonly tokenId: string;
  readonly digest: Buffer;
};
/** The caller of a request with an OAuth2 access token or a personal access token. */
export type BearerIdentity = WithAccount & {
  readonly via: 'bearer';
  readonly applicationId: string;
  readonly tokenId: string;
  /** All tokens that originate from the same authorization. */
  readonly familyId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
};
/** The caller of a request with an Admin API key. */
export type AdminKeyIdentity = WithAccount & {
  readonly via: 'admin-key';
  readonly keyId: string;
  readonly acls: readonly string[];
};

/** The identity of the caller. Handlers never receive a raw token (credentials.md section 5). */
export type Identity = SessionIdentity | BotIdentity | BearerIdentity | AdminKeyIdentity;

/** The authenticated application and the start time of its request. */
export interface Client {
  readonly applicationId: string;
  readonly confidential: boolean;
  /** The scopes whose tokens it may introspect, whatever their application. Empty for most clients. */
  readonly resourceScopes: readonly string[];
  /** The service policies for which it may ask for decisions. Empty for most clients. */
  readonly resourcePolicies: readonly string[];
  /** When the request began, in milliseconds since 1970 by the clock of the store. */
  readonly beganAt: number;
}
