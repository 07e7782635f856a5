import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { restartDelayMs } from '../../src/workers/primary.js';
import { emptyDatabase } from '../machine/databases.js';
import { sendPartialRequest } from '../machine/partial-request.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { emptyRedis, hasRedis, redisDatabase } from '../machine/redis.js';
import { ResumingClient } from '../machine/resuming-client.js';
import { endProcesses, identify, ServiceProcess, until } from '../machine/service-process.js';
import { copyTemplate } from '../support/gatehouse.js';
import { type Persona, person, signIn } from '../support/index.js';

const REDIS_URL = redisDatabase(15);
const TEAM = join(import.meta.dirname, '../fixtures', 'workers', 'main.mjs');
/** Allowed sign-in attempts for one account in 15 minutes. */
const ATTEMPTS = 5;
const ME = '/v1/users/@me';
const SEPARATE_LIMITS =
  'WORKERS without REDIS_URL: each worker counts its share of every rate limit, and bans IP addresses by its own counts';

afterAll(endProcesses);

/** The child processes of a process that still run. */
function childrenOf({ child }: ServiceProcess): number[] {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

const isThere = (pid: number): boolean => {
  try {
    // A process that ended and that its parent has not waited for (a zombie) does not count.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

/** The log lines with this message. */
const said = ({ out }: ServiceProcess, message: string): Record<string, unknown>[] =>
  out
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === message);

interface Heard {
  readonly status: number;
  readonly id: string;
  readonly body: string;
}

/** Keeps one connection for all requests, so all of them go to one worker until it closes the connection. */
class Line {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    private readonly service: ServiceProcess,
    private readonly localAddress?: string,
  ) {}

  ask(path: string, authorization?: string, method = 'GET', body?: object): Promise<Heard> {
    return new Promise((resolve, reject) => {
      const headers = {
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const { agent, localAddress } = this;
      const options = { method, headers, agent, timeout: 60_000, ...(localAddress ? { localAddress } : {}) };
      const sent = request(`${this.service.url}${path}`, options);
      sent.on('error', reject);
      sent.on('timeout', () => sent.destroy(new Error('no answer')));
      sent.on('response', (response) => {
        const { statusCode: status = 0, headers: reported } = response;
        text(response).then((found) => resolve({ status, id: String(reported['x-request-id']), body: found }), reject);
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** The worker that has the connection. It is the one that logs the error. */
  async worker(): Promise<number> {
    const { id } = await this.ask(ME);
    const line = () => said(this.service, 'request rejected').find(({ request_id }) => request_id === id);
    await until(() => line() !== undefined);
    return Number(line()?.worker);
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Opens a connection to each worker. */
async function lineToEach(service: ServiceProcess, localAddress?: string, count = 2): Promise<[Line, Line]> {
  const found = new Map<number, Line>();
  while (found.size < count) {
    const line = new Line(service, localAddress);
    const worker = await line.worker();
    if (found.has(worker)) line.close();
    else found.set(worker, line);
  }
  return [...found.values()] as [Line, Line];
}

/** The value of a metric for all workers, summed over all series that contain `labels`. */
async function metric(service: ServiceProcess, name: string, labels = ''): Promise<number> {
  const { body } = await ask(service, '/metrics');
  const lines = body.split('\n').filter((line) => line.startsWith(name) && line.includes(labels));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Sends a request on its own connection. */
async function ask(service: ServiceProcess, path: string, authorization?: string): Promise<Heard> {
  const line = new Line(service);
  try {
    return await line.ask(path, authorization);
  } finally {
    line.close();
  }
}

const REQUESTS = 'gatehouse_http_request_seconds_count';
const OF_ME = 'route="/v1/users/@me",policy="Authenticated",status="200"';

describeOnPostgres(`two workers${hasRedis ? ' with Redis' : ', without Redis'}`, () => {
  let service: ServiceProcess;
  let alice: Persona;

  beforeAll(async () => {
    if (hasRedis) await emptyRedis(REDIS_URL);
    service = await ServiceProcess.ready({
      DATABASE_URL: await emptyDatabase(),
      WORKERS: '2',
      LOG_LEVEL: 'info',
      LOGIN_ALLOWANCES: 'on',
      ...(hasRedis ? { REDIS_URL } : {}),
    });
    alice = await person(service, 'alice');
    await until(() => said(service, 'workers started').length === 1);
  });

  test('they are separate processes on one port, and only one greets and migrates', async () => {
    const pids = childrenOf(service);
    expect(pids).toHaveLength(2);
    expect(new URL(service.url).port).not.toBe('0');
    expect(service.out.match(/^Listening /gm)).toHaveLength(1);
    expect(service.out.match(/shown only now/g)).toHaveLength(1);
    const lines = await lineToEach(service);
    expect(await Promise.all(lines.map((line) => line.worker()))).toEqual(expect.arrayContaining([1, 2]));
    for (const line of lines) {
      expect((await line.ask('/health/ready')).status).toBe(200);
      expect((await line.ask(ME, alice.authorization)).status).toBe(200);
      line.close();
    }
    expect(await metric(service, 'gatehouse_workers')).toBe(2);
    expect(service.err).toBe('');
  });

  test('each worker reports the metrics of all', async () => {
    const before = await metric(service, REQUESTS, OF_ME);
    const lines = await lineToEach(service);
    for (const line of lines) for (let n = 0; n < 10; n++) await line.ask(ME, alice.authorization);
    for (const line of lines) {
      const { body } = await line.ask('/metrics');
      const counts = body.split('\n').filter((found) => found.startsWith(REQUESTS) && found.includes(OF_ME));
      expect(counts.map((found) => Number(found.split(' ').at(-1)))).toEqual([before + 20]);
      line.close();
    }
  });

  test('a revocation by one is applied by the other', async () => {
    const [one, other] = await lineToEach(service);
    for (let round = 0; round < 5; round++) {
      const session = await signIn(service, await person(service, 'revoked'));
      expect((await other.ask(ME, session)).status).toBe(200);
      expect((await one.ask('/v1/auth/logout', session, 'POST')).status).toBe(204);
      const { status, body } = await other.ask(ME, session);
      expect([status, JSON.parse(body).code]).toEqual([401, 'UNAUTHORIZED']);
    }
    const session = await signIn(service, await person(service, 'connected'));
    const sockets = await Promise.all([identify(service, session), identify(service, session)]);
    await one.ask('/v1/auth/logout', session, 'POST');
    for (const { closed } of sockets) expect(await closed).toEqual([4004, 'Invalid token']);
    for (const line of [one, other]) line.close();
  });

  test(`limits are ${hasRedis ? 'shared' : 'divided'}`, async () => {
    const { email } = await person(service, 'guessed');
    const lines = await lineToEach(service, '127.0.70.1');
    const admitted = await Promise.all(
      lines.map(async (line) => {
        for (let count = 0; ; count++) {
          const { status } = await line.ask('/v1/auth/login', undefined, 'POST', { email, password: 'not this one' });
          if (status === 429) return count;
          expect(status).toBe(400);
        }
      }),
    );
    expect((admitted[0] ?? 0) + (admitted[1] ?? 0)).toBe(ATTEMPTS);
    if (!hasRedis) expect(Math.min(...admitted)).toBe(Math.floor(ATTEMPTS / 2));
    for (const line of lines) line.close();
  });

  test('separate limits are logged once as a warning, shared ones are not', () => {
    const warnings = said(service, SEPARATE_LIMITS);
    expect(warnings.map(({ level, workers }) => ({ level, workers }))).toEqual(
      hasRedis ? [] : [{ level: expect.anything(), workers: 2 }],
    );
  });

  test('SIGHUP replaces every worker and fails no request; gateway sessions continue', async () => {
    const before = await metric(service, REQUESTS, OF_ME);
    const former = childrenOf(service);
    const bob = await person(service, 'bob');
    const client = new ResumingClient(bob.authorization, () => service);
    await client.start();
    let isOver = false;
    const received: unknown[] = [];
    let sent = 0;
    const callers = Array.from({ length: 8 }, async (_, n) => {
      let line = new Line(service);
      while (!isOver) {
        sent++;
        received.push(await line.ask(ME, bob.authorization).then(({ status }) => status, String));
        // Half of the callers keep their connections.
        if (n % 2 === 0) continue;
        line.close();
        line = new Line(service);
      }
      line.close();
    });

    const idle = new Line(service);
    await idle.ask(ME, alice.authorization);
    sent++;

    service.child.kill('SIGHUP');
    await until(() => said(service, 'all workers replaced').length === 1);
    isOver = true;
    await Promise.all(callers);
    expect(received.filter((status) => status !== 200)).toEqual([]);
    expect(received.length).toBeGreaterThan(50);
    // The service closed this connection while it was idle.
    expect((await idle.ask(ME, alice.authorization)).status).toBe(200);
    sent++;
    idle.close();

    const present = childrenOf(service);
    expect(present).toHaveLength(2);
    expect(present.filter((pid) => former.includes(pid))).toEqual([]);
    expect(await metric(service, REQUESTS, OF_ME)).toBe(before + sent);
    await until(() => client.isAttached && client.isOpen);
    // The service requested every close (4000). The exception is a session that no other worker has (1006).
    expect(client.ends.get(4000)).toBeGreaterThanOrEqual(1);
    expect([...client.ends.keys()].filter((code) => code !== 4000)).toEqual(hasRedis ? [] : [1006]);
    if (hasRedis) expect([client.invalidations, client.resumes > 0]).toEqual([0, true]);
    else expect(client.invalidations).toBeGreaterThanOrEqual(1);
    client.close();
    expect(service.err).toBe('');
  });

  test('a worker that exits is replaced while the other serves, and its counters are kept', async () => {
    const [one, other] = await lineToEach(service);
    const before = await metric(service, REQUESTS, OF_ME);
    const [victim = 0, survivor] = childrenOf(service);
    // The connection that breaks belongs to the victim.
    process.kill(victim, 'SIGKILL');
    await until(() => said(service, 'worker exited unexpectedly').length === 1);
    expect(said(service, 'worker exited unexpectedly')[0]).toMatchObject({
      pid: victim,
      exit_code: null,
      signal: 'SIGKILL',
    });
    for (const line of [one, other]) expect((await line.ask(ME, alice.authorization)).status).toBe(200);
    expect(await metric(service, REQUESTS, OF_ME)).toBe(before + 2);
    await until(async () => (await metric(service, 'gatehouse_workers')) === 2);
    expect(childrenOf(service)).toContain(survivor);
    for (const line of [one, other, ...(await lineToEach(service))]) line.close();
  });

  test('a SIGHUP with invalid settings keeps the present workers', async () => {
    const pids = childrenOf(service);
    writeFileSync(join(service.directory, '.env'), 'PRODUCT_NAME="two\nlines"\n');
    service.child.kill('SIGHUP');
    await until(() => said(service, 'new worker did not become ready: the old workers keep running').length === 1);
    expect(service.err.trim().split('\n')).toEqual([
      'Invalid configuration:',
      expect.stringMatching(/^ {2}PRODUCT_NAME /),
    ]);
    expect(childrenOf(service)).toEqual(pids);
    expect((await ask(service, ME, alice.authorization)).status).toBe(200);
    service.err = '';
  });

  test('SIGTERM to all of them: running requests finish, sockets close with op 7, exit code 0', async () => {
    const { closed } = await identify(service, alice.authorization);
    const password = 'a long enough password';
    const late = await sendPartialRequest(service.url, { email: 'late@example.com', password, username: 'late' });
    const pids = childrenOf(service);
    for (const pid of [...pids, service.child.pid as number]) process.kill(pid, 'SIGTERM');
    expect(await closed).toEqual([4000, 'Session drain requested; reconnect to continue']);
    expect(pids.filter(isThere)).not.toEqual([]);
    late.finish();
    expect(await late.answer).toEqual([200, expect.objectContaining({ token: expect.stringMatching(/^flx_/) })]);
    expect(await service.exited).toBe(0);
    expect(pids.filter(isThere)).toEqual([]);
    expect(service.err).toBe('');
  });
});

describeOnPostgres('WORKERS=3 without Redis', () => {
  let service: ServiceProcess;

  beforeAll(async () => {
    const env = { WORKERS: '3', LOG_LEVEL: 'info', LOGIN_ALLOWANCES: 'on' };
    service = await ServiceProcess.ready({ DATABASE_URL: await copyTemplate(), ...env });
    await until(() => said(service, 'workers started').length === 1);
  });

  /** How many sign-in attempts each worker admits for one account. */
  async function admittedByEach(localAddress: string): Promise<number[]> {
    const { email } = await person(service);
    const admitted: number[] = [];
    for (const line of await lineToEach(service, localAddress, 3)) {
      let count = 0;
      for (; ; count++) {
        const { status } = await line.ask('/v1/auth/login', undefined, 'POST', { email, password: 'not this one' });
        if (status === 429) break;
        expect(status).toBe(400);
      }
      admitted.push(count);
      line.close();
    }
    return admitted.sort();
  }

  test('the workers together admit no more than one process, and the start logs that they divide limits', async () => {
    expect(await admittedByEach('127.0.71.1')).toEqual([1, 2, 2]);
    const lines = said(service, SEPARATE_LIMITS);
    expect(lines.map(({ workers }) => workers)).toEqual([3]);
  });

  test('workers that replace others take over their shares', async () => {
    service.child.kill('SIGHUP');
    await until(() => said(service, 'all workers replaced').length === 1);
    expect(await admittedByEach('127.0.71.2')).toEqual([1, 2, 2]);
    expect(await service.stop()).toBe(0);
  });
});

describeOnPostgres('the primary process', () => {
  test('has an empty environment; without the primary no worker stays', async () => {
    const service = await ServiceProcess.ready({ DATABASE_URL: await copyTemplate(), WORKERS: '2' }, TEAM);
    await until(() => service.out.includes('left in the environment'));
    expect(service.out).toContain('left in the environment: []');
    const pids = childrenOf(service);
    expect(pids).toHaveLength(2);
    service.child.kill('SIGKILL');
    await until(() => !pids.some(isThere));
    expect(service.err).toBe('');
  });

  test('logs the reason once if no worker can start, and exits with 1', async () => {
    const DATABASE_URL = await copyTemplate();
    const faulty: [object, string, string?][] = [
      [{ OPEN: '1' }, 'GET /v1/notes', TEAM],
      [{ GATEHOUSE_SECRET: 'short' }, 'GATEHOUSE_SECRET must be at least 32 random bytes'],
    ];
    for (const [env, message, script] of faulty) {
      const service = ServiceProcess.start({ DATABASE_URL, WORKERS: '4', ...env }, script);
      expect(await service.exited).toBe(1);
      expect(service.err.split(message)).toHaveLength(2);
      expect(service.out).toBe('');
    }
  });
});

describe('WORKERS', () => {
  const GATEHOUSE_SECRET = randomBytes(32).toString('base64');

  test('more than one is rejected for the embedded database, and with a fixed WORKER_ID', async () => {
    const database = 'postgres://nobody@127.0.0.1:1/none';
    const faulty: [object, RegExp][] = [
      [{ WORKERS: '2' }, /^ {2}WORKERS must be 1 or auto without DATABASE_URL, because .*$/],
      [{ WORKERS: 'many', DATABASE_URL: database }, /^ {2}WORKERS must be auto or a whole number from 1 to 256$/],
      [
        { WORKERS: '3', WORKER_ID: '7', DATABASE_URL: database },
        /^ {2}WORKER_ID must be unset if WORKERS is 3, because .*$/,
      ],
    ];
    for (const [env, line] of faulty) {
      const service = ServiceProcess.start({ GATEHOUSE_SECRET, ...env });
      expect(await service.exited).toBe(1);
      expect(service.err.trimEnd().split('\n')).toEqual(['Invalid configuration:', expect.stringMatching(line)]);
    }
  });

  test('a worker that exits soon after its start is restarted with increasing delays, up to 30 s', () => {
    const pauses = Array.from({ length: 12 }, (_, failures) => restartDelayMs(failures));
    expect(pauses).toEqual([0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000]);
    expect(restartDelayMs(10_000)).toBe(30_000);
  });

  test('auto is a single process on the embedded database, with a log line', async () => {
    const service = ServiceProcess.start({ WORKERS: 'auto', LOG_LEVEL: 'info' });
    await service.waitForBanner();
    expect(said(service, 'WORKERS=auto is one process: there is one core, or the database is embedded')).toHaveLength(
      1,
    );
    expect(childrenOf(service)).toEqual([]);
    expect(await service.stop()).toBe(0);
  });
});
