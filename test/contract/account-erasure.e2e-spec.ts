import { Injectable, Module } from '@nestjs/common';
import sharp from 'sharp';
import { IdentityResolver } from '../../src/accounts/identity-resolver.js';
import { OneTimeSecrets } from '../../src/auth/secrets/one-time-secrets.service.js';
import { LastUsed } from '../../src/auth/sessions/last-used.service.js';
import type { Tx } from '../../src/platform/database/database.js';
import type { DataEraser } from '../../src/policy/account-data.js';
import { defineFeature } from '../../src/policy/feature.js';
import { FeatureRegistry } from '../../src/policy/feature-registry.js';
import { WEBHOOK_MESSAGE_SINKS, type WebhookMessageSink } from '../../src/webhooks/message-sinks.js';
import { adminKey, setAcls, superuser } from '../support/admin.js';
import { runCleanup } from '../support/cleanup.js';
import type { Row } from '../support/gatehouse.js';
import {
  Authenticator,
  changeEmail,
  eraseAccount,
  eventually,
  exportAccount,
  type Gatehouse,
  mailTo,
  newApp,
  newCode,
  newTokens,
  newWebhook,
  type Persona,
  person,
  planUploads,
  type TestResponse,
  uploadFile,
  verifyEmail,
  waitForDelivery,
  withPasskey,
  withTotp,
} from '../support/index.js';
import { gatehouseWithSso, ScriptedProvider, signInBySso } from '../support/sso.js';

/** Fails to erase the data of one account. */
@Injectable()
class FailingEraser implements DataEraser {
  accountId: string | undefined;

  async erase(_tx: Tx, accountId: string): Promise<void> {
    if (accountId === this.accountId) throw new Error('a part of a module fails');
  }
}

@Module({ providers: [FailingEraser] })
class ProbeModule {}

const probe = defineFeature('probe', {
  modules: [ProbeModule],
  secrets: { 'probe-link': 'later' },
  erasure: { probe: { eraser: FailingEraser } },
});

declare module '../../src/core/merged.js' {
  interface Features {
    probeOfErasure: typeof probe;
  }
}

interface Fate {
  /** SQL condition for the rows of an account ($1), its bot ($2), its webhook ($3) and its planned upload ($4). */
  readonly rows: string | null;
  readonly after: 'erased' | 'removed' | 'kept' | 'nobody';
  /** The part of an export that contains the rows. */
  readonly exported: string | null;
  readonly why?: string;
}

