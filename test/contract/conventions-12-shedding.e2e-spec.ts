import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get, Module } from '@nestjs/common';
import { type BoundedQueue, Passwords } from '../../src/auth/factors/passwords.service.js';
import { MetricsReader } from '../../src/core/metrics.js';
import { Database } from '../../src/platform/database/database.js';
import { Public } from '../../src/policy/decorators.js';
import {
  expectApiError,
  type Gatehouse,
  gatehouse,
  logIn,
  type Persona,
  pathOf,
  person,
  RawConnection,
  uploadFile,
} from '../support/index.js';

let arrived: () => void = () => {};
let release: () => void = () => {};
let held: Promise<void> = Promise.resolve();

@Controller('v1/probe')
class ProbeController {
  constructor(private readonly database: Database) {}

  @Get('held')
  @Public()
  async hold() {
    arrived();
    await held;
    return {};
  }

  /** Runs a statement with a missing parameter value, which fails with 08P01. */
  @Get('wrong')
  @Public()
  async wrong() {
    await this.database.manager.query('SELECT $1::text, $2::text', ['one']);
    return {};
  }
}

@Module({ controllers: [ProbeController] })
class ProbeModule {}

let service: Gatehouse;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse({
    modules: [ProbeModule],
    env: {
      ARGON2_CONCURRENCY: '1',
      ARGON2_QUEUE: '0',
      DATABASE_POOL_SIZE: '2',
      LOGIN_ALLOWANCES: 'on',
      METRICS_ALLOW: '127.0.0.0/8',
    },
  });
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

function hold(): void {
  held = new Promise((resolve) => {
    release = resolve;
  });
}

describe('conventions.md 12: password hashing', () => {
  /** Runs `work` while no password can be hashed and no statement can be run. */
  async function whileFull(work: () => Promise<void>): Promise<void> {
    hold();
    const { queue } = service.app.get(Passwords) as unknown as { queue: BoundedQueue };
    const database = service.app.get(Database);
    const hashing = queue.run(() => held);
    let inside = 0;
    const transactions = Array.from({ length: database.isEmbedded ? 1 : 2 }, () =>
      database.transaction(async (tx) => {
        await tx.query('SELECT 1');
        inside++;
        await held;
      }),
    );
    while (inside < transactions.length) await delay(5);
    try {
      await work();
    } finally {
      release();
      await Promise.all([hashing, ...transactions]);
    }
  }

  test('with a full queue, a login is rejected before any statement and before an allowance is charged', async () => {
    const shed = async () =>
      (await service.app.get(MetricsReader).series('gatehouse_shed_total')).find(
        ({ labels }) => labels.queue === 'password_hashes',
      )?.value ?? Number.NaN;
    const before = await shed();
    await whileFull(async () => {
      for (let attempt = 0; attempt < 8; attempt++) {
        const response = await logIn(service, alice);
        expectApiError(response, 'SERVICE_UNAVAILABLE');
        expect(response.headers.get('retry-after')).toBe('1');
      }
      expect(await shed()).toBe(before + 8);
      const failed = service.log.map((line) => JSON.parse(line)).findLast(({ msg }) => msg === 'request failed');
      expect(failed).toMatchObject({ level: 40, cause: 'too many password hashes (ARGON2_QUEUE)' });
      const input = { email: 'new@example.com', password: 'a long enough password' };
      const registered = await service.anonymous.post('/v1/auth/register', input);
      expectApiError(registered, 'SERVICE_UNAVAILABLE');
      expect(registered.headers.get('retry-after')).toBe('1');
    });
    expect((await logIn(service, alice)).status).toBe(200);
  });
});

describe('conventions.md 12: errors that are not an outage', () => {
  test('a statement that violates the protocol is an error of the service, not of the database', async () => {
    const response = await service.anonymous.get('/v1/probe/wrong');
    expectApiError(response, 'INTERNAL_SERVER_ERROR');
    expect(response.headers.has('retry-after')).toBe(false);
    expect(service.log.filter((line) => line.includes('"request failed"') && line.includes('08P01'))).toHaveLength(1);
  });
});

describe('conventions.md 4: a client that disconnected', () => {
  const lines = (route: string): { status: number; outcome?: string; level: number }[] =>
    service.log.map((line) => JSON.parse(line)).filter((line) => line.route === route && 'status' in line);

  const counted = async (route: string): Promise<string[]> =>
    ((await service.anonymous.get('/metrics')).text as string)
      .split('\n')
      .filter((line) => line.startsWith('gatehouse_http_request_seconds_count') && line.includes(`route="${route}"`));

  test('is not counted as a success, in the log and in the metrics', async () => {
    hold();
    const isInside = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const connection = await RawConnection.open(service);
    connection.send('GET /v1/probe/held HTTP/1.1\r\nHost: x\r\n\r\n');
    await isInside;
    connection.close();
    while (lines('/v1/probe/held').length === 0) await delay(5);
    release();
    expect(lines('/v1/probe/held')).toEqual([expect.objectContaining({ status: 499, outcome: 'CLIENT_GONE' })]);
    const series = await counted('/v1/probe/held');
    expect(series).toHaveLength(1);
    expect(series[0]).toContain('status="499"');
  });

  test('is not counted as a success in the middle of a download either', async () => {
    const { url } = await uploadFile(service, alice, 'large.bin', Buffer.alloc(24 * 1024 * 1024));
    const connection = await RawConnection.open(service);
    connection.send(`GET ${pathOf(url)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await connection.until('\r\n\r\n');
    connection.close();
    const found = () =>
      service.log.map((line) => JSON.parse(line)).filter(({ route: at }) => at?.startsWith('/media/attachments'));
    while (found().length === 0) await delay(5);
    expect(found()).toEqual([expect.objectContaining({ status: 499, outcome: 'CLIENT_GONE' })]);
  });
});
