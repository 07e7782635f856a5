import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { migratedDatabase, query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { memoryOf } from '../machine/process-memory.js';
import { endProcesses, identify, ServiceProcess } from '../machine/service-process.js';
import { type Persona, person } from '../support/index.js';
import { pathOf, uploadFile } from '../support/media.js';

const LIMIT_MIB = 512;
/** The limits that Node.js gives its heap in a container of this size. */
const HEAP = `--max-old-space-size=${LIMIT_MIB / 2} --max-semi-space-size=1`;
const SECONDS = Number(process.env.MEMORY_SECONDS ?? 10);
const EVENTS = 20_000;
const SOCKETS = 100;

afterAll(endProcesses);

/** A photograph whose decoder needs all pixels at once. */
const photograph = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#888' } })
    .jpeg({ progressive: true })
    .toBuffer();

describeOnPostgres('docs/guides/operators/capacity.md: the memory of a process', () => {
  test(`${LIMIT_MIB} MiB and one core: sign-ins, images and exports get 503 instead of more memory`, async () => {
    const { DATABASE_URL = '' } = await migratedDatabase();
    const service = await ServiceProcess.ready({
      DATABASE_URL,
      NODE_OPTIONS: `--require ${join(import.meta.dirname, '../machine/fake-cgroup.cjs')} ${HEAP}`,
      FAKE_CGROUP: `${LIMIT_MIB},1`,
      MEDIA_CACHE_BYTES: '0',
    });
    const { pid = 0 } = service.child;
    // Without taskset, the load of two cores is higher.
    spawnSync('taskset', ['-acp', '0', String(pid)]);
    const people: Persona[] = [];
    for (let n = 0; n < 4; n++) people.push(await person(service));
    const [visitor, ...owners] = people as [Persona, Persona, Persona, Persona];
    await query(
      DATABASE_URL,
      `INSERT INTO security_event (id, account_id, type, user_agent, data)
       SELECT account::bigint + n, account::bigint, 'signed_in', repeat('x', 500), '{}'
       FROM unnest($1::text[]) AS account, generate_series(1, $2::int) AS n`,
      [owners.map(({ id }) => id), EVENTS],
    );
    const paths: string[] = [];
    // The last one needs more memory than an image process may use.
    for (const [width, height] of [
      [3000, 2000],
      [4000, 3000],
      [8000, 7000],
    ] as const) {
      const { url } = await uploadFile(service, owners[0], 'a.jpg', await photograph(width, height));
      paths.push(pathOf(url));
    }
    for (let n = 0; n < SOCKETS; n++) await identify(service, owners[0].authorization);

    const responses: Record<string, number> = {};
    let isOver = false;
    const load = (name: string, clients: number, send: (n: number) => Promise<Response>): Promise<unknown> =>
      Promise.all(
        Array.from({ length: clients }, async (_, client) => {
          for (let n = client; !isOver; n += clients) {
            const response = await send(n);
            await response.arrayBuffer();
            const key = `${name} ${response.status}`;
            responses[key] = (responses[key] ?? 0) + 1;
          }
        }),
      );
    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      fetch(service.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const work = Promise.all([
      load('sign-in', 100, () => post('/v1/auth/login', { email: visitor.email, password: visitor.password })),
      load('image', 30, (n) => fetch(`${service.url}${paths[n % 3]}?width=${100 + (n % 2000)}&format=webp`)),
      load('export', 6, (n) => {
        const { password, authorization } = owners[n % 3] as Persona;
        return post('/v1/users/@me/export', { password }, { authorization });
      }),
    ]);
    let highest: number[] = [];
    const sum = (list: number[]): number => list.reduce((total, each) => total + each, 0);
    const end = performance.now() + SECONDS * 1000;
    while (performance.now() < end && service.child.exitCode === null) {
      const memory = memoryOf(pid);
      if (sum(memory) > sum(highest)) highest = memory;
      await delay(20);
    }
    isOver = true;
    await work;
    const parts = `service and image processes: ${highest.join(', ')}`;
    process.stdout.write(`at most ${sum(highest)} MiB (${parts}), ${JSON.stringify(responses)}\n`);
    expect(sum(highest)).toBeLessThan(LIMIT_MIB);
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['sign-in 200', 'sign-in 503', 'image 200', 'image 503', 'export 200']),
    );
    expect(Object.keys(responses).filter((key) => !/ (?:200|400|429|503|504)$/.test(key))).toEqual([]);
    expect(await service.stop()).toBe(0);
  });
});
