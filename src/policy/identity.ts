import type { Account } from './account.js';

interface Held {
  readonly account: Account;
}
export type SessionIdentity = Held & { readonly via: 'session'; readonly sessionId: string; readonly digest: Buffer };
export type BotIdentity = Held & { readonly via: 'bot'; readonly applicationId: string; readonly digest: Buffer };
export type BearerIdentity = Held & {
  readonly via: 'bearer';
  readonly applicationId: string;
  readonly tokenId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
};
export type AdminKeyIdentity = Held & {
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
  /** When the request began, in milliseconds since 1970 by the clock of the store. */
  readonly beganAt: number;
}
