import { randomBytes, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountSettings } from '../../accounts/account.entities.js';
import { AccountService } from '../../accounts/account.service.js';
import { AuditLog } from '../../admin/audit/audit.service.js';
import { consoleOperator } from '../../admin/audit/operator.js';
import { Passwords } from '../../auth/factors/passwords.service.js';
import { Clock } from '../../core/clock.js';
import { Snowflakes } from '../../core/snowflake.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { DAY_MS, DAYS, type DemoPerson, demoPeople, pick } from './demo-people.js';

const ADMINISTRATOR = 'admin@example.com';
const APPLICATIONS = ['Calendar', 'Chess Club', 'Helpdesk', 'Photo Album', 'Status Page', 'Wiki'];
const FAILURES = ['INVALID_EMAIL_OR_PASSWORD', 'RATE_LIMITED', 'CAPTCHA_REQUIRED', 'ACCOUNT_SUSPENDED_TEMPORARILY'];

/** How to sign in as the administrator of the example data. */
export interface DemoAdministrator {
  readonly email: string;
  readonly password: string;
}

interface StoredPerson extends DemoPerson {
  readonly id: string;
}

const INSERT_ACCOUNTS = `
  WITH added AS (
    INSERT INTO account (id, username, discriminator, global_name, email, email_verified, avatar_color, created_at,
      banned, banned_until, deletion_at, traits, last_active_at, last_active_ip)
    SELECT p.id, p.username, p.discriminator, p.global_name, p.email, p.email_verified, p.discriminator % 6,
      to_timestamp(p.created_at / 1000.0), p.banned_until IS NOT NULL, to_timestamp(p.banned_until / 1000.0),
      to_timestamp(p.deletion_at / 1000.0), CASE WHEN p.is_pending THEN ARRAY['registration_pending_approval'] ELSE '{}' END,
      (SELECT to_timestamp(max((s->>'last_used_at')::float8) / 1000) FROM jsonb_array_elements(p.sessions) s),
      p.sessions->0->>'ip'
    FROM jsonb_to_recordset($1::jsonb) AS p (id bigint, username text, discriminator smallint, global_name text, email text,
      email_verified boolean, created_at float8, banned_until float8, deletion_at float8, is_pending boolean, sessions jsonb)
    RETURNING id
  )
  INSERT INTO account_settings (account_id) SELECT id FROM added`;

const INSERT_SESSIONS = `
  INSERT INTO session (id, digest, account_id, ip, user_agent, created_at, last_used_at, authenticated_at, amr)
  SELECT s.id, decode(s.digest, 'base64'), s.account_id, s.ip, s.user_agent, to_timestamp(s.created_at / 1000.0),
    to_timestamp(s.last_used_at / 1000.0), to_timestamp(s.created_at / 1000.0), ARRAY['pwd']
  FROM jsonb_to_recordset($1::jsonb) AS s (id bigint, digest text, account_id bigint, ip text, user_agent text,
    created_at float8, last_used_at float8)`;

const INSERT_EVENTS = `
  INSERT INTO security_event (id, account_id, type, created_at, session_digest, ip, user_agent, data)
  SELECT s.event_id, s.account_id, 'signed_in', to_timestamp(s.created_at / 1000.0), decode(s.digest, 'base64'), s.ip,
    s.user_agent, '{}'
  FROM jsonb_to_recordset($1::jsonb) AS s (event_id bigint, digest text, account_id bigint, ip text, user_agent text,
    created_at float8)`;

const INSERT_APPLICATION = `
  INSERT INTO application (id, owner_id, name, client_type, redirect_uris)
  VALUES ($1, $2, $3, 'public', ARRAY['https://app.example.com/callback'])`;

const INSERT_GRANTS = `
  WITH added AS (
    INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest)
    SELECT g.id, g.application_id, g.account_id, ARRAY['identify'], decode(g.code, 'base64')
    FROM jsonb_to_recordset($1::jsonb) AS g (id bigint, application_id bigint, account_id bigint, code text)
    RETURNING id, application_id, account_id, scopes, code_digest
  )
  INSERT INTO oauth_token (id, digest, kind, family_id, application_id, account_id, scopes, expires_at)
  SELECT a.id, sha256(a.code_digest), 'refresh', a.id, a.application_id, a.account_id, a.scopes, now() + interval '30 days'
  FROM added a`;

