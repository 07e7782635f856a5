import { Injectable } from '@nestjs/common';
import bowser from 'bowser';
import { IsNull } from 'typeorm';
import { AccountService } from '../../accounts/account.service.js';
import { Grants } from '../../accounts/grants/grants.service.js';
import type { Seen } from '../../accounts/seen.js';
import { addressKey, maskAddress } from '../../core/address.js';
import { Config } from '../../core/config/config.js';
import { Refusal } from '../../core/errors.js';
import { digest, mintSessionToken } from '../../core/secrets.js';
import { Snowflakes } from '../../core/snowflake.js';
import { isText } from '../../core/text/text.js';
import { type Changed, Database, type Tx } from '../../platform/database/database.js';
import { Janitor } from '../../platform/process/janitor.js';
import { Replica } from '../../platform/replicas/replica.js';
import type { Call } from '../../policy/call.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { AuthorizedIp, Session } from '../records/auth.entities.js';
import { Standing } from './standing.service.js';

export interface RotatedSession {
  readonly token: string;
  readonly auth_session_id_hash: string;
}

/** Where a sign-in came from, as it is stored with the session. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string;
  readonly os: string | null;
}

/** The operating system that a native client names in `X-Service-Client-Properties`; malformed is ignored. */
function namedOs(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string' || header.length > 4096) return null;
  try {
    const { os } = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
    return isText(os) && os.length <= 64 ? os : null;
  } catch {
    return null;
  }
}

export const originOf = (call: Call): Origin => ({
  ip: call.address,
  userAgent: call.userAgent,
  os: namedOs(call.req.headers['x-service-client-properties']),
});

/** Client info of a session (auth.md section 3). */
export function clientInfo({ userAgent, os }: Pick<Origin, 'userAgent' | 'os'>) {
  const parsed = userAgent ? bowser.parse(userAgent) : null;
  const kind = parsed?.platform.type;
  return {
    platform: parsed?.platform.type ?? null,
    os: os ?? parsed?.os.name ?? null,
    browser: parsed?.browser.name ?? null,
    device: kind === 'mobile' || kind === 'tablet' ? 'mobile' : 'desktop',
  };
}

const BROWSERS: ReadonlySet<string | null> = new Set(Object.values(bowser.BROWSER_MAP as Record<string, string>));
/** The longest first: one is the beginning of another. */
const SYSTEMS = Object.values(bowser.OS_MAP as Record<string, string>).sort((a, b) => b.length - a.length);

/** The system that a text begins with the name of, such as `Windows 11`. */
const systemIn = (text: string | null): string | undefined =>
  SYSTEMS.find((name) => `${text?.toLowerCase()} `.startsWith(`${name.toLowerCase()} `));

/**
 * A device in words of ours alone: what a client says of itself is free text, and a mail would say it with our voice to
 * somebody whom the client is not.
 */
