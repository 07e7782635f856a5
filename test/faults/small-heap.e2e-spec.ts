import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { migratedDatabase, query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { newWebhook, type Persona, person } from '../support/index.js';

const ROWS = 60_000;
/** An account owns at most 25 applications, so this many authorizations need 200 more accounts. */
const AUTHORIZATIONS = 5000;
/** The maximum size of a page of a list. */
const MAX_BYTES = 600_000;
const CLI = join(import.meta.dirname, '../../dist/src/cli.js');
const NODE_OPTIONS = '--max-old-space-size=256';

afterAll(endProcesses);

describeOnPostgres(
  'web.md 5: an account with 60,000 sessions, events, messages and networks, and a heap of 256 MiB',
  () => {
    const env = { NODE_OPTIONS, GATEHOUSE_SECRET: randomBytes(32).toString('base64'), DATABASE_URL: '' };
    let service: ServiceProcess;
    let root: Persona;
    let owner: Persona;
    let erased: Persona;

    beforeAll(async () => {
      Object.assign(env, await migratedDatabase());
      service = await ServiceProcess.ready(env);
      [root, owner, erased] = [
        await person(service, 'root'),
        await person(service, 'owner'),
        await person(service, 'erased'),
      ];
      await query(env.DATABASE_URL, "UPDATE account SET acls = '{*}' WHERE id = $1", [root.id]);
      for (const account of [owner, erased]) await fill(service, env.DATABASE_URL, account);
      await query(
        env.DATABASE_URL,
        `INSERT INTO audit_log (id, admin_user_id, action, target_type, target_id, metadata, request_id, created_at, sequence, hash)
       SELECT n, $1, 'update_flags', 'user', $2, jsonb_build_object('bio', repeat('x', 2000)), 'r', now(), 1000 + n, ''
       FROM generate_series(1, $3::int) n`,
        [root.id, owner.id, ROWS],
      );
      await query(
        env.DATABASE_URL,
        `INSERT INTO ip_ban (value, kind, reason)
       SELECT '2001:db8:' || to_hex(n) || '::/48', 'permanent', 'automatic' FROM generate_series(1, $1::int) n`,
        [ROWS],
      );
    });

    test('lists for its owner and for administrators are limited or complete, also in 8 parallel requests', async () => {
      const paths = [
        [owner, '/v1/auth/sessions'],
        [owner, '/v1/oauth2/@me/authorizations'],
        [owner, '/v1/users/@me/security-events?limit=100'],
        [owner, '/v1/users/@me/webhooks'],
        [root, `/v1/admin/users/${owner.id}`],
        [root, `/v1/admin/users/${owner.id}/sessions`],
        [root, `/v1/admin/users/${owner.id}/networks`],
        [root, `/v1/admin/users/${owner.id}/applications`],
        [root, `/v1/admin/users?q=${owner.id}`],
        [root, `/v1/admin/audit-logs?target_id=${owner.id}&limit=200`],
        [root, '/v1/admin/audit-logs?limit=200&offset=50000'],
        [root, '/v1/admin/blocklists/ip/entries'],
      ] as const;
      for (const [caller, path] of paths) {
        const sizes = await Promise.all(Array.from({ length: 8 }, () => sizeOf(service, caller, path)));
        expect([path, new Set(sizes).size]).toEqual([path, 1]);
        if (!path.endsWith('/authorizations')) expect([path, (sizes[0] ?? 0) < MAX_BYTES]).toEqual([path, true]);
      }
    });

    test('`user delete` erases it', async () => {
      const child = spawn(process.execPath, [CLI, 'user', 'delete', owner.id, '--yes'], {
        env: { PATH: process.env.PATH, DATA_DIR: service.directory, LOG_LEVEL: 'silent', ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const errors = text(child.stderr);
      expect([await once(child, 'close'), await errors]).toEqual([[0, null], '']);
      expect(await rowsOf(env.DATABASE_URL, owner)).toBe(0);
    });

    test('the service erases it at the deadline of its deletion', async () => {
      await query(env.DATABASE_URL, "UPDATE account SET deletion_at = now() - interval '1 minute' WHERE id = $1", [
        erased.id,
      ]);
      await until(async () => service.child.exitCode !== null || (await rowsOf(env.DATABASE_URL, erased)) === 0);
      expect(service.child.exitCode).toBeNull();
      await service.as(root).get('/v1/users/@me').expect(200);
    });
  },
);

/** Adds as many sessions, grants, messages, events and networks as an account can collect in years. */
async function fill(service: ServiceProcess, url: string, { id, authorization }: Persona) {
  const { id: hook } = await newWebhook(service, { authorization });
  const agent = 'x'.repeat(500);
  for (const [text, values] of [
    [
      `INSERT INTO webhook_message (id, webhook_id, username, content, expires_at)
       SELECT $1::bigint + n, $1, 'big', repeat('x', 2000), now() + interval '1 day' FROM generate_series(1, $2::int) n`,
      [hook, ROWS],
    ],
    [
      `INSERT INTO session (id, digest, account_id, ip, user_agent)
       SELECT $1::bigint + n, sha256(($1 || '/' || n)::bytea), $1, '127.0.0.1', $3 FROM generate_series(1, $2::int) n`,
      [id, ROWS, agent],
    ],
    [
      `INSERT INTO security_event (id, account_id, type, user_agent, data)
       SELECT $1::bigint + n, $1, 'signed_in', $3, '{}' FROM generate_series(1, $2::int) n`,
      [id, ROWS, agent],
    ],
    [
      `INSERT INTO application (id, owner_id, name, client_type)
       SELECT $1::bigint + n, NULL, repeat('x', 100), 'public' FROM generate_series(1, $2::int) n`,
      [id, AUTHORIZATIONS],
    ],
    [
      `INSERT INTO oauth_family (id, application_id, account_id, scopes, code_digest)
       SELECT $1::bigint + n, $1::bigint + n, $1, '{identify}', sha256(($1 || '/' || n)::bytea)
       FROM generate_series(1, $2::int) n`,
      [id, AUTHORIZATIONS],
    ],
    [
      `INSERT INTO oauth_token (id, digest, kind, family_id, application_id, account_id, scopes, expires_at)
       SELECT $1::bigint + n, sha256(($1 || 'token' || n)::bytea), 'refresh', $1::bigint + n, $1::bigint + n, $1,
         '{identify}', now() + interval '1 day' FROM generate_series(1, $2::int) n`,
      [id, AUTHORIZATIONS],
    ],
    [
      `INSERT INTO authorized_ip (account_id, ip_key)
       SELECT $1, '2001:db8:' || to_hex(n) || '::' FROM generate_series(1, $2::int) n`,
      [id, ROWS],
    ],
  ] as const) {
    await query(url, text, [...values]);
  }
}

/** The size of a complete response with status 200, which is not kept in memory. */
async function sizeOf(service: ServiceProcess, { authorization }: Persona, path: string): Promise<number> {
  const response = await fetch(service.url + path, { headers: { authorization } });
  let size = 0;
  for await (const chunk of response.body ?? []) size += (chunk as Uint8Array).length;
  expect([path, response.status]).toEqual([path, 200]);
  return size;
}

/** Counts the rows that belong to an account, besides its emptied row. */
async function rowsOf(url: string, { id }: Persona): Promise<number> {
  const [row] = await query(
    url,
    `SELECT (SELECT count(*) FROM session WHERE account_id = $1) + (SELECT count(*) FROM security_event WHERE account_id = $1)
       + (SELECT count(*) FROM oauth_family WHERE account_id = $1) + (SELECT count(*) FROM authorized_ip WHERE account_id = $1)
       + (SELECT count(*) FROM webhook WHERE owner_id = $1) + (SELECT count(*) FROM webhook_message m WHERE NOT EXISTS
           (SELECT 1 FROM webhook w WHERE w.id = m.webhook_id))
       + (SELECT count(*) FROM account WHERE id = $1 AND deleted_at IS NULL) AS count`,
    [id],
  );
  return Number(row?.count);
}
