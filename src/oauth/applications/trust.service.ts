import { Injectable } from '@nestjs/common';
import type { Origin } from '../../accounts/events/origin.js';
import type { Application } from '../../accounts/grants/oauth.entities.js';
import { Database, type Tx } from '../../platform/database/database.js';

/** The request of an owner or administrator that changes an application. */
export interface ChangeRequest {
  readonly accountId: string;
  readonly origin: Origin;
  readonly requestId: string;
}

/** Runs in the transaction that ends the trust in an application. */
export type TrustEndHook = (tx: Tx, applicationId: string, request: ChangeRequest) => Promise<void>;

/** Changes of these members end the trust in an application, because they decide where codes and users go. */
const TRUST_ENDING: readonly (keyof Application)[] = [
  ...(['redirectUris', 'postLogoutRedirectUris', 'backchannelLogoutUri', 'secretDigest', 'ownerId'] as const),
];

const IS_REMOVED = 'SELECT 1 FROM oauth_removal WHERE account_id = $1 AND application_id = $2';

/** Whether a change of these members ends the trust in the application (contract/openid.md section 4). */
export const endsTrust = ({ isTrusted }: Application, changes: object): boolean =>
  isTrusted && TRUST_ENDING.some((member) => member in changes);

/** Whether an application may be trusted: it is confidential and all its redirect URIs use https. */
export const mayBeTrusted = ({ clientType, redirectUris }: Application): boolean =>
  clientType === 'confidential' && redirectUris.every((uri) => /^https:/i.test(uri));

/** Trusted applications, which need no full consent (contract/openid.md section 4). */
@Injectable()
export class Trust {
  private readonly endHooks: TrustEndHook[] = [];

  constructor(private readonly database: Database) {}

  /** Returns the scopes that need no full consent of the account. */
  async scopesFor(
    { id, isTrusted, trustedScopes }: Pick<Application, 'id' | 'isTrusted' | 'trustedScopes'>,
    accountId: string | undefined,
    tx: Tx = this.database.manager,
  ): Promise<readonly string[]> {
    if (!isTrusted) return [];
    if (accountId === undefined) return trustedScopes;
    const removed = await tx.query<object[]>(IS_REMOVED, [accountId, id]);
    return removed.length > 0 ? [] : trustedScopes;
  }

  /** Remembers that a user removed the access of applications, so that they need full consent again. */
  async recordRemovals(tx: Tx, accountId: string, applicationIds: readonly string[]): Promise<void> {
    await tx.query(
      `INSERT INTO oauth_removal (account_id, application_id) SELECT $1, unnest($2::bigint[]) ON CONFLICT DO NOTHING`,
      [accountId, applicationIds],
    );
  }

  /** Deletes the record of a removal, because the user has given full consent again. */
  async forgetRemoval(tx: Tx, accountId: string, applicationId: string): Promise<void> {
    await tx.query('DELETE FROM oauth_removal WHERE account_id = $1 AND application_id = $2', [
      accountId,
      applicationId,
    ]);
  }

  /** Registers work to do when the owner of an application ends the trust in it. */
  onEnd(hook: TrustEndHook): void {
    this.endHooks.push(hook);
  }

  async announceEnd(tx: Tx, applicationId: string, request: ChangeRequest): Promise<void> {
    for (const hook of this.endHooks) await hook(tx, applicationId, request);
  }
}
