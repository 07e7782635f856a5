import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { ApiError, validationError } from '../../core/errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { ConnectionIdentities } from '../identities/connection-identities.service.js';
import { SecurityNotices } from '../notices/security-notices.service.js';
import { CallerGuard } from '../sessions/caller-guard.service.js';
import { SsoIdentities } from '../sso/sso-identities.service.js';
import { toConnectionUser } from './connection-accounts.service.js';
import { ConnectionStates } from './connection-states.service.js';
import type { CompleteConnectionInput, StartLinkInput } from './connections.dto.js';
import { Connections, SSO_CONNECTION } from './connections.service.js';

interface IdentityRow {
  readonly id: string;
  readonly connection_id: string;
  readonly email: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const IDENTITIES = `SELECT id::text, connection_id, email, created_at, last_used_at
    FROM connection_identity WHERE account_id = $1
  UNION ALL SELECT id::text, '${SSO_CONNECTION}', NULL, created_at, NULL FROM sso_identity WHERE account_id = $1
  ORDER BY created_at, id`;

const mismatch = (): ApiError => validationError('code', 'SSO_IDENTITY_MISMATCH');

/** The identities of the caller at identity providers (connections.md section 3). */
@Injectable()
export class OwnIdentities {
  constructor(
    private readonly database: Database,
    private readonly connections: Connections,
    private readonly states: ConnectionStates,
    private readonly identities: ConnectionIdentities,
    private readonly ofSso: SsoIdentities,
    private readonly accounts: AccountService,
    private readonly callerGuard: CallerGuard,
    private readonly notices: SecurityNotices,
  ) {}

  async list(accountId: string) {
    const rows = await this.read(this.database.manager, accountId);
    return { identities: rows.map((row) => this.viewOf(row)) };
  }

  /** @throws ApiError UNKNOWN_CONNECTION, also for `sso`, whose identities sso.md links */
  start(me: SessionIdentity, { connection_id: id, ...input }: StartLinkInput) {
    return this.states.start(id, input, me);
  }

  /** @throws ApiError the errors of a sign-in, FV(code: SSO_IDENTITY_MISMATCH) */
  async complete(me: SessionIdentity, input: CompleteConnectionInput, origin: Origin) {
    const { connection, profile, seen } = await this.states.completeLink(me, input);
    const { identity } = toConnectionUser(connection, profile);
    return this.database.transaction(async (tx) => {
      const account = await this.callerGuard.lockCaller(tx, me);
      if (!seen.isStillCurrent(account)) throw validationError('state', 'INVALID_OR_EXPIRED_SSO_STATE');
      const linked = await this.identities.linkWithNotice(tx, identity, account, { origin, taken: mismatch });
      await this.accounts.incrementEpoch(tx, account.id);
      return this.viewOf({
        ...{ id: linked.id, connection_id: linked.connectionId, email: linked.email },
        ...{ created_at: linked.createdAt, last_used_at: linked.lastUsedAt },
      });
    });
  }

  /**
   * Parallel calls take turns, because each locks the account.
   * @throws ApiError UNKNOWN_IDENTITY, LAST_SIGN_IN_METHOD
   */
  async remove(me: SessionIdentity, id: string, origin: Origin): Promise<void> {
    await this.database.transaction(async (tx) => {
      const account = await this.callerGuard.lockCaller(tx, me);
      const all = await this.read(tx, account.id);
      const wanted = all.find((one) => one.id === id);
      if (!wanted) throw new ApiError('UNKNOWN_IDENTITY');
      const others = all.filter((one) => one !== wanted);
      if (!this.canSignIn(account, others)) throw new ApiError('LAST_SIGN_IN_METHOD');
      await (wanted.connection_id === SSO_CONNECTION
        ? this.ofSso.unlinkById(tx, account.id, id)
        : this.identities.unlink(tx, account.id, id));
      await this.accounts.incrementEpoch(tx, account.id);
      await this.notices.send(tx, account, 'identity_unlinked', origin, { connection: wanted.connection_id });
    });
  }

  private canSignIn({ hasPassword, passkeys }: Account, others: readonly IdentityRow[]): boolean {
    return hasPassword || passkeys > 0 || others.some((one) => this.connections.isOffered(one.connection_id));
  }

  private read(tx: Tx, accountId: string): Promise<IdentityRow[]> {
    return tx.query<IdentityRow[]>(IDENTITIES, [accountId]);
  }

  private viewOf({ id, connection_id, email, created_at, last_used_at }: IdentityRow) {
    return {
      id,
      connection_id,
      display_name: this.connections.names.get(connection_id) ?? connection_id,
      email,
      linked_at: created_at.toISOString(),
      last_used_at: last_used_at?.toISOString() ?? null,
    };
  }
}
