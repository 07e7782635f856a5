import { emptyDatabase, query } from '../machine/databases.js';
import {
  DedicatedServer,
  describeWithDedicatedPostgres,
  describeWithDedicatedRedis,
} from '../machine/dedicated-server.js';
import { endProcesses, identify, ServiceProcess, until } from '../machine/service-process.js';
import { expectApiError, type Persona, person, signIn, type TestResponse } from '../support/index.js';

const ROUNDS = Number(process.env.RESTART_ROUNDS ?? 1);
const PASSWORD = 'a long enough password';

const me = (service: ServiceProcess, token: string) => service.as(token).get('/v1/users/@me');

/** Repeats `load` in parallel while `course` runs. The caller checks the results afterwards. */
async function under(load: (index: number) => Promise<void>, course: () => Promise<void>): Promise<void> {
  let next = 0;
  let isOver = false;
  const callers = Array.from({ length: 8 }, async () => {
    while (!isOver) await load(next++);
  });
  await course().finally(() => {
    isOver = true;
  });
  await Promise.all(callers);
}

describeWithDedicatedPostgres('FLT-06, FLT-07 a PostgreSQL server that restarts', () => {
  let server: DedicatedServer;
  let first: ServiceProcess;
  let second: ServiceProcess;
  let alice: Persona;

  beforeAll(async () => {
    server = await DedicatedServer.postgres();
    // The load signs in without pause. None of the many sessions may end because of the session limit.
    const env = { DATABASE_URL: server.url, ARGON2_CONCURRENCY: '1', SESSIONS_PER_ACCOUNT: '10000' };
    [first, second] = [ServiceProcess.start(env), ServiceProcess.start(env)];
    await Promise.all([first.waitForBanner(), second.waitForBanner()]);
    alice = await person(first, 'alice');
  });
  afterAll(async () => {
    await endProcesses();
    await server.close();
  });

  /** Waits until both processes listen for notifications. */
  const bothListen = () =>
    until(async () => {
      const rows = await query(server.url, `SELECT FROM pg_stat_activity WHERE application_name = 'gatehouse notices'`);
      return rows.length === 2;
    });

  /** Waits until both processes report that they are ready. Each one detects the recovery separately. */
  const bothReady = () =>
    until(async () => {
      const requested = [first, second].map((service) => service.anonymous.get('/health/ready'));
      return (await Promise.all(requested)).every(({ status }) => status === 200);
    });

  function expectHonest(responses: readonly TestResponse[]): void {
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expectApiError(response, 'SERVICE_UNAVAILABLE');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  }

  // The signals that `pg_ctl stop` sends with `-m fast` and with `-m immediate`.
  for (const [mode, signal] of [
    ['stopped', 'SIGINT'],
    ['crashed', 'SIGQUIT'],
  ] as const) {
    test(`${mode} in the middle of requests: 503 with Retry-After, then all acknowledged changes exist`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const held = await identify(second, await signIn(first, alice));
        const ended = await signIn(first, alice);
        const doomed = await identify(second, ended);
        const responses = { register: [] as TestResponse[], login: [] as TestResponse[], read: [] as TestResponse[] };
        const load = async (index: number) => {
          const service = index % 2 ? first : second;
          const account = { email: `${mode}.${round}.${index}@example.com`, password: PASSWORD };
          const login = { email: alice.email, password: alice.password };
          responses.register.push(await service.anonymous.post('/v1/auth/register', account));
          responses.login.push(await service.anonymous.post('/v1/auth/login', login));
          responses.read.push(await me(service, alice.authorization));
        };
        const given = (status: number) =>
          [responses.register, responses.login].map(
            (some) => some.filter((response) => response.status === status).length,
          );
        const more = async (status: number) => {
          const before = given(status);
          await until(async () => given(status).every((count, kind) => count >= (before[kind] ?? 0) + 4));
        };
        await under(load, async () => {
          await more(200);
          await server.stop(signal);
          await more(503);
          for (const service of [first, second]) {
            expect((await service.anonymous.get('/health/live')).status).toBe(200);
            expectApiError(await service.anonymous.get('/health/ready'), 'SERVICE_UNAVAILABLE');
          }
          await server.start();
          await more(200);
          await bothReady();
        });
        expectHonest(Object.values(responses).flat());
        for (const { status, body } of [...responses.register, ...responses.login]) {
          if (status !== 200) continue;
          for (const service of [first, second]) {
            const read = await me(service, body.token);
            expect([read.status, read.body.id]).toEqual([200, body.user_id]);
          }
        }
        for (const { status, body } of responses.read) if (status === 200) expect(body.id).toBe(alice.id);

        const bye = await first.as(ended).post('/v1/auth/logout');
        expect([bye.status, bye.body]).toEqual([204, undefined]);
        expect(await doomed.closed).toEqual([4004, 'Invalid token']);
        expect(held.socket.readyState).toBe(held.socket.OPEN);
        held.socket.terminate();
      }
    });

    test(`${mode}: afterwards a revocation on one process reaches the sockets of the other`, async () => {
      await bothListen();
      // A catch-up query after the reconnect may close the first socket. The later ones close only if notifications
      // arrive again.
      for (let round = 0; round < 5; round++) {
        const session = await signIn(first, alice);
        const { closed } = await identify(second, session);
        expect((await first.as(session).post('/v1/auth/logout')).status).toBe(204);
        expect(await closed).toEqual([4004, 'Invalid token']);
        expectApiError(await me(second, session), 'UNAUTHORIZED');
      }
    });
  }

  test('neither process had to be restarted, and neither printed an error', () => {
    for (const { child, err } of [first, second])
      expect([child.exitCode, child.signalCode, err]).toEqual([null, null, '']);
  });
});