/** What happens to the rows of each table when an account is erased. The suite fails if a table is missing here. */
const TABLES: Record<string, Fate> = {
  account: { rows: 'id IN ($1, $2)', after: 'erased', exported: 'account', why: 'others refer to its id' },
  account_settings: { rows: 'account_id IN ($1, $2)', after: 'removed', exported: 'settings' },
  session: { rows: 'account_id = $1', after: 'removed', exported: 'sessions' },
  authorized_ip: { rows: 'account_id = $1', after: 'removed', exported: 'authorized_ips' },
  security_event: { rows: 'account_id = $1', after: 'removed', exported: 'security_events' },
  backup_code: { rows: 'account_id = $1', after: 'removed', exported: 'backup_codes' },
  passkey: { rows: 'account_id = $1', after: 'removed', exported: 'passkeys' },
  one_time_secret: {
    rows: "subject = $1::text OR payload->'approval'->>'accountId' = $1::text",
    after: 'removed',
    exported: 'pending_secrets',
  },
  outbox: { rows: 'account_id = $1', after: 'removed', exported: 'mail' },
  inbox_message: { rows: 'account_id = $1', after: 'removed', exported: null, why: 'only while developing' },
  sso_identity: { rows: 'account_id = $1', after: 'removed', exported: 'sign_on_identities' },
  connection: { rows: null, after: 'nobody', exported: null, why: 'settings of the instance' },
  connection_identity: { rows: 'account_id = $1', after: 'removed', exported: 'connection_identities' },
  application: { rows: 'owner_id = $1', after: 'removed', exported: 'applications' },
  bot_token: {
    rows: 'application_id IN (SELECT id FROM application WHERE owner_id = $1)',
    after: 'removed',
    exported: null,
    why: 'digests',
  },
  openid_session: {
    rows: 'session_id IN (SELECT id FROM session WHERE account_id = $1)',
    after: 'removed',
    exported: null,
    why: 'a random ID for each session and application',
  },
  backchannel_logout: { rows: null, after: 'nobody', exported: null, why: 'ids on their way to an application' },
  backchannel_host: { rows: null, after: 'nobody', exported: null, why: 'when a host is asked next' },
  outgoing_endpoint: { rows: null, after: 'nobody', exported: null, why: 'endpoints of the instance' },
  outgoing_delivery: { rows: null, after: 'nobody', exported: null, why: 'IDs on their way to a service, for 30 days' },
  outgoing_lane: { rows: null, after: 'nobody', exported: null, why: 'when an endpoint is called next' },
  oauth_family: { rows: 'account_id = $1', after: 'removed', exported: 'grants' },
  oauth_token: { rows: 'account_id = $1', after: 'removed', exported: null, why: 'a grant says it' },
  personal_token: {
    rows: 'id IN (SELECT id FROM oauth_token WHERE account_id = $1)',
    after: 'removed',
    exported: 'access_tokens',
  },
  oauth_code: { rows: 'account_id = $1', after: 'removed', exported: null, why: 'lives for a minute' },
  oauth_removal: {
    rows: 'account_id = $1',
    after: 'removed',
    exported: null,
    why: 'the security events of the account show it',
  },
  oauth_bot_grant: { rows: 'account_id = $1', after: 'removed', exported: 'bot_authorizations' },
  admin_key: { rows: 'owner_id = $1', after: 'removed', exported: 'admin_keys' },
  admin_role: { rows: null, after: 'nobody', exported: null, why: 'templates of the instance' },
  webhook: { rows: 'owner_id = $1', after: 'removed', exported: 'webhooks' },
  webhook_message: { rows: 'webhook_id = $3', after: 'removed', exported: 'webhook_messages' },
  webhook_repeat: { rows: 'webhook_id = $3', after: 'removed', exported: null, why: 'a mark against repetition' },
  journal: { rows: null, after: 'nobody', exported: null, why: 'notices, which hold ids, for five minutes' },
  account_event: { rows: null, after: 'nobody', exported: null, why: 'how many events there were' },
  gateway_session_ahead: { rows: null, after: 'nobody', exported: null, why: 'gateway sessions, for five minutes' },
  webhook_queue: { rows: null, after: 'nobody', exported: null, why: 'when a sink is asked next, by id' },
  webhook_event: { rows: 'webhook_id = $3', after: 'removed', exported: null, why: 'a copy on its way to a sink' },
  media_object: { rows: 'account_id = $1', after: 'removed', exported: 'media' },
  media_upload: { rows: 'owner_id = $1', after: 'removed', exported: 'uploads' },
  media_staged: { rows: 'key = $4', after: 'removed', exported: null, why: 'bytes on their way to an upload' },
  media_garbage: { rows: null, after: 'nobody', exported: null, why: 'gone with the bytes, within the hour' },
  media_capability: { rows: null, after: 'nobody', exported: null, why: 'digests' },
  audit_log: { rows: 'admin_user_id = $1', after: 'kept', exported: 'audit_by_account', why: 'append only' },
  audit_verification: { rows: null, after: 'nobody', exported: null, why: 'how far the chain of the log was verified' },
  leak_report: { rows: null, after: 'nobody', exported: null, why: 'digests, gone once they are worked off' },
  decision_stream: { rows: null, after: 'nobody', exported: null, why: 'IDs of applications with open streams' },
  erasure_ledger: {
    rows: null,
    after: 'nobody',
    exported: null,
    why: 'IDs of erased and banned accounts, and encrypted IP addresses',
  },
  replica_statistics: { rows: null, after: 'nobody', exported: null, why: 'numbers of replicas' },
  instance_statistics: { rows: null, after: 'nobody', exported: null, why: 'counts without personal data' },
  ip_ban: { rows: 'created_by_user_id = $1', after: 'kept', exported: null, why: 'names who banned by id only' },
  instance: { rows: null, after: 'nobody', exported: null },
  sso_document: { rows: null, after: 'nobody', exported: null, why: 'documents of the provider' },
  openid_key: { rows: null, after: 'nobody', exported: null, why: 'keys of the instance' },
  pgboss_job: { rows: null, after: 'nobody', exported: null, why: 'payloads contain only IDs' },
  pgboss_queue: { rows: null, after: 'nobody', exported: null, why: 'names of jobs' },
};

