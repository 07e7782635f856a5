import { Injectable } from '@nestjs/common';
import bowser from 'bowser';
import { In, IsNull } from 'typeorm';
import { addressKey, maskAddress } from '../address.js';
import type { Call } from '../call.js';
import { Refusal } from '../errors.js';
import { Grants } from '../oauth/grants.service.js';
import { Database, type Tx } from '../platform/database.js';
import { Janitor } from '../platform/janitor.js';
import { Replica } from '../platform/replica.js';
import type { SessionIdentity } from '../policy/identity.js';
import { digest, Keyring, mintSessionToken } from '../secrets.js';
import { Snowflakes } from '../snowflake.js';
import { AuthorizedIp, Session } from './auth.entities.js';

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
    return typeof os === 'string' && os.length <= 64 && !os.includes('\0') ? os : null;
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

/** A device in words that are safe in a mail: a user agent is free text, and must not smuggle a link. */
export function describeClient(origin: Pick<Origin, 'userAgent' | 'os'>): string {
  const { browser, os } = clientInfo(origin);
  const words = (text: string | null, unknown: string) =>
    (text ?? '')
      .replace(/[^A-Za-z0-9 ]+/g, ' ')
      .trim()
      .slice(0, 32) || unknown;
  return `${words(browser, 'unknown browser')} on ${words(os, 'unknown system')}`;
}

export const idHash = (session: { digest: Buffer }): string => session.digest.toString('base64url');

/** What sockets of a rotated session are told (account.md 2.2). */
export interface SessionChange {
  readonly old_auth_session_id_hash: string;
  readonly new_auth_session_id_hash: string;
  readonly new_token: string;
}

// A notice is small.
const IDS_PER_NOTICE = 200;

/** The key that seals a new token on its way to the other replicas. */
const ROTATION = 'session-rotation';

/** User sessions: issue, list, revoke. Revocation closes the session's gateway sockets with 4004. */
@Injectable()
export class SessionService {
  constructor(
    private readonly database: Database,
    private readonly snowflakes: Snowflakes,
    private readonly replica: Replica,
    private readonly grants: Grants,
    private readonly keyring: Keyring,
    janitor: Janitor,
  ) {
    janitor.addExpiry('session', 'id', "revoked_at < now() - interval '30 days'");
  }

  /** Issues a session; the token is seen this once. */
  async issue(tx: Tx, accountId: string, { ip, userAgent, os }: Origin): Promise<string> {
    const token = mintSessionToken();
    await tx.insert(Session, { id: this.snowflakes.next(), digest: digest(token), accountId, ip, userAgent, os });
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

  /** Whether the session works; with `tx`, it goes on to work until that ends. */
  async isLive(sessionId: string, tx?: Tx): Promise<boolean> {
    const [row] = await (tx ?? this.database.manager).query(
      `SELECT 1 FROM session WHERE id = $1 AND revoked_at IS NULL${tx ? ' FOR SHARE' : ''}`,
      [sessionId],
    );
    return row !== undefined;
  }

  /** Latest activity first. */
  async list(me: SessionIdentity) {
    const sessions = await this.database.manager.find(Session, {
      where: { accountId: me.account.id, revokedAt: IsNull() },
      order: { lastUsedAt: 'DESC', id: 'DESC' },
    });
    return sessions.map((session) => ({
      id_hash: idHash(session),
      client_info: clientInfo(session),
      masked_ip: maskAddress(session.ip),
      approx_last_used_at: session.lastUsedAt.toISOString(),
      current: session.id === me.sessionId,
    }));
  }

  /** Live sessions, then those that ended in the last 30 days, each newest first. */
  async history(accountId: string): Promise<Session[]> {
    return this.database.manager
      .createQueryBuilder(Session, 's')
      .where("s.account_id = :accountId AND (s.revoked_at IS NULL OR s.revoked_at > now() - interval '30 days')", {
        accountId,
      })
      .orderBy('s.revoked_at IS NOT NULL', 'ASC')
      .addOrderBy('s.id', 'DESC')
      .getMany();
  }

  /** Revokes the account's sessions with these id hashes; hashes of others are ignored. */
  async revokeByHash(accountId: string, hashes: readonly string[]): Promise<void> {
    const digests = [...new Set(hashes)]
      .map((hash) => Buffer.from(hash, 'base64url'))
      .filter(({ length }) => length === 32);
    if (digests.length === 0) return;
    await this.database.transaction((tx) => this.revoke(tx, { accountId, digest: In(digests) }));
  }

  async revokeOne(sessionId: string): Promise<void> {
    await this.database.transaction((tx) => this.revoke(tx, { id: sessionId }));
  }

  /**
   * Gives the calling session a new token; its sockets stay, bound to the new one (account.md 2.2).
   * @throws Refusal UNAUTHORIZED when the token that was presented is dead by now
   */
  async rotate(tx: Tx, me: SessionIdentity): Promise<{ token: string; auth_session_id_hash: string }> {
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
      new_token: token,
    };
    const sealed = this.keyring.encrypt(ROTATION, JSON.stringify(change), me.sessionId).toString('base64');
    await this.replica.announce(tx, {
      topic: 'event',
      data: { type: 'AUTH_SESSION_CHANGE', account_id: me.account.id, session_id: me.sessionId, sealed },
    });
    return { token, auth_session_id_hash: change.new_auth_session_id_hash };
  }

  /** Opens what a notice of a rotation carries: sockets of the session on every replica must learn the new token. */
  openRotation(sessionId: string, sealed: string): SessionChange {
    return JSON.parse(this.keyring.decrypt(ROTATION, Buffer.from(sealed, 'base64'), sessionId));
  }

  /**
   * Revokes every session of the account, or all but one. The lock makes a sign-in that runs beside it come before,
   * and end, or after. With the last session the grant of the Admin application ends. Answers how many there were.
   */
  async revokeAll(tx: Tx, accountId: string, exceptSessionId?: string): Promise<number> {
    await tx.query('SELECT 1 FROM account WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
    if (exceptSessionId === undefined) await this.grants.revokeAdminGrant(tx, accountId);
    const sessions = await tx.find(Session, { where: { accountId, revokedAt: IsNull() }, select: { id: true } });
    const ids = sessions.map(({ id }) => id).filter((id) => id !== exceptSessionId);
    if (ids.length > 0) await this.revoke(tx, { id: In(ids) });
    return ids.length;
  }

  /** Ends every session of an account that goes, and keeps nothing of them. */
  async forget(tx: Tx, accountId: string): Promise<void> {
    await this.revokeAll(tx, accountId);
    await tx.delete(Session, { accountId });
    await this.forgetIps(tx, accountId);
  }

  private async revoke(tx: Tx, where: object): Promise<void> {
    const sessions = await tx.find(Session, { where: { ...where, revokedAt: IsNull() }, select: { id: true } });
    const ids = sessions.map(({ id }) => id);
    if (ids.length === 0) return;
    await tx.update(Session, { id: In(ids) }, { revokedAt: () => 'now()' });
    for (let first = 0; first < ids.length; first += IDS_PER_NOTICE) {
      const sessions = ids.slice(first, first + IDS_PER_NOTICE);
      await this.replica.announce(tx, { topic: 'revoked', data: { sessions } });
    }
  }
}