const LIMIT = 5;

describeWithDedicatedRedis('FLT-20 a Redis server that restarts', () => {
  let server: DedicatedServer;
  let first: ServiceProcess;
  let second: ServiceProcess;
  let alice: Persona;
  let ben: Persona;
  let addresses = 0;

  beforeAll(async () => {
    server = await DedicatedServer.redis();
    const env = {
      ...(process.env.TEST_DATABASE_URL ? { DATABASE_URL: await emptyDatabase() } : {}),
      REDIS_URL: server.url,
      RATE_LIMITS: 'on',
      RATE_LIMIT_OVERRIDES: JSON.stringify({ 'instance:info': `${LIMIT}/3600` }),
    };
    first = await ServiceProcess.ready(env);
    second = await ServiceProcess.ready(env);
    alice = await person(first, 'alice');
    ben = await person(first, 'ben');
  });
  afterAll(async () => {
    await endProcesses();
    await server.close();
  });

  const visitors = () => {
    const address = `127.0.60.${++addresses}`;
    return (service: ServiceProcess) => service.anonymous.from(address).get('/.well-known/oauth-authorization-server');
  };

  async function admitted(service: ServiceProcess, visit: (service: ServiceProcess) => Promise<TestResponse>) {
    for (let count = 0; ; count++) {
      const response = await visit(service);
      if (response.status !== 200) {
        expectApiError(response, 'RATE_LIMITED', { global: false });
        return count;
      }
    }
  }

  const areShared = async () => {
    const visit = visitors();
    const remaining = async (service: ServiceProcess) =>
      Number((await visit(service)).headers.get('x-ratelimit-remaining'));
    return (await remaining(first)) - (await remaining(second)) === 1;
  };

  for (const [how, signal] of [
    ['stopped', 'SIGTERM'],
    ['killed', 'SIGKILL'],
  ] as const) {
    test(`${how} in the middle of requests: they continue, limits apply per process, and are shared again later`, async () => {
      await until(areShared);
      const shared = visitors();
      expect(await admitted(first, shared)).toBe(LIMIT);
      expect(await admitted(second, shared)).toBe(0);

      // This session belongs to ben, because the load uses up alice's rate limit.
      const session = await signIn(first, ben);
      const { closed, socket } = await identify(first, session);
      const statuses = new Map<number, number>();
      const load = async () => {
        const { status } = await me(first, alice.authorization);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      };
      const more = async () => {
        const before = statuses.get(200) ?? 0;
        await until(async () => (statuses.get(200) ?? 0) >= before + 20);
      };
      await under(load, async () => {
        await more();
        await server.stop(signal);
        await more();
        const alone = visitors();
        expect(await admitted(first, alone)).toBe(LIMIT);
        expect(await admitted(second, alone)).toBe(LIMIT);
        await server.start();
        await until(areShared);
        await more();
      });
      // The callers exceed the limit of 50 requests per second and account. No other error may occur.
      expect([...statuses.keys()].filter((status) => status !== 200 && status !== 429)).toEqual([]);

      const again = visitors();
      expect(await admitted(second, again)).toBe(LIMIT);
      expect(await admitted(first, again)).toBe(0);

      expect(socket.readyState).toBe(socket.OPEN);
      expect((await first.as(session).post('/v1/auth/logout')).status).toBe(204);
      expect(await closed).toEqual([4004, 'Invalid token']);
    });
  }

  test('neither process had to be restarted, and neither printed an error', () => {
    for (const { child, err } of [first, second])
      expect([child.exitCode, child.signalCode, err]).toEqual([null, null, '']);
  });
});