export function describeClient({ userAgent, os: named }: Pick<Origin, 'userAgent' | 'os'>): string {
  const { browser, os } = clientInfo({ userAgent, os: null });
  const known = BROWSERS.has(browser) ? browser : 'unknown browser';
  return `${known} on ${systemIn(named) ?? systemIn(os) ?? 'unknown system'}`;
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

/** User sessions: issue, list, revoke. Revocation closes the session's gateway sockets with 4004. */
@Injectable()
export class SessionService {
  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly replica: Replica,
    private readonly grants: Grants,
    private readonly accounts: AccountService,
    private readonly standing: Standing,
    private readonly config: Config,
    janitor: Janitor,
  ) {
    janitor.addExpiry('session', 'id', "revoked_at < now() - interval '30 days'");
  }

  /**
   * Issues a session of an account that `tx` holds; the token is seen this once. One more than an account may have ends
   * the ones that were not used for longest.
   */
  async issue(tx: Tx, accountId: string, { ip, userAgent, os }: Origin): Promise<string> {
    const token = mintSessionToken();
    const id = this.snowflakes.next();
    await tx.insert(Session, { id, digest: digest(token), accountId, ip, userAgent, os });
    await this.revoke(
      tx,
      `id IN (SELECT id FROM session WHERE account_id = $1 AND revoked_at IS NULL AND id <> $2
         ORDER BY last_used_at DESC, id DESC OFFSET $3)`,
      [accountId, id, this.config.sessionsPerAccount - 1],
    );
    return token;
  }

  async authorizeIp(tx: Tx, accountId: string, ip: string): Promise<void> {
    await tx
      .createQueryBuilder()
      .insert()
      .into(AuthorizedIp)
      .values({ accountId, ipKey: addressKey(ip) })
      .orIgnore()
      .execute();
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

  isIpAuthorized(accountId: string, ip: string): Promise<boolean> {
    return this.database.manager.existsBy(AuthorizedIp, { accountId, ipKey: addressKey(ip) });
  }

  /** The same for whichever account has the e-mail address, with the same work where none has. */
  async isIpAuthorizedFor(email: string, ip: string): Promise<boolean> {
    const [row] = await this.database.manager.query<[{ known: boolean }]>(
      `SELECT i.account_id IS NOT NULL AS known
       FROM (SELECT 1) one
         LEFT JOIN account a ON lower(a.email) = lower($1)
         LEFT JOIN authorized_ip i ON i.account_id = coalesce(a.id, 0) AND i.ip_key = $2`,
      [email, addressKey(ip)],
    );
    return row.known;
  }

  /** Whether the session works; with `tx`, it goes on to work until that ends. */
  async isLive(sessionId: string, tx?: Tx): Promise<boolean> {
    const [row] = await (tx ?? this.database.manager).query<unknown[]>(
      `SELECT 1 FROM session WHERE id = $1 AND revoked_at IS NULL${tx ? ' FOR SHARE' : ''}`,
      [sessionId],
    );
    return row !== undefined;
  }

  /** The session that asks, which is in use right now, then the latest activity, as many as an account may have. */
  async list(me: SessionIdentity) {
    const { entities, raw } = await this.database.manager
      .createQueryBuilder(Session, 's')
      .addSelect('now()', 'now')
      .where('s.account_id = :accountId AND s.revoked_at IS NULL', { accountId: me.account.id })
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
  async revokeByHash(me: SessionIdentity, hashes: readonly string[]): Promise<boolean> {
    const digests = hashes.map((hash) => Buffer.from(hash, 'base64url')).filter(({ length }) => length === 32);
    return this.database.transaction(async (tx) => {
      const { id } = await this.standing.hold(tx, me);
      await this.revoke(tx, 'account_id = $1 AND digest = ANY ($2::bytea[])', [id, digests]);
      const isLast = !(await this.hasSessions(tx, id));
      if (isLast) await this.revokeAll(tx, id);
      return isLast;
    });
  }

  /** Ends the calling session. With the last one the grant of the Admin application ends. */
  async end({ account: { id }, sessionId }: SessionIdentity): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.accounts.lock(tx, id);
      await this.revoke(tx, 'id = $1', [sessionId]);
      if (!(await this.hasSessions(tx, id))) await this.grants.revokeAdminGrant(tx, id);
    });
  }

  private hasSessions(tx: Tx, accountId: string): Promise<boolean> {
    return tx.existsBy(Session, { accountId, revokedAt: IsNull() });
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
  async revokeAll(tx: Tx, accountId: string, exceptSessionId = '0'): Promise<{ seen: Seen; count: number }> {
    const seen = await this.accounts.raiseEpoch(tx, accountId);
    await this.grants.revokeAdminGrant(tx, accountId);
    const count = await this.revoke(tx, 'account_id = $1 AND id <> $2', [accountId, exceptSessionId]);
    return { seen, count };
  }

  /** Ends every session of an account that goes, and keeps nothing of them. */
  async forget(tx: Tx, accountId: string): Promise<void> {
    await this.revokeAll(tx, accountId);
    await tx.delete(Session, { accountId });
    await this.forgetIps(tx, accountId);
  }

  /** One statement, however many there are. Answers how many there were. */
  private async revoke(tx: Tx, condition: string, values: unknown[]): Promise<number> {
    const [rows] = await tx.query<Changed<{ id: string }>>(
      `UPDATE session SET revoked_at = now() WHERE revoked_at IS NULL AND ${condition} RETURNING id`,
      values,
    );
    const ids = rows.map(({ id }) => id);
    for (let first = 0; first < ids.length; first += IDS_PER_NOTICE) {
      const sessions = ids.slice(first, first + IDS_PER_NOTICE);
      await this.replica.announce(tx, { topic: 'revoked', data: { sessions } });
    }
    return ids.length;
  }
}
