import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { migratedDatabase, query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { endProcesses, ServiceProcess } from '../machine/service-process.js';
import { newHook, person } from '../support/index.js';

const MESSAGES = 60_000;
const HEAP_MIB = 256;

afterAll(endProcesses);

describeOnPostgres('web.md 5: an export of 60,000 messages', () => {
  test('is sent whole by a process with a heap of 256 MiB, which serves others in the meantime', async () => {
    const { DATABASE_URL = '' } = await migratedDatabase();
    const service = await ServiceProcess.ready({ DATABASE_URL, NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` });
    const [owner, other] = [await person(service, 'owner'), await person(service, 'other')];
    const hook = await newHook(service, owner);
    await query(
      DATABASE_URL,
      `INSERT INTO webhook_message (id, webhook_id, username, content, expires_at)
       SELECT $1::bigint + n, $1, 'big', repeat('x', 2000), now() + interval '1 day' FROM generate_series(1, $2::int) n`,
      [hook.id, MESSAGES],
    );
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
});

/** Reads an export line by line, because it does not fit into memory. */
async function exportOf(service: ServiceProcess, owner: { authorization: string; password: string }) {
  const response = await fetch(`${service.url}/v1/users/@me/export`, {
    method: 'POST',
    headers: { authorization: owner.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ password: owner.password }),
  });
  expect(response.status).toBe(200);
  let messages = 0;
  let last = '';
  for await (const line of createInterface({ input: Readable.from(response.body ?? []) })) {
    if (line.includes('"webhook_id"')) {
      expect(JSON.parse(line.replace(/,$/, '')).content).toHaveLength(2000);
      messages++;
    }
    last = line;
  }
  return { messages, last };
}
