import { Injectable } from '@nestjs/common';
import { AccountService, LOCKED_DOWN } from '../accounts/account.service.js';
import type { Origin, RevocationCause } from '../accounts/events/origin.js';
import { Grants } from '../accounts/grants/grants.service.js';
import { AdminKeys } from '../admin/keys/admin-keys.service.js';
import { ConnectionIdentities } from '../auth/identities/connection-identities.service.js';
import { SecurityNotices } from '../auth/notices/security-notices.service.js';
import { MailedTokens } from '../auth/secrets/mailed-tokens.service.js';
import { OneTimeSecrets } from '../auth/secrets/one-time-secrets.service.js';
import { CallerGuard } from '../auth/sessions/caller-guard.service.js';
import { SessionService } from '../auth/sessions/sessions.service.js';
import { validationError } from '../core/errors.js';
import { BotTokens } from '../oauth/applications/bot-tokens.service.js';
import { Database, type Tx } from '../platform/database/database.js';
import { Instance } from '../platform/instance/instance.js';
import type { SessionIdentity } from '../policy/identity.js';
import { WebhookService } from '../webhooks/webhooks.service.js';

/** Everything that can act for an account, in the order in which locks are taken. */
export const LOCKABLE = ['bot_tokens', 'grants', 'webhook_tokens', 'admin_keys', 'sessions'] as const;

type Lockable = (typeof LOCKABLE)[number];

/** Number of revoked items of each kind. */
export type RevokedCounts = Record<Lockable, number>;

/** What the account owner has to do next. */
export type NextStep = 'change_password' | 'reset_password' | 'sign_in_sso' | 'check_email';

export interface LockdownResult {
  readonly ended: RevokedCounts;
  readonly next: readonly NextStep[];
}

const NONE_REVOKED: RevokedCounts = { bot_tokens: 0, grants: 0, webhook_tokens: 0, admin_keys: 0, sessions: 0 };

const unknownTokenError = () => validationError('token', 'INVALID_OR_EXPIRED_LOCKDOWN_TOKEN');

/** Account lockdown: revokes everything that can act for an account in one transaction (web.md section 5). */
@Injectable()
export class Lockdown {
  constructor(
    private readonly database: Database,
    private readonly callerGuard: CallerGuard,
    private readonly accounts: AccountService,
    private readonly tokens: MailedTokens,
    private readonly secrets: OneTimeSecrets,
    private readonly sessions: SessionService,
    private readonly grants: Grants,
    private readonly botTokens: BotTokens,
    private readonly webhooks: WebhookService,
    private readonly keys: AdminKeys,
    private readonly identities: ConnectionIdentities,
    private readonly notices: SecurityNotices,
    private readonly instance: Instance,
  ) {}

  /** Locks the account down from a session in sudo mode, which stays signed in. */
  bySession(me: SessionIdentity, kinds: readonly Lockable[] = LOCKABLE, origin: Origin): Promise<LockdownResult> {
    return this.runForSession(me, origin, (tx, ending) =>
      this.revokeKinds(tx, me.account.id, kinds, ending, me.sessionId),
    );
  }

  /** Ends all sessions and nothing else, at the request of a session that is not in sudo mode and may be stolen. */
  endSessions(me: SessionIdentity, origin: Origin): Promise<LockdownResult> {
    return this.runForSession(me, origin, async (tx, ending) => {
      const { count } = await this.sessions.revokeAll(tx, me.account.id, ending);
      return { ...NONE_REVOKED, sessions: count };
    });
  }

  private runForSession(
    me: SessionIdentity,
    origin: Origin,
    end: (tx: Tx, ending: RevocationCause) => Promise<RevokedCounts>,
  ): Promise<LockdownResult> {
    return this.database.transaction(async (tx) => {
      const account = await this.callerGuard.lockCaller(tx, me);
      const ended = await end(tx, { by: 'owner', reason: 'lockdown', origin });
      await this.notices.send(tx, account, 'locked_down', origin, { by: 'session', ended });
      const next = this.instance.isSsoEnforced
        ? ['sign_in_sso' as const]
        : account.hasPassword
          ? ['change_password' as const]
          : [];
      return { ended, next: account.email === null ? next : [...next, 'check_email'] };
    });
  }

  /**
   * Locks the account down with the token of an emailed link. All sessions end. No session is issued until the password
   * is reset or, if single sign-on is enforced, a linked identity signs in. The links of other emails become invalid, so
   * that an old link cannot lock the account again after its owner has recovered it.
   * @throws ApiError FV(INVALID_OR_EXPIRED_LOCKDOWN_TOKEN@token), BOT_USER_AUTH_ENDPOINT_ACCESS_DENIED
   */
  async byLink(token: string, origin: Origin): Promise<LockdownResult> {
    const found = await this.tokens.require('lockdown', token, unknownTokenError);
    return this.tokens.redeem('lockdown', token, found, unknownTokenError, async (tx, { account }) => {
      const ended = await this.revokeKinds(tx, account.id, LOCKABLE, { by: 'owner', reason: 'lockdown', origin });
      await this.accounts.addTrait(tx, account.id, LOCKED_DOWN);
      await this.secrets.revokeAll('lockdown', account.id, tx);
      await this.notices.send(tx, account, 'locked_down', origin, { by: 'link', ended });
      return { ended, next: [this.instance.isSsoEnforced ? 'sign_in_sso' : 'reset_password', 'check_email'] };
    });
  }

  /**
   * Revokes credentials of an account that `tx` has locked. Incrementing the epoch invalidates sudo proofs and pending
   * operations in any case. Identities of connections are always removed, because an attacker may have linked one.
   */
  private async revokeKinds(
    tx: Tx,
    id: string,
    kinds: readonly Lockable[],
    ending: RevocationCause,
    exceptSessionId?: string,
  ): Promise<RevokedCounts> {
    const ends: Record<Lockable, () => Promise<number>> = {
      bot_tokens: () => this.botTokens.replaceAllOf(tx, id, ending),
      grants: async () => (await this.grants.revokeAll(tx, id, ending)).length,
      webhook_tokens: () => this.webhooks.rotateAllOf(tx, id, ending),
      admin_keys: () => this.keys.revokeAllOf(tx, id, ending),
      sessions: async () => (await this.sessions.revokeAll(tx, id, ending, exceptSessionId)).count,
    };
    const ended: RevokedCounts = { ...NONE_REVOKED };
    // Sessions first, in the lock order of code exchanges.
    for (const kind of new Set<Lockable>(['sessions', ...LOCKABLE]))
      if (kinds.includes(kind)) ended[kind] = await ends[kind]();
    if (!kinds.includes('sessions')) await this.accounts.incrementEpoch(tx, id);
    await this.identities.unlinkAll(tx, id);
    await this.secrets.revokePending(tx, id);
    return ended;
  }
}
