import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import { Database, type Tx } from '../platform/database.js';
import { Janitor } from '../platform/janitor.js';
import { mintToken } from '../secrets.js';
import { OneTimeSecret } from './auth.entities.js';

/** What a secret works for. A secret of one purpose is unknown to every other. */
export type Purpose =
  | ('mfa-ticket' | 'captcha-spent' | 'email-verification' | 'password-reset' | 'email-revert')
  | ('ip-ticket' | 'ip-token' | 'handoff')
  | (string & {});

/** What was stored with a secret. Only its digest, bound to the purpose, is at rest. */
export interface Issued {
  readonly subject: string;
  readonly payload: Record<string, unknown>;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const keyOf = (purpose: Purpose, secret: string): Buffer => hash('sha256', `${purpose}\0${secret}`, 'buffer');

const issued = (row: {
  subject: string;
  payload: Record<string, unknown>;
  created_at: Date;
  expires_at: Date;
}): Issued => ({
  subject: row.subject,
  payload: row.payload,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

/**
 * The one mechanism for everything that works once: tickets, codes, tokens, challenges, states. Expiry is judged by
 * the database's clock; of parallel consumers exactly one gets the row.
 */
@Injectable()
export class OneTimeSecrets {
  constructor(
    private readonly database: Database,
    janitor: Janitor,
  ) {
    janitor.addExpiry('one_time_secret', 'digest', "expires_at < now() - interval '1 day'");
  }

  /** Stores a fresh secret for `ttlSeconds` and returns it; this is the only time that it is seen. */
  async issue(
    purpose: Purpose,
    subject: string,
    payload: Record<string, unknown>,
    ttlSeconds: number,
    options: { tx?: Tx | undefined; secret?: string } = {},
  ): Promise<string> {
    const secret = options.secret ?? mintToken();
    await (options.tx ?? this.database.manager)
      .createQueryBuilder()
      .insert()
      .into(OneTimeSecret)
      .values({
        digest: keyOf(purpose, secret),
        purpose,
        subject,
        payload: payload as never,
        expiresAt: () => `now() + interval '${Number(ttlSeconds)} seconds'`,
      })
      .execute();
    return secret;
  }

  /** Reads a live secret without spending it. */
  async peek(purpose: Purpose, secret: string, tx: Tx = this.database.manager): Promise<Issued | null> {
    return this.live(purpose, secret, tx).getOne();
  }

  private live(purpose: Purpose, secret: string, tx: Tx) {
    return tx
      .createQueryBuilder(OneTimeSecret, 's')
      .where('s.digest = :key AND s.purpose = :purpose AND s.expires_at > now()', {
        key: keyOf(purpose, secret),
        purpose,
      });
  }

  /** Spends a live secret: exactly one caller gets what was stored, every other one `null`. */
  async consume(purpose: Purpose, secret: string, tx: Tx = this.database.manager): Promise<Issued | null> {
    const { raw } = await tx
      .createQueryBuilder()
      .delete()
      .from(OneTimeSecret)
      .where('digest = :key AND purpose = :purpose AND expires_at > now()', { key: keyOf(purpose, secret), purpose })
      .returning(['subject', 'payload', 'createdAt', 'expiresAt'])
      .execute();
    return raw[0] ? issued(raw[0]) : null;
  }

  /**
   * Moves a live secret on: where its payload holds `from`, `to` is merged into it, and from now on it lives for
   * `ttlSeconds` if they are given. Of parallel callers that leave the same state exactly one succeeds.
   */
  async change(
    purpose: Purpose,
    secret: string,
    [from, to]: readonly [from: Record<string, unknown>, to: Record<string, unknown>],
    options: { tx?: Tx; ttlSeconds?: number } = {},
  ): Promise<boolean> {
    const [, changed] = await (options.tx ?? this.database.manager).query(
      `UPDATE one_time_secret
       SET payload = payload || $4::jsonb, expires_at = coalesce(now() + $5 * interval '1 second', expires_at)
       WHERE digest = $1 AND purpose = $2 AND expires_at > now() AND payload @> $3::jsonb`,
      [keyOf(purpose, secret), purpose, JSON.stringify(from), JSON.stringify(to), options.ttlSeconds ?? null],
    );
    return changed === 1;
  }

  /** Seconds since a live secret was issued, by the database's clock. */
  async ageOf(purpose: Purpose, secret: string): Promise<number | null> {
    const [row] = await this.database.manager.query(
      `SELECT extract(epoch FROM now() - created_at)::float8 AS age FROM one_time_secret
       WHERE digest = $1 AND purpose = $2 AND expires_at > now()`,
      [keyOf(purpose, secret), purpose],
    );
    return row?.age ?? null;
  }

  /** Like `peek`, and keeps every other transaction from spending the secret until `tx` ends. */
  async hold(purpose: Purpose, secret: string, tx: Tx): Promise<(Issued & { readonly readAt: Date }) | null> {
    const [row] = await tx.query(
      `SELECT subject, payload, created_at, expires_at, now() AS read_at FROM one_time_secret
       WHERE digest = $1 AND purpose = $2 AND expires_at > now() FOR UPDATE`,
      [keyOf(purpose, secret), purpose],
    );
    return row ? { ...issued(row), readAt: row.read_at } : null;
  }

  /** Whether a secret that nobody spent was issued to `subject`, though it may have expired within the last day. */
  isKnown(purpose: Purpose, secret: string, subject: string, tx: Tx = this.database.manager): Promise<boolean> {
    return tx.existsBy(OneTimeSecret, { digest: keyOf(purpose, secret), purpose, subject });
  }

  /** Counts an attempt at what a live secret guards, before it is examined; `null` once `limit` are spent. */
  async attempt(
    purpose: Purpose,
    secret: string,
    limit: number,
    tx: Tx = this.database.manager,
  ): Promise<Issued | null> {
    const [rows] = await tx.query(
      `UPDATE one_time_secret
       SET payload = payload || jsonb_build_object('attempts', coalesce((payload->>'attempts')::int, 0) + 1)
       WHERE digest = $1 AND purpose = $2 AND expires_at > now() AND coalesce((payload->>'attempts')::int, 0) < $3
       RETURNING subject, payload, created_at, expires_at`,
      [keyOf(purpose, secret), purpose, limit],
    );
    return rows[0] ? issued(rows[0]) : null;
  }

  /** Voids every secret of one purpose that was issued to `subject`. */
  async revokeAll(purpose: Purpose, subject: string, tx: Tx = this.database.manager): Promise<void> {
    await tx.createQueryBuilder().delete().from(OneTimeSecret).where({ purpose, subject }).execute();
  }

  /** Voids the secrets of one purpose that were issued to `subject` and whose payload does not hold `part`. */
  async revokeLacking(purpose: Purpose, subject: string, part: Record<string, unknown>, tx: Tx): Promise<void> {
    await tx.query('DELETE FROM one_time_secret WHERE purpose = $1 AND subject = $2 AND NOT payload @> $3::jsonb', [
      ...[purpose, subject, JSON.stringify(part)],
    ]);
  }

  /** Voids every secret that was issued to `subject`, but those of some purposes. */
  async revokeAllBut(kept: readonly Purpose[], subject: string, tx: Tx): Promise<void> {
    await tx.delete(OneTimeSecret, { subject, purpose: Not(In([...kept])) });
  }

  /** Forgets every secret of an account that goes, those that only name it included. */
  async forget(tx: Tx, accountId: string): Promise<void> {
    await tx.query(
      `DELETE FROM one_time_secret WHERE subject = $1
         OR jsonb_path_exists(payload, '$.**.accountId ? (@ == $id)', jsonb_build_object('id', $1::text))`,
      [accountId],
    );
  }

  /** Voids the secrets of one purpose that `subject` got together with a certain one or after it. */
  async revokeSince(purpose: Purpose, { subject, createdAt }: Issued, tx: Tx): Promise<void> {
    // A Date knows no more than milliseconds.
    await tx.query(
      `DELETE FROM one_time_secret
       WHERE purpose = $1 AND subject = $2 AND date_trunc('milliseconds', created_at) >= $3`,
      [purpose, subject, createdAt],
    );
  }

  /** Claims a foreign value, such as a captcha token, for `ttlSeconds`. True for exactly one caller. */
  async claim(purpose: Purpose, value: string, ttlSeconds: number): Promise<boolean> {
    const { raw } = await this.database.manager
      .createQueryBuilder()
      .insert()
      .into(OneTimeSecret)
      .values({
        digest: keyOf(purpose, value),
        purpose,
        subject: '',
        payload: {},
        expiresAt: () => `now() + interval '${Number(ttlSeconds)} seconds'`,
      })
      .orIgnore()
      .returning(['purpose'])
      .execute();
    return raw.length > 0;
  }
}