const NAME = 'Zaphod';
const AGENT = 'CanaryBrowser/7.7';
const ADDRESS = '127.77.7.7';
const PHONE = '+493077777777';
/** Texts that identify leftover data in any column. */
const CANARIES = ['zaphod', 'canary', ADDRESS, PHONE.slice(1)];

/** Rejects every message, so that events stay in the queue. */
const stuck: WebhookMessageSink = {
  name: 'stuck',
  handle: () => Promise.reject(new Error('not now')),
};

@Module({ providers: [{ provide: WEBHOOK_MESSAGE_SINKS, useValue: stuck }] })
class StuckModule {}

let provider: ScriptedProvider;
let service: Gatehouse;
beforeAll(async () => {
  const env = { SMS_TRANSPORT: 'inbox', IP_AUTHORIZATION: 'off' };
  provider = await ScriptedProvider.start();
  service = await gatehouseWithSso(provider, { env, features: [probe], modules: [StuckModule] });
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

const ok = ({ status, body }: { status: number; body: unknown }) => {
  if (status !== 200 && status !== 204) throw new Error(`${status} ${JSON.stringify(body)}`);
};

interface Whole {
  readonly persona: Persona;
  readonly ids: readonly [account: string, bot: string, webhook: string, upload: string];
  readonly authenticator: Authenticator;
}

/** Creates an account with data in every table. */
async function wholeAccount(email: string): Promise<Whole> {
  const visitor = service.anonymous.from(ADDRESS).with({ 'user-agent': AGENT });
  const password = 'a canary of a password';
  const { body: registered } = await visitor.post('/v1/auth/register', { email, password, username: NAME });
  const persona = { id: registered.user_id, email, password, username: NAME, authorization: registered.token };
  const me = service.as(persona).from(ADDRESS).with({ 'user-agent': AGENT });
  const { authenticator } = await withTotp(service, persona);
  const byCode = () => ({ mfa_method: 'totp', mfa_code: authenticator.next() });
  await withPasskey(service, persona, undefined, byCode());
  const avatar = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const texts = { bio: 'canary bio', pronouns: 'canary', global_name: 'Canary', avatar: avatar.toString('base64') };
  ok(await me.patch('/v1/users/@me', texts));
  ok(await me.patch('/v1/users/@me/settings', { custom: { canary: true } }));
  await changeEmail(service, persona, { to: `new.${email}`, proof: byCode });
  ok(await me.post('/v1/users/@me/phone/send-verification', { phone: PHONE }));
  const { metadata } = await mailTo(service, PHONE, 'phone_verification');
  ok(await me.post('/v1/users/@me/phone/verify', { phone: PHONE, code: metadata.code }));

  const app = await newApp(service, persona, { name: 'Canary app' });
  ok(await service.as(app.bot).from(ADDRESS).get('/v1/users/@me'));
  await newTokens(service, persona, app, 'openid identify bot');
  await newCode(service, persona, app);
  const removed = await newApp(service, persona, { name: 'Canary app 2' });
  await newTokens(service, persona, removed);
  ok(await me.delete(`/v1/oauth2/@me/authorizations/${removed.id}`));
  await me.post('/v1/users/@me/access-tokens', { name: 'Canary token', scopes: ['identify'], ...byCode() }).expect(201);
  const hook = await newWebhook(service, persona, { name: 'Canary hook' });
  ok(await visitor.post(hook.path, { content: 'canary content', username: 'Canary', nonce: 'canary' }));
  await uploadFile(service, persona, 'canary.txt', new TextEncoder().encode('canary'));
  const [planned] = await planUploads(service, persona, [{ filename: 'canary2.txt', size: 6 }]);
  const { pathname, search } = new URL(planned?.upload_url ?? '');
  ok(await service.anonymous.put(pathname + search, new TextEncoder().encode('canary')));
  await setAcls(service, persona, ['*']);
  await adminKey(service, persona, 'user:lookup');
  ok(await service.as(persona).post('/v1/admin/blocklists/ip/entries', { ip: '198.51.100.77' }));
  await service.sql("INSERT INTO sso_identity (issuer, subject, account_id) VALUES ('https://idp', 'canary', $1)", [
    persona.id,
  ]);
  await service.sql(
    `INSERT INTO connection (id, kind, position, settings) VALUES ('corp', 'oidc', 0, '{"enabled": false}')
     ON CONFLICT DO NOTHING`,
  );
  await service.sql(
    `INSERT INTO connection_identity (id, connection_id, issuer, subject, account_id)
     VALUES ($1, 'corp', 'https://idp', 'canary', $1)`,
    [persona.id],
  );
  const { body: handoff } = await visitor.post('/v1/auth/handoff/initiate');
  ok(await visitor.get(`/v1/auth/handoff/${handoff.code}/info`));
  ok(await me.post('/v1/auth/handoff/complete', { code: handoff.code, user_id: persona.id }));
  await waitForDelivery(service);
  return { persona, authenticator, ids: [persona.id, app.id, hook.id, planned?.upload_filename ?? ''] };
}

/** Counts the rows of the account in each table. */
async function count(ids: Whole['ids']): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [table, { rows }] of Object.entries(TABLES)) {
    if (rows === null) continue;
    // PostgreSQL can infer the type of a parameter only if the statement uses the parameter.
    const all = '$1::bigint IS NOT NULL AND $2::bigint IS NOT NULL AND $3::bigint IS NOT NULL AND $4::text IS NOT NULL';
    const [row] = await service.sql(`SELECT count(*)::int AS n FROM ${table} WHERE ${all} AND (${rows})`, [...ids]);
    counts[table] = row?.n;
  }
  return counts;
}

