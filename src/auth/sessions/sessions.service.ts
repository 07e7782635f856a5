import { Injectable } from '@nestjs/common';
import { AccountService, IS_ITS_OWN, NEAREST } from '../../accounts/account.service.js';
import { clientInfo, type Ending, type Origin } from '../../accounts/events/origin.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import { Grants } from '../../accounts/grants/grants.service.js';
import type { Seen } from '../../accounts/seen.js';
import { withinLimits } from '../../accounts/session-limits.js';
import { addressKey, maskAddress } from '../../core/address.js';
import { Config } from '../../core/config/config.js';
import { Refusal } from '../../core/errors.js';
import { digest, mintSessionToken } from '../../core/secrets.js';
import { Snowflakes } from '../../core/snowflake.js';
import { type Changed, Database, type Tx } from '../../platform/database/database.js';
import { Janitor } from '../../platform/process/janitor.js';
import { Replica } from '../../platform/replicas/replica.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { AuthorizedIp, Session } from '../records/auth.entities.js';
import { Standing } from './standing.service.js';

export interface RotatedSession {
  readonly token: string;
  readonly auth_session_id_hash: string;
}

export const idHash = (session: { digest: Buffer }): string => session.digest.toString('base64url');

/** What sockets of a rotated session are told (account.md 2.2). */
export interface SessionChange {
  readonly old_auth_session_id_hash: string;
  readonly new_auth_session_id_hash: string;
}

// A notice is small.
const IDS_PER_NOTICE = 200;
/** Sessions of the last 30 days that administrators see beside the live ones. */
const ENDED_SHOWN = 250;
const NETWORKS_SHOWN = 250;

/** The session, and the end of those that are too many beside it. */
const ISSUE_SESSION = `
  WITH made AS (
    INSERT INTO session (id, digest, account_id, ip, user_agent, os) VALUES ($1, $2, $3, $4, $5, $6)
  )
  UPDATE session SET revoked_at = now()
  WHERE id IN (SELECT id FROM session WHERE account_id = $3 AND revoked_at IS NULL AND id <> $1
               ORDER BY last_used_at DESC, id DESC OFFSET $7)
  RETURNING id, account_id, digest`;

const AUTHORIZE_IP = 'INSERT INTO authorized_ip (account_id, ip_key) VALUES ($1, $2) ON CONFLICT DO NOTHING';

const HELD_FROM = `
  SELECT 1 FROM account_settings WHERE account_id = $1 AND session_ip_authorization
    AND NOT EXISTS (SELECT 1 FROM authorized_ip WHERE account_id = $1 AND ip_key = $2)`;

