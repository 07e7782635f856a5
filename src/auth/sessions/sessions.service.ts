import { Injectable } from '@nestjs/common';
import { AccountService, IS_EXACT_MATCH_SQL, NEAREST_ACCOUNT_SQL } from '../../accounts/account.service.js';
import type { AccountSnapshot } from '../../accounts/account-snapshot.js';
import { LifecycleEvents } from '../../accounts/events/lifecycle-events.service.js';
import { clientInfo, type Origin, type RevocationCause } from '../../accounts/events/origin.js';
import { Grants } from '../../accounts/grants/grants.service.js';
import { withinLimitsSql } from '../../accounts/session-limits.js';
import { addressKey, maskAddress } from '../../core/address.js';
import { Config } from '../../core/config/config.js';
import { ApiError } from '../../core/errors.js';
import { digest, mintSessionToken } from '../../core/secrets.js';
import { Snowflakes } from '../../core/snowflake.js';
import { type ChangeResult, Database, type Tx } from '../../platform/database/database.js';
import { Cleanup } from '../../platform/jobs/cleanup.js';
import { ReplicaBus } from '../../platform/replicas/replica-bus.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { AuthorizedIp, Session } from '../records/auth.entities.js';
import type { Authentication } from '../records/authentication.js';
import { CallerGuard } from './caller-guard.service.js';

export interface RotatedSession {
  readonly token: string;
  readonly auth_session_id_hash: string;
}

export const idHash = (session: { digest: Buffer }): string => session.digest.toString('base64url');

/** Payload of the event for sockets of a rotated session (account.md 2.2). */
export interface SessionChange {
  readonly old_auth_session_id_hash: string;
  readonly new_auth_session_id_hash: string;
}

// The size of a notification is limited.
const IDS_PER_NOTIFICATION = 200;
/** One statement must end within the statement timeout. */
const ROWS_PER_STATEMENT = 5_000;
/** Number of ended sessions of the last 30 days that administrators see in addition to active ones. */
const MAX_ENDED_SHOWN = 250;
const MAX_NETWORKS_SHOWN = 250;

/** Inserts the session and revokes the oldest ones above the limit. */
const ISSUE_SESSION = `
  WITH made AS (
    INSERT INTO session (id, digest, account_id, ip, user_agent, os, authenticated_at, amr, auth_level)
    VALUES ($1, $2, $3, $4, $5, $6, coalesce($8::timestamptz, now()), $9, $10)
  )
  UPDATE session SET revoked_at = now()
  WHERE id IN (SELECT id FROM session WHERE account_id = $3 AND revoked_at IS NULL AND id <> $1
               ORDER BY last_used_at DESC, id DESC OFFSET $7)
  RETURNING id, account_id, digest`;

const AUTHORIZE_IP = 'INSERT INTO authorized_ip (account_id, ip_key) VALUES ($1, $2) ON CONFLICT DO NOTHING';

const NEEDS_CONFIRMATION = `
  SELECT 1 FROM account_settings WHERE account_id = $1 AND session_ip_authorization
    AND NOT EXISTS (SELECT 1 FROM authorized_ip WHERE account_id = $1 AND ip_key = $2)`;

