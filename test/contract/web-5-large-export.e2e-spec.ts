import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { migratedDatabase, query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { endProcesses, ServiceProcess } from '../machine/service-process.js';
import { newWebhook, type Persona, person } from '../support/index.js';

const MESSAGES = 60_000;
const CLI = join(import.meta.dirname, '../../dist/src/cli.js');
const NODE_OPTIONS = '--max-old-space-size=256';

afterAll(endProcesses);

describeOnPostgres('web.md 5: an export of 60,000 messages with a heap of 256 MiB', () => {
  const env = { NODE_OPTIONS, GATEHOUSE_SECRET: randomBytes(32).toString('base64'), DATABASE_URL: '' };
  let service: ServiceProcess;
  let owner: Persona;
  let other: Persona;

  beforeAll(async () => {
    Object.assign(env, await migratedDatabase());
    service = await ServiceProcess.ready(env);
    [owner, other] = [await person(service, 'owner'), await person(service, 'other')];
    const hook = await newWebhook(service, owner);
    await query(
      env.DATABASE_URL,
      `INSERT INTO webhook_message (id, webhook_id, username, content, expires_at)
       SELECT $1::bigint + n, $1, 'big', repeat('x', 2000), now() + interval '1 day' FROM generate_series(1, $2::int) n`,
      [hook.id, MESSAGES],
    );
  });

  test('is sent completely, while other requests are served', async () => {
    let isOver = false;
    const exporting = exportOf(service, owner).finally(() => {
      isOver = true;
    });
    let served = 0;
    while (!isOver) {
      await service.as(other).get('/v1/users/@me').expect(200);
      served++;
    }
    expect(await exporting).toEqual({ messages: MESSAGES, last: '}' });
    expect(served).toBeGreaterThan(10);
    expect(service.child.exitCode).toBeNull();
  });

  test('is printed completely by `user export`', async () => {
    const DATA_DIR = service.directory;
    const child = spawn(process.execPath, [CLI, 'user', 'export', owner.id], {
      env: { PATH: process.env.PATH, DATA_DIR, LOG_LEVEL: 'silent', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    const errors = text(child.stderr);
    expect(await countMessages(child.stdout)).toEqual({ messages: MESSAGES, last: '}' });
    expect([await ended, await errors]).toEqual([[0, null], '']);
    const [entry] = await query(
      env.DATABASE_URL,
      "SELECT count(*)::int AS count FROM audit_log WHERE action = 'export_account' AND target_id = $1",
      [owner.id],
    );
    expect(entry).toEqual({ count: 1 });
  });
});

async function exportOf(service: ServiceProcess, owner: Persona) {
  const response = await fetch(`${service.url}/v1/users/@me/export`, {
    method: 'POST',
    headers: { authorization: owner.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ password: owner.password }),
  });
  expect(response.status).toBe(200);
  return countMessages(Readable.from(response.body ?? []));
}

/** Reads an export line by line, because it does not fit into memory. */
async function countMessages(input: Readable) {
  let messages = 0;
  let last = '';
  for await (const line of createInterface({ input })) {
    if (line.includes('"webhook_id"')) {
      expect(JSON.parse(line.replace(/,$/, '')).content).toHaveLength(2000);
      messages++;
    }
    last = line;
  }
  return { messages, last };
}