/** Finds rows that contain a canary, in all tables except those that are kept. */
async function leftovers(): Promise<Row[]> {
  const found: Row[] = [];
  for (const table of Object.keys(TABLES)) {
    if (TABLES[table]?.after === 'kept') continue;
    const rows = await service.sql(`SELECT $1 AS table, t::text AS row FROM ${table} t WHERE t::text ILIKE ANY ($2)`, [
      table,
      CANARIES.map((canary) => `%${canary}%`),
    ]);
    found.push(...rows);
  }
  return found;
}

const named = (wanted: (fate: Fate) => boolean) => Object.keys(TABLES).filter((table) => wanted(TABLES[table] as Fate));

describe('account.md section 3 erasure', () => {
  test('every table of the schema is listed, with what happens to its rows', async () => {
    const rows = await service.sql(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> 'migration'",
    );
    const tables = rows.map(({ table_name }) => table_name).sort();
    expect(tables).toEqual(Object.keys(TABLES).sort());
    const { erasure } = service.app.get(FeatureRegistry);
    expect([...erasure.keys()].filter((table) => table !== 'probe').sort()).toEqual(tables);
  });

  test('each table whose rows are kept is declared with the reason, and each exported one by its part', () => {
    const { erasure, exports } = service.app.get(FeatureRegistry);
    const kept = [...erasure].filter(([, declaration]) => 'kept' in declaration).map(([table]) => table);
    const stay = named(({ rows, after }) => rows === null || after === 'kept' || after === 'erased');
    expect(kept.sort()).toEqual(stay.sort());
    const parts = Object.values(TABLES).flatMap(({ exported }) => exported ?? []);
    expect([...exports.keys()].sort()).toEqual([...parts, 'audit_of_account'].sort());
  });

  test('an account with data in all of them is exported completely; then the worker leaves only the rows to keep', async () => {
    const { persona, ids, authenticator } = await wholeAccount('zaphod.canary@example.com');
    const before = await count(ids);
    expect(Object.keys(before).filter((table) => before[table] === 0)).toEqual([]);

    const parts = await exportAccount(service, persona);
    const isEmpty = (part: unknown) => !part || (Array.isArray(part) && part.length === 0);
    expect(named(({ exported }) => exported !== null && isEmpty(parts[exported]))).toEqual([]);
    expect(parts.account).toMatchObject({ username: NAME, email: 'new.zaphod.canary@example.com', bio: 'canary bio' });
    const text = JSON.stringify(parts);
    const [secrets] = await service.sql('SELECT password_hash, totp_secret, phone_digest FROM account WHERE id = $1', [
      persona.id,
    ]);
    for (const secret of Object.values(secrets ?? {})) {
      expect(text).not.toContain(Buffer.isBuffer(secret) ? secret.toString('hex') : secret);
    }
    expect(text).not.toContain(authenticator.secret.base32);
    expect(text).not.toMatch(/digest|_hash"/);

    const leaving = await service
      .as(persona)
      .post('/v1/users/@me/delete', { mfa_method: 'totp', mfa_code: authenticator.next() });
    ok(leaving);
    await waitForDelivery(service);
    await service.sql('UPDATE account SET deletion_at = now() WHERE id = $1', [persona.id]);
    await runCleanup(service);
    await service.sql("UPDATE media_garbage SET since = now() - interval '1 hour'");
    await runCleanup(service);

    const after = await count(ids);
    expect(named(({ after: fate }) => fate === 'removed').filter((table) => after[table] !== 0)).toEqual([]);
    expect(named(({ after: fate }) => fate === 'kept').filter((table) => after[table] === 0)).toEqual([]);
    expect(await leftovers()).toEqual([]);
    const [row] = await service.sql('SELECT * FROM account WHERE id = $1', [persona.id]);
    const { id, username, deletion_at, deleted_at, created_at, deletion_reason_code, epoch, address_epoch, ...more } =
      row as Row;
    const { profile_changed_at: profileChangedAt, ...rest } = more;
    expect([id, username, deletion_reason_code]).toEqual([persona.id, 'DeletedUser', 1]);
    expect([deletion_at, deleted_at, created_at, profileChangedAt]).toEqual(Array(4).fill(expect.any(Date)));
    const isBlank = (value: unknown) =>
      [null, false, 0, '0', 'en-US'].includes(value as never) || (Array.isArray(value) && value.length === 0);
    expect(Object.keys(rest).filter((column) => column !== 'flags' && !isBlank(rest[column]))).toEqual([]);
    expect(epoch).toBeGreaterThan(0);
  });

  test('a use of the account that was recorded before its erasure is not written after it', async () => {
    const { body } = await service.anonymous.post('/v1/auth/register', {
      email: 'late@example.com',
      password: 'a password of late use',
    });
    await service.sql('UPDATE account SET last_active_at = NULL, last_active_ip = NULL WHERE id = $1', [body.user_id]);
    expect((await service.as(body.token).get('/v1/users/@me')).status).toBe(200);
    await service.sql('UPDATE account SET deletion_at = now() WHERE id = $1', [body.user_id]);
    await runCleanup(service);
    await service.app.get(LastUsed).beforeApplicationShutdown();
    const [row] = await service.sql('SELECT deleted_at, last_active_ip FROM account WHERE id = $1', [body.user_id]);
    expect(row).toEqual({ deleted_at: expect.any(Date), last_active_ip: null });
  });

  test('an operation requested before the erasure and completed after it writes no personal data', async () => {
    const alice = await person(service, 'alice');
    await verifyEmail(service, alice);
    const me = service.as(alice);
    const authenticator = new Authenticator(service);
    const { password } = alice;
    const requested: Record<string, () => Promise<TestResponse>> = {
      profile: () => me.patch('/v1/users/@me', { bio: 'canary after the end', global_name: 'Canary' }),
      settings: () => me.patch('/v1/users/@me/settings', { custom: { canary: true } }),
      terms: () => me.post('/v1/users/@me/terms-acceptance'),
      authenticator: () =>
        me.post('/v1/users/@me/mfa/totp/enable', {
          ...{ secret: authenticator.secret.base32, code: authenticator.code(), password },
        }),
      address: () => me.post('/v1/users/@me/email-change/start'),
      disable: () => me.post('/v1/users/@me/disable', { password }),
      deletion: () => me.post('/v1/users/@me/delete', { password }),
    };
    await service.sql('UPDATE account SET deleted_at = now(), flags = $2 WHERE id = $1', [alice.id, String(1n << 34n)]);
    const whole = () =>
      service.sql('SELECT * FROM account a LEFT JOIN account_settings ON account_id = a.id WHERE a.id = $1', [
        alice.id,
      ]);
    const before = await whole();
    for (const [operation, ask] of Object.entries(requested)) {
      const { status, body } = await ask();
      expect([operation, status, body.code]).toEqual([operation, 403, 'ACCESS_DENIED']);
    }
    expect(await whole()).toEqual(before);
    expect(await service.sql('SELECT 1 FROM backup_code WHERE account_id = $1', [alice.id])).toEqual([]);
  });

  test('an account that cannot be removed stays complete and does not block the erasure of others', async () => {
    const register = async (email: string) =>
      (await service.anonymous.post('/v1/auth/register', { email, password: 'a password of one who goes' })).body;
    const [stuck, free] = [await register('stuck@example.com'), await register('free@example.com')];
    const eraser = service.app.get(FailingEraser, { strict: false });
    eraser.accountId = stuck.user_id;
    const due = [stuck.user_id, free.user_id];
    await service.sql("UPDATE account SET deletion_at = now() - interval '1 hour' WHERE id = $1", [stuck.user_id]);
    await service.sql('UPDATE account SET deletion_at = now() WHERE id = $1', [free.user_id]);
    const erased = async () => {
      await runCleanup(service);
      const rows = await service.sql('SELECT id FROM account WHERE id = ANY ($1) AND deleted_at IS NOT NULL', [due]);
      return rows.map(({ id }) => id);
    };
    expect(await erased()).toEqual([free.user_id]);
    expect((await service.as(stuck.token).get('/v1/users/@me')).body.email).toBe('stuck@example.com');
    expect(service.log.join('')).toContain('removing an account failed');
    await expect(eraseAccount(service, { id: stuck.user_id })).rejects.toThrow('a part of a module fails');
    expect((await service.as(stuck.token).get('/v1/users/@me')).body.email).toBe('stuck@example.com');
    eraser.accountId = undefined;
    expect((await erased()).sort()).toEqual([...due].sort());
  });

  test('other accounts keep their data: a secret that names the account belongs only to that account', async () => {
    const secrets = service.app.get(OneTimeSecrets);
    const { body: other } = await service.anonymous.post('/v1/auth/register', {
      email: 'other@example.com',
      password: 'a password of another',
    });
    const secret = await secrets.issue('probe-link', other.user_id, { accountId: other.user_id }, 60);
    const { body } = await service.anonymous.post('/v1/auth/register', {
      email: 'going@example.com',
      password: 'a password of one who goes',
    });
    await service.sql('UPDATE account SET deletion_at = now() WHERE id = $1', [body.user_id]);
    await runCleanup(service);
    expect(await secrets.peek('probe-link', secret)).not.toBeNull();
    expect((await service.as(other.token).get('/v1/users/@me')).status).toBe(200);
    await eventually('the mail of the other account', async () => {
      const rows = await service.sql('SELECT 1 FROM inbox_message WHERE account_id = $1', [other.user_id]);
      return rows.length > 0 || undefined;
    });
  });
});

/**
 * The number of rows that an adopting sign-in itself writes, by table. No other rows may remain in tables from which
 * an erasure removes rows.
 */
const WRITTEN_BY_ADOPTION: Readonly<Record<string, number>> = {
  account_settings: 1,
  session: 1,
  authorized_ip: 1,
  sso_identity: 1,
  outbox: 1,
  inbox_message: 1,
  // The events are the adoption and the sign-in. The secret is the link in the notice.
  ...{ security_event: 2, one_time_secret: 1 },
};
/** Columns in which an adopted account differs from a newly provisioned one. All other columns must be equal. */
const OWN_COLUMNS = [
  'id',
  'email',
  'username',
  'discriminator',
  'avatar_color',
  'epoch',
  'address_epoch',
  'created_at',
  'profile_changed_at',
];

describe('sso.md section 3 row 5 adoption', () => {
  test('leaves no data of the previous owner, in any table and column', async () => {
    const { persona, ids } = await wholeAccount('adopted.canary@example.com');
    const email = 'new.adopted.canary@example.com';
    const bounced = await service.as(await superuser(service)).put(`/v1/admin/users/${persona.id}/email-bounce`, {
      bounced: true,
    });
    ok(bounced);
    await setAcls(service, persona, []);
    await waitForDelivery(service);
    const before = await count(ids);
    expect(Object.keys(before).filter((table) => before[table] === 0)).toEqual([]);
    const rowOf = async (id: string) =>
      (
        await service.sql(
          `SELECT to_jsonb(a) AS account, to_jsonb(s) - 'account_id' AS settings
           FROM account a JOIN account_settings s ON s.account_id = a.id WHERE a.id = $1`,
          [id],
        )
      )[0] as Row;
    const former = (await rowOf(persona.id)).account;

    const claims = { name: 'Trillian Astra', preferred_username: 'trillian' };
    const { status, body } = await signInBySso(service, provider, { ...claims, email });
    expect([status, body.user_id]).toEqual([200, persona.id]);
    await waitForDelivery(service);
    const { body: other } = await signInBySso(service, provider, { ...claims, email: 'tricia@example.com' });
    await waitForDelivery(service);

    const after = await count(ids);
    const removed = named(({ after: fate }) => fate === 'removed');
    const kept = named(({ after: fate }) => fate === 'kept');
    const pick = (tables: string[], counts: Readonly<Record<string, number>>) =>
      Object.fromEntries(tables.map((table) => [table, counts[table] ?? 0]));
    expect(pick(removed, after)).toEqual(pick(removed, WRITTEN_BY_ADOPTION));
    expect(pick(kept, after)).toEqual(pick(kept, before));
    const [adopted, provisioned] = [await rowOf(persona.id), await rowOf(other.user_id)];
    expect(adopted.settings).toEqual(provisioned.settings);
    const isAsNew = (column: string) => adopted.account[column] === provisioned.account[column];
    const isEqual = (column: string) =>
      isAsNew(column) || JSON.stringify(adopted.account[column]) === JSON.stringify(provisioned.account[column]);
    const columns = Object.keys(adopted.account).filter((column) => !OWN_COLUMNS.includes(column));
    expect(columns.filter((column) => !isEqual(column))).toEqual([]);
    expect(adopted.account).toMatchObject({
      ...{ email, email_verified: true, username: 'trillian', global_name: 'Trillian Astra' },
      created_at: former.created_at,
    });
    expect(adopted.account.epoch).toBeGreaterThan(former.epoch);

    await service.sql("UPDATE media_garbage SET since = now() - interval '1 hour'");
    await runCleanup(service);
    const rest = (await leftovers()).filter(({ row }) => !String(row).includes(email));
    expect(rest).toEqual([]);
    expect((await service.as(persona).get('/v1/users/@me')).status).toBe(401);
  });
  test('a use by the previous owner that was recorded before the adoption is not written after it', async () => {
    const email = 'late.adopted@example.com';
    const { body } = await service.anonymous.post('/v1/auth/register', {
      email,
      password: 'a password of an impostor',
    });
    const identity = await service.app
      .get(IdentityResolver)
      .resolve({ kind: 'session', token: body.token }, '127.0.0.1');
    const uses = service.app.get(LastUsed);
    await uses.flushNow();
    await service.sql('UPDATE account SET last_active_at = NULL, last_active_ip = NULL WHERE id = $1', [body.user_id]);
    const { status, body: adopted } = await signInBySso(service, provider, { email });
    expect([status, adopted.user_id]).toEqual([200, body.user_id]);
    if (identity) uses.touch(identity, '203.0.113.66');
    await uses.flushNow();
    const [row] = await service.sql('SELECT last_active_at, last_active_ip FROM account WHERE id = $1', [body.user_id]);
    expect([identity?.account.id, row]).toEqual([body.user_id, { last_active_at: null, last_active_ip: null }]);
  });
});