/** User sessions: issue, list, revoke. A revocation closes the gateway sockets of the session with code 4004. */
@Injectable()
export class SessionService {
  /** SQL condition of an active session. */
  private readonly activeCondition: string;

  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly replicaBus: ReplicaBus,
    private readonly grants: Grants,
    private readonly accounts: AccountService,
    private readonly callerGuard: CallerGuard,
    private readonly lifecycle: LifecycleEvents,
    private readonly config: Config,
    cleanup: Cleanup,
  ) {
    this.activeCondition = `revoked_at IS NULL${withinLimitsSql(config)}`;
    cleanup.addExpiry('session', 'id', "revoked_at < now() - interval '30 days'");
  }

  /**
   * Issues a session for an account that `tx` holds. The token cannot be read again. Above the limit of the account,
   * revokes the sessions that were unused the longest.
   */
  async issue(tx: Tx, accountId: string, origin: Origin, authentication: Authentication): Promise<string> {
    const { ip, userAgent, os } = origin;
    const token = mintSessionToken();
    const id = this.snowflakes.next();
    const others = this.config.sessionsPerAccount - 1;
    const { at = null, amr, level } = authentication;
    const values = [id, digest(token), accountId, ip, userAgent, os, others, at, amr, level];
    const ended = await this.database.statement<EndedSession>('issue-session', ISSUE_SESSION, values, tx);
    await this.announceEnd(tx, ended, { by: 'service', reason: 'too_many_sessions', origin });
    return token;
  }

  async authorizeIp(tx: Tx, accountId: string, ip: string): Promise<void> {
    await this.database.statement('authorize-ip', AUTHORIZE_IP, [accountId, addressKey(ip)], tx);
  }

  /** Removes all trusted networks of the account except this one. */
  async authorizeOnlyIp(tx: Tx, accountId: string, ip: string): Promise<void> {
    await tx.delete(AuthorizedIp, { accountId });
    await this.authorizeIp(tx, accountId, ip);
  }

  /** Removes all trusted networks of the account. */
  async deauthorizeIps(tx: Tx, accountId: string): Promise<void> {
    await tx.delete(AuthorizedIp, { accountId });
  }

  /**
   * Lists the trusted networks of the account, newest first, up to a limit. A sign-in from them needs no confirmation.
   */
  networks(accountId: string): Promise<AuthorizedIp[]> {
    return this.database.manager.find(AuthorizedIp, {
      where: { accountId },
      order: { createdAt: 'DESC', ipKey: 'ASC' },
      take: MAX_NETWORKS_SHOWN,
    });
  }

  /**
   * Whether a sign-in from this IP address must be confirmed, because the account requires it and has not used the
   * address before.
   */
  async needsConfirmationFrom(accountId: string, ip: string): Promise<boolean> {
    const rows = await this.database.statement('held-from', NEEDS_CONFIRMATION, [accountId, addressKey(ip)]);
    return rows.length > 0;
  }

  /**
   * Whether the account with this email address has signed in from this IP address before. It does the same work if
   * there is no account.
   */
  async isIpAuthorizedFor(email: string, ip: string): Promise<boolean> {
    const [row] = await this.database.manager.query<[{ known: boolean }]>(
      `SELECT ${IS_EXACT_MATCH_SQL} AND i.account_id IS NOT NULL AS known
       FROM ${NEAREST_ACCOUNT_SQL} LEFT JOIN authorized_ip i ON i.account_id = a.id AND i.ip_key = $2`,
      [email, addressKey(ip)],
    );
    return row.known;
  }

  /** Whether the session is active. With `tx`, it stays active until `tx` ends. */
  async isActive(sessionId: string, tx?: Tx): Promise<boolean> {
    const [row] = await (tx ?? this.database.manager).query<unknown[]>(
      `SELECT 1 FROM session WHERE id = $1 AND ${this.activeCondition}${tx ? ' FOR SHARE' : ''}`,
      [sessionId],
    );
    return row !== undefined;
  }

  /** Returns how and when the user of an existing session authenticated. */
  async authenticationOf(tx: Tx, sessionId: string): Promise<Authentication> {
    const { authenticatedAt, createdAt, amr, authLevel } = await tx.findOneByOrFail(Session, { id: sessionId });
    return { at: authenticatedAt ?? createdAt, amr, level: authLevel };
  }

  /**
   * Lists the active sessions up to the limit: the current one first, then by last use. The current one counts as used
   * now.
   */
  async list(me: SessionIdentity) {
    const { entities, raw } = await this.database.manager
      .createQueryBuilder(Session, 's')
      .addSelect('now()', 'now')
      .where(`s.account_id = :accountId AND s.revoked_at IS NULL${withinLimitsSql(this.config, 's')}`, {
        accountId: me.account.id,
      })
      .orderBy('s.id = :current', 'DESC')
      .addOrderBy('s.last_used_at', 'DESC')
      .addOrderBy('s.id', 'DESC')
      .limit(this.config.sessionsPerAccount)
      .setParameter('current', me.sessionId)
      .getRawAndEntities<{ now: Date }>();
    return entities.map((session, index) => {
      const current = session.id === me.sessionId;
      const lastUsedAt = (current && raw[index]?.now) || session.lastUsedAt;
      return {
        id_hash: idHash(session),
        client_info: clientInfo(session),
        masked_ip: maskAddress(session.ip),
        created_at: session.createdAt.toISOString(),
        approx_last_used_at: lastUsedAt.toISOString(),
        current,
      };
    });
  }

  /** Lists active sessions, then those that ended in the last 30 days, each newest first, up to a limit. */
  async history(accountId: string): Promise<Session[]> {
    return this.database.manager
      .createQueryBuilder(Session, 's')
      .where("s.account_id = :accountId AND (s.revoked_at IS NULL OR s.revoked_at > now() - interval '30 days')", {
        accountId,
      })
      .orderBy('s.revoked_at IS NOT NULL', 'ASC')
      .addOrderBy('s.id', 'DESC')
      .limit(this.config.sessionsPerAccount + MAX_ENDED_SHOWN)
      .getMany();
  }

  /**
   * Revokes the caller's sessions with these hashes and ignores hashes of other accounts. Returns whether no session is
   * left. In this case, pending secrets are also revoked.
   */
  async revokeByHash(me: SessionIdentity, hashes: readonly string[], origin: Origin): Promise<boolean> {
    const digests = hashes.map((hash) => Buffer.from(hash, 'base64url')).filter(({ length }) => length === 32);
    return this.database.transaction(async (tx) => {
      const { id } = await this.callerGuard.lockCaller(tx, me);
      const ending = signedOut(origin);
      await this.revoke(tx, 'account_id = $1 AND digest = ANY ($2::bytea[])', [id, digests], ending);
      const isLast = !(await this.hasSessions(tx, id));
      if (isLast) await this.revokeAll(tx, id, ending);
      return isLast;
    });
  }

  /** Ends the calling session. With the last session, the grant of the Admin application also ends. */
  async end({ account: { id }, sessionId }: SessionIdentity, origin: Origin): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.accounts.lock(tx, id);
      const ending = signedOut(origin);
      await this.revoke(tx, 'id = $1', [sessionId], ending);
      if (!(await this.hasSessions(tx, id))) await this.grants.revokeAdminGrant(tx, id, ending);
    });
  }

  /** Revokes the session with this digest. `tx` must hold the account. Returns false if it has already ended. */
  async endLeaked(tx: Tx, accountId: string, digest: Buffer, ending: RevocationCause): Promise<boolean> {
    const isEnded = (await this.revoke(tx, 'account_id = $1 AND digest = $2', [accountId, digest], ending)) === 1;
    if (isEnded && !(await this.hasSessions(tx, accountId))) await this.grants.revokeAdminGrant(tx, accountId, ending);
    return isEnded;
  }

  private async hasSessions(tx: Tx, accountId: string): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `SELECT 1 FROM session WHERE account_id = $1 AND ${this.activeCondition} LIMIT 1`,
      [accountId],
    );
    return rows.length > 0;
  }

  /**
   * Replaces the token of the calling session. Only the response contains the new token. Sockets of the old token are
   * closed (account.md 2.2).
   * @throws ApiError UNAUTHORIZED if the presented token was revoked in the meantime
   */
  async rotate(tx: Tx, me: SessionIdentity): Promise<RotatedSession> {
    const token = mintSessionToken();
    const fresh = digest(token);
    const { affected } = await tx
      .createQueryBuilder()
      .update(Session)
      .set({ digest: fresh })
      .where('id = :id AND digest = :digest AND revoked_at IS NULL', { id: me.sessionId, digest: me.digest })
      .execute();
    if (affected !== 1) throw new ApiError('UNAUTHORIZED');
    const change: SessionChange = {
      old_auth_session_id_hash: idHash(me),
      new_auth_session_id_hash: idHash({ digest: fresh }),
    };
    const about = { account_id: me.account.id, session_id: me.sessionId };
    await this.replicaBus.announceEvent(tx, { type: 'AUTH_SESSION_CHANGE', ...about, d: change });
    return { token, auth_session_id_hash: change.new_auth_session_id_hash };
  }

  /**
   * Revokes all sessions of the account except `exceptSessionId`. Also revokes the grant of the Admin application, sudo
   * proofs and pending secrets. Raising the epoch locks the account. Therefore a parallel sign-in is either complete
   * and revoked, or comes after this. Returns the account with its new epoch and the number of revoked sessions.
   */
  async revokeAll(
    tx: Tx,
    accountId: string,
    ending: RevocationCause,
    exceptSessionId = '0',
  ): Promise<{ seen: AccountSnapshot; count: number }> {
    const seen = await this.accounts.incrementEpoch(tx, accountId);
    const count = await this.revoke(tx, 'account_id = $1 AND id <> $2', [accountId, exceptSessionId], ending);
    await this.grants.revokeAdminGrant(tx, accountId, ending);
    return { seen, count };
  }

  /** Revokes and deletes all sessions of an account that is being deleted. */
  async deleteAll(tx: Tx, accountId: string): Promise<void> {
    await this.revokeAll(tx, accountId, { by: 'service', reason: 'account_removed' });
    for (let isMore = true; isMore; ) {
      const [, deleted] = await tx.query<ChangeResult<unknown>>(
        `DELETE FROM session WHERE id IN (SELECT id FROM session WHERE account_id = $1 LIMIT ${ROWS_PER_STATEMENT})`,
        [accountId],
      );
      isMore = deleted === ROWS_PER_STATEMENT;
    }
    await this.deauthorizeIps(tx, accountId);
  }

  /** Revokes the active sessions that meet the condition, in batches. Returns their number. */
  async revoke(tx: Tx, condition: string, values: unknown[], ending: RevocationCause): Promise<number> {
    let count = 0;
    for (let isMore = true; isMore; ) {
      const [rows] = await tx.query<ChangeResult<EndedSession>>(
        `UPDATE session SET revoked_at = now()
         WHERE id IN (SELECT id FROM session WHERE revoked_at IS NULL AND ${condition} LIMIT ${ROWS_PER_STATEMENT} FOR UPDATE)
         RETURNING id, account_id, digest`,
        values,
      );
      await this.announceEnd(tx, rows, ending);
      count += rows.length;
      isMore = rows.length === ROWS_PER_STATEMENT;
    }
    return count;
  }

  /** Announces the sessions that have just ended, to replicas and features. */
  private async announceEnd(tx: Tx, rows: readonly EndedSession[], ending: RevocationCause): Promise<void> {
    for (let first = 0; first < rows.length; first += IDS_PER_NOTIFICATION) {
      const some = rows.slice(first, first + IDS_PER_NOTIFICATION);
      const owners = [...new Set(some.map(({ account_id }) => account_id))];
      const data = { sessions: some.map(({ id }) => id), owners };
      await this.replicaBus.announce(tx, { topic: 'revoked', data });
    }
    const { origin, by, reason } = ending;
    const ended = rows.map((row) => ({ account_id: row.account_id, session_id_hash: idHash(row) }));
    if (reason === 'signed_out') await this.lifecycle.emit(tx, 'signedOut', ended);
    const withReason = ended.map((session) => ({ ...session, by, reason }));
    await this.lifecycle.emit(tx, 'sessionEnded', withReason, { origin });
  }
}

/** A row that a statement has revoked. */
interface EndedSession {
  readonly id: string;
  readonly account_id: string;
  readonly digest: Buffer;
}

const signedOut = (origin: Origin): RevocationCause => ({ by: 'owner', reason: 'signed_out', origin });