/** User sessions: issue, list, revoke. Revocation closes the session's gateway sockets with 4004. */
@Injectable()
export class SessionService {
  /** The condition on a session that works. */
  private readonly live: string;

  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly replica: Replica,
    private readonly grants: Grants,
    private readonly accounts: AccountService,
    private readonly standing: Standing,
    private readonly events: SecurityEvents,
    private readonly config: Config,
    janitor: Janitor,
  ) {
    this.live = `revoked_at IS NULL${withinLimits(config)}`;
    janitor.addExpiry('session', 'id', "revoked_at < now() - interval '30 days'");
  }

  /**
   * Issues a session of an account that `tx` holds; the token is seen this once. One more than an account may have ends
   * the ones that were not used for longest.
   */
  async issue(tx: Tx, accountId: string, origin: Origin): Promise<string> {
    const { ip, userAgent, os } = origin;
    const token = mintSessionToken();
    const id = this.snowflakes.next();
    const others = this.config.sessionsPerAccount - 1;
    const values = [id, digest(token), accountId, ip, userAgent, os, others];
    const ended = await this.database.statement<EndedSession>('issue-session', ISSUE_SESSION, values, tx);
    await this.tell(tx, ended, { by: 'service', reason: 'too_many_sessions', origin });
    return token;
  }

  async authorizeIp(tx: Tx, accountId: string, ip: string): Promise<void> {
    await this.database.statement('authorize-ip', AUTHORIZE_IP, [accountId, addressKey(ip)], tx);
  }

  /** Forgets every address of the account but this one. */
  async authorizeOnlyIp(tx: Tx, accountId: string, ip: string): Promise<void> {
    await tx.delete(AuthorizedIp, { accountId });
    await this.authorizeIp(tx, accountId, ip);
  }

  /** The account may sign in silently from nowhere any more. */
  async forgetIps(tx: Tx, accountId: string): Promise<void> {
    await tx.delete(AuthorizedIp, { accountId });
  }

  /** Networks from which the account signs in without a confirmation, the newest first, up to a limit. */
  networks(accountId: string): Promise<AuthorizedIp[]> {
    return this.database.manager.find(AuthorizedIp, {
      where: { accountId },
      order: { createdAt: 'DESC', ipKey: 'ASC' },
      take: NETWORKS_SHOWN,
    });
  }

  /** Whether the account wants a sign-in from there to wait for a confirmation: it has not signed in from there before. */
  async isHeldFrom(accountId: string, ip: string): Promise<boolean> {
    const rows = await this.database.statement('held-from', HELD_FROM, [accountId, addressKey(ip)]);
    return rows.length > 0;
  }

  /** Whether the account that has the e-mail address has signed in from there before, with the same work where none has it. */
  async isIpAuthorizedFor(email: string, ip: string): Promise<boolean> {
    const [row] = await this.database.manager.query<[{ known: boolean }]>(
      `SELECT ${IS_ITS_OWN} AND i.account_id IS NOT NULL AS known
       FROM ${NEAREST} LEFT JOIN authorized_ip i ON i.account_id = a.id AND i.ip_key = $2`,
      [email, addressKey(ip)],
    );
    return row.known;
  }

  /** Whether the session works; with `tx`, it goes on to work until that ends. */
  async isLive(sessionId: string, tx?: Tx): Promise<boolean> {
    const [row] = await (tx ?? this.database.manager).query<unknown[]>(
      `SELECT 1 FROM session WHERE id = $1 AND ${this.live}${tx ? ' FOR SHARE' : ''}`,
      [sessionId],
    );
    return row !== undefined;
  }

  /** The session that asks, which is in use right now, then the latest activity, as many as an account may have. */
  async list(me: SessionIdentity) {
    const { entities, raw } = await this.database.manager
      .createQueryBuilder(Session, 's')
      .addSelect('now()', 'now')
      .where(`s.account_id = :accountId AND s.revoked_at IS NULL${withinLimits(this.config, 's')}`, {
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

  /** Live sessions, then those that ended in the last 30 days, each newest first, up to a limit. */
  async history(accountId: string): Promise<Session[]> {
    return this.database.manager
      .createQueryBuilder(Session, 's')
      .where("s.account_id = :accountId AND (s.revoked_at IS NULL OR s.revoked_at > now() - interval '30 days')", {
        accountId,
      })
      .orderBy('s.revoked_at IS NOT NULL', 'ASC')
      .addOrderBy('s.id', 'DESC')
      .limit(this.config.sessionsPerAccount + ENDED_SHOWN)
      .getMany();
  }

  /**
   * Revokes the caller's sessions with these id hashes; hashes of others are ignored. Answers whether none is left:
   * that is signing out everywhere, which ends what is pending, too.
   */
  async revokeByHash(me: SessionIdentity, hashes: readonly string[], origin: Origin): Promise<boolean> {
    const digests = hashes.map((hash) => Buffer.from(hash, 'base64url')).filter(({ length }) => length === 32);
    return this.database.transaction(async (tx) => {
      const { id } = await this.standing.hold(tx, me);
      const ending = signedOut(origin);
      await this.revoke(tx, 'account_id = $1 AND digest = ANY ($2::bytea[])', [id, digests], ending);
      const isLast = !(await this.hasSessions(tx, id));
      if (isLast) await this.revokeAll(tx, id, ending);
      return isLast;
    });
  }

  /** Ends the calling session. With the last one the grant of the Admin application ends. */
  async end({ account: { id }, sessionId }: SessionIdentity, origin: Origin): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.accounts.lock(tx, id);
      const ending = signedOut(origin);
      await this.revoke(tx, 'id = $1', [sessionId], ending);
      if (!(await this.hasSessions(tx, id))) await this.grants.revokeAdminGrant(tx, id, ending);
    });
  }

  /** Ends the session with this digest, of an account that `tx` holds, as its owner would. False: it has ended before. */
  async endLeaked(tx: Tx, accountId: string, digest: Buffer, ending: Ending): Promise<boolean> {
    const isEnded = (await this.revoke(tx, 'account_id = $1 AND digest = $2', [accountId, digest], ending)) === 1;
    if (isEnded && !(await this.hasSessions(tx, accountId))) await this.grants.revokeAdminGrant(tx, accountId, ending);
    return isEnded;
  }

  private async hasSessions(tx: Tx, accountId: string): Promise<boolean> {
    const rows = await tx.query<unknown[]>(`SELECT 1 FROM session WHERE account_id = $1 AND ${this.live} LIMIT 1`, [
      accountId,
    ]);
    return rows.length > 0;
  }

  /**
   * Gives the calling session a new token, which its answer alone carries; the sockets of the old one end (account.md 2.2).
   * @throws Refusal UNAUTHORIZED when the token that was presented is dead by now
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
    if (affected !== 1) throw new Refusal('UNAUTHORIZED');
    const change: SessionChange = {
      old_auth_session_id_hash: idHash(me),
      new_auth_session_id_hash: idHash({ digest: fresh }),
    };
    await this.replica.announce(tx, {
      topic: 'event',
      data: { type: 'AUTH_SESSION_CHANGE', account_id: me.account.id, session_id: me.sessionId, d: change },
    });
    return { token, auth_session_id_hash: change.new_auth_session_id_hash };
  }

  /**
   * Revokes every session of the account, or all but one that gets a new token, with all that is worth a session: the
   * grant of the Admin application, sudo proofs, everything pending. Raising the epoch locks the account, which makes a
   * sign-in that runs beside it come before, and end, or after. Answers the account as it is from now on, and how many
   * sessions there were.
   */
  async revokeAll(
    tx: Tx,
    accountId: string,
    ending: Ending,
    exceptSessionId = '0',
  ): Promise<{ seen: Seen; count: number }> {
    const seen = await this.accounts.raiseEpoch(tx, accountId);
    await this.grants.revokeAdminGrant(tx, accountId, ending);
    const count = await this.revoke(tx, 'account_id = $1 AND id <> $2', [accountId, exceptSessionId], ending);
    return { seen, count };
  }

  /** Ends every session of an account that goes, and keeps nothing of them. */
  async forget(tx: Tx, accountId: string): Promise<void> {
    await this.revokeAll(tx, accountId, { by: 'service', reason: 'account_removed' });
    await tx.delete(Session, { accountId });
    await this.forgetIps(tx, accountId);
  }

  /** One statement, however many there are. Answers how many there were. */
  private async revoke(tx: Tx, condition: string, values: unknown[], ending: Ending): Promise<number> {
    const [rows] = await tx.query<Changed<EndedSession>>(
      `UPDATE session SET revoked_at = now() WHERE revoked_at IS NULL AND ${condition} RETURNING id, account_id, digest`,
      values,
    );
    await this.tell(tx, rows, ending);
    return rows.length;
  }

  /** Tells of sessions that have just ended. */
  private async tell(tx: Tx, rows: readonly EndedSession[], ending: Ending): Promise<void> {
    const ids = rows.map(({ id }) => id);
    for (let first = 0; first < ids.length; first += IDS_PER_NOTICE) {
      const sessions = ids.slice(first, first + IDS_PER_NOTICE);
      await this.replica.announce(tx, { topic: 'revoked', data: { sessions } });
    }
    await this.events.recordAll(
      tx,
      rows.map((row) => endOf(row, ending)),
    );
  }
}

/** A row that has just ended. */
export interface EndedSession {
  readonly id: string;
  readonly account_id: string;
  readonly digest: Buffer;
}

/** What the owner of a session is told of its end. */
export const endOf = (session: EndedSession, { by, reason, origin }: Ending) =>
  ({
    accountId: session.account_id,
    type: 'session_ended',
    session: idHash(session),
    origin,
    data: { by, reason },
  }) as const;

const signedOut = (origin: Origin): Ending => ({ by: 'owner', reason: 'signed_out', origin });