const INSERT_STATISTICS = `
  INSERT INTO instance_statistics (day, kind, count)
  SELECT d.day, d.kind, d.count FROM jsonb_to_recordset($1::jsonb) AS d (day date, kind text, count bigint)
  ON CONFLICT (day, kind) DO UPDATE SET count = instance_statistics.count + excluded.count`;

/** Example data: 200 users with sessions, events, applications and statistics, and an administrator. */
@Injectable()
export class DemoData {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly snowflakes: Snowflakes,
    private readonly accounts: AccountService,
    private readonly passwords: Passwords,
    private readonly audit: AuditLog,
  ) {}

  /** Fills an empty database in one transaction. Returns `null`, and changes nothing, if there are accounts. */
  async fill(): Promise<DemoAdministrator | null> {
    const password = randomBytes(12).toString('base64url');
    const passwordHash = await this.passwords.hash(password);
    return this.database.transaction(async (tx) => {
      // Another process that starts at the same time waits here, and then finds the accounts.
      await tx.query('LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE');
      const accounts = await tx.query<unknown[]>('SELECT 1 FROM account LIMIT 1');
      if (accounts.length > 0) return null;
      const person = { username: 'admin', email: ADMINISTRATOR, emailVerified: true, passwordHash };
      const { id } = await this.accounts.create(tx, person);
      await this.accounts.update(tx, id, { acls: ['*'] });
      // A first sign-in from a new IP address would have to be confirmed by email.
      await tx.update(AccountSettings, { accountId: id }, { sessionIpAuthorization: false });
      const people = await this.addPeople(tx);
      await this.addApplications(tx, people);
      await this.addStatistics(tx, people.length);
      return { email: ADMINISTRATOR, password };
    });
  }

  private async addPeople(tx: Tx): Promise<StoredPerson[]> {
    const people = demoPeople(this.clock.now())
      .sort((a, b) => a.created_at - b.created_at)
      .map((person) => ({ ...person, id: this.snowflakes.next(), discriminator: randomInt(1, 10_000) }));
    await tx.query(INSERT_ACCOUNTS, [JSON.stringify(people)]);
    const sessions = people
      .flatMap((person) => person.sessions.map((session) => ({ ...session, account_id: person.id })))
      .sort((a, b) => a.created_at - b.created_at)
      .map((session) => ({ ...session, id: this.snowflakes.next(), event_id: this.snowflakes.next() }));
    await tx.query(INSERT_SESSIONS, [JSON.stringify(sessions)]);
    await tx.query(INSERT_EVENTS, [JSON.stringify(sessions)]);
    for (const { id, banned_until: until } of people) {
      if (until === null) continue;
      const metadata = { banned_until: new Date(until).toISOString() };
      await this.audit.record(tx, consoleOperator(), { action: 'temp_ban', target: { type: 'user', id }, metadata });
    }
    return people;
  }

  private async addApplications(tx: Tx, people: readonly StoredPerson[]): Promise<void> {
    for (const name of APPLICATIONS) {
      const applicationId = this.snowflakes.next();
      await tx.query(INSERT_APPLICATION, [applicationId, pick(people).id, name]);
      const users = people.filter(({ sessions }) => sessions.length > 0 && randomInt(3) === 0);
      const grants = users.map((user) => ({
        id: this.snowflakes.next(),
        application_id: applicationId,
        account_id: user.id,
        code: randomBytes(32).toString('base64'),
      }));
      await tx.query(INSERT_GRANTS, [JSON.stringify(grants)]);
    }
  }

  private async addStatistics(tx: Tx, accounts: number): Promise<void> {
    const rows = Array.from({ length: DAYS }, (_, age) => {
      const day = new Date(this.clock.now() - age * DAY_MS).toISOString().slice(0, 10);
      const failures = FAILURES.map((code) => ({ day, kind: `failure:${code}`, count: randomInt(12) }));
      return [
        { day, kind: 'accounts', count: accounts - 2 * age },
        { day, kind: 'sign_ups', count: randomInt(6) },
        { day, kind: 'sign_ins', count: randomInt(40, 90) },
        { day, kind: 'deletions', count: randomInt(2) },
        ...failures,
      ];
    });
    await tx.query(INSERT_STATISTICS, [JSON.stringify(rows.flat())]);
  }
}
