import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendPartialRequest } from '../machine/partial-request.js';
import { freePort } from '../machine/ports.js';
import { endProcesses, identify, preparedDirectory, ServiceProcess, until } from '../machine/service-process.js';
import { copyTemplate } from '../support/gatehouse.js';
import { RawConnection } from '../support/raw-connection.js';

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-process-'));
afterAll(async () => {
  await endProcesses();
  rmSync(directory, { recursive: true, force: true });
});

const ada = { email: 'ada@example.com', password: 'a long enough password', username: 'ada' };

describe('a process from its first start to its last signal', () => {
  const env: Record<string, string | undefined> = { DATA_DIR: join(directory, 'data') };
  let service: ServiceProcess;
  let session: string;
  let bot: string;

  beforeAll(async () => {
    env.DATABASE_URL = await copyTemplate();
    env.PORT = String(await freePort());
    service = await ServiceProcess.ready(env);
  });

  test('the first start prints seven lines, the pages first, each with a working URL', async () => {
    const lines = service.out.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/)[0])).toEqual([
      ...['Pages', 'Listening', 'Public origin', 'API reference', 'Email', 'Administrator', 'Database'],
    ]);
    const [pages, listening, origin, docs, mail] = lines.map((line) => /http:\S+/.exec(line)?.[0] as string);
    for (const at of [listening, origin]) expect((await fetch(`${at}/health/ready`)).status).toBe(200);
    // Passkeys and links work on the configured origin, so users should open that one.
    for (const link of [pages, origin, docs, mail]) {
      expect(new URL(link as string).origin).toBe(`http://localhost:${env.PORT}`);
    }
    for (const link of [pages, docs, mail]) {
      const response = await fetch(link as string);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
    expect(lines[6]).toContain(env.DATABASE_URL ? 'PostgreSQL' : env.DATA_DIR);
    expect(lines[6]).not.toContain('://');
  });

  test('the setup token of the first start creates an administrator, once', async () => {
    const registered = await service.anonymous.post('/v1/auth/register', ada);
    session = registered.body.token;
    const token = /"token": "([^"]+)"/.exec(service.out)?.[1];
    const first = await service.as(session).post('/v1/setup', { token });
    expect(first.status).toBeLessThan(300);
    const again = await service.as(session).post('/v1/setup', { token });
    expect(again.status).toBeGreaterThanOrEqual(400);
    const application = await service.as(session).post('/v1/oauth2/applications', { name: 'Robot', redirect_uris: [] });
    bot = `Bot ${application.body.bot.token}`;
    expect((await service.as(bot).get('/v1/users/@me')).status).toBe(200);
  });

  test('a port or an embedded database in use is named, and opened resources are released', async () => {
    const other = { DATA_DIR: preparedDirectory(join(directory, 'other')) };
    const second = ServiceProcess.start({ ...other, PORT: new URL(service.url).port });
    expect(await second.exited).toBe(1);
    expect(second.err.trim().split('\n')).toHaveLength(1);
    expect(second.err).toContain(`Port ${new URL(service.url).port} is in use. Set PORT.`);

    const third = await ServiceProcess.ready(other);
    const fourth = ServiceProcess.start(other);
    expect(await fourth.exited).toBe(1);
    expect(fourth.err.trim().split('\n')).toHaveLength(1);
    expect(fourth.err).toContain(`in use by process ${third.child.pid}`);
    expect((await third.anonymous.get('/health/ready')).status).toBe(200);
    expect(await third.stop('SIGINT')).toBe(0);
  });

  test('SIGTERM: readiness off, running requests finish, sockets close with op 7, exit code 0', async () => {
    const { closed } = await identify(service, session);
    const late = await sendPartialRequest(service.url, { ...ada, email: 'late@example.com', username: 'late' });

    service.child.kill('SIGTERM');
    await until(async () => (await service.anonymous.get('/health/ready')).status === 503);
    const refused = await service.as(session).get('/v1/users/@me');
    expect(refused).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await service.anonymous.get('/health/live')).status).toBe(200);
    expect(await closed).toEqual([4000, 'Session drain requested; reconnect to continue']);
    expect(service.child.exitCode).toBeNull();

    late.finish();
    expect(await late.answer).toEqual([200, expect.objectContaining({ token: expect.stringMatching(/^flx_/) })]);
    expect(await service.exited).toBe(0);
    expect(service.err).toBe('');
  });

  test('a second start keeps every account, session and key, and does not show the setup token again', async () => {
    const token = /"token": "([^"]+)"/.exec(service.out)?.[1] as string;
    service = await ServiceProcess.ready(env);
    expect(service.out).not.toContain(token);
    expect(service.out).not.toContain('POST /v1/setup');
    expect((await service.as(session).get('/v1/users/@me')).body).toMatchObject({ email: ada.email });
    expect((await service.as(bot).get('/v1/users/@me')).body).toMatchObject({ bot: true });
    const { body } = await service.anonymous.post('/v1/auth/login', {
      email: 'late@example.com',
      password: ada.password,
    });
    expect(body.token).toMatch(/^flx_/);
  });

  test('a second signal ends the process immediately', async () => {
    const held = await sendPartialRequest(service.url, { ...ada, email: 'held@example.com' });
    service.child.kill('SIGTERM');
    await until(async () => (await service.anonymous.get('/health/ready')).status === 503);
    expect(await service.stop('SIGINT')).toBe(1);
    await expect(held.answer).rejects.toThrow();
  });

  test('an endless request delays the shutdown by at most SHUTDOWN_SECONDS', async () => {
    service = await ServiceProcess.ready({ ...env, SHUTDOWN_SECONDS: '1' });
    const held = await sendPartialRequest(service.url, { ...ada, email: 'held@example.com' });
    expect(await service.stop()).toBe(0);
    await expect(held.answer).rejects.toThrow();
  });
});

describe('an idle process', () => {
  test('releases the memory of its start, and continues to serve', async () => {
    const service = await ServiceProcess.ready({ LOG_LEVEL: 'debug' });
    const line = () => service.out.split('\n').find((text) => text.includes('memory returned to the operating system'));
    await until(() => line() !== undefined);
    const { before_mib: before, after_mib: after } = JSON.parse(line() as string);
    expect(after).toBeLessThan(before);
    const { body } = await service.anonymous.post('/v1/auth/register', ada);
    expect((await service.as(body.token).get('/v1/users/@me')).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });
});

describe('a setup token that is preset', () => {
  test('is mentioned at every start until it is used, and never shown', async () => {
    const token = randomBytes(32).toString('base64url');
    const env = { GATEHOUSE_SETUP_TOKEN: token, DATABASE_URL: await copyTemplate() };
    const DATA_DIR = preparedDirectory(join(directory, 'preset'));
    for (let start = 1; start <= 2; start++) {
      const service = await ServiceProcess.ready({ ...env, DATA_DIR });
      const line = /^Administrator .*$/m.exec(service.out)?.[0];
      expect(line).toContain('GATEHOUSE_SETUP_TOKEN');
      expect(line).not.toContain('first start');
      expect(service.out + service.err).not.toContain(token);
      if (start === 2) {
        const { body } = await service.anonymous.post('/v1/auth/register', ada);
        expect((await service.as(body.token).post('/v1/setup', { token })).status).toBe(200);
      }
      await service.stop();
    }
    const third = await ServiceProcess.ready({ ...env, DATA_DIR });
    expect(/^Administrator .*$/m.exec(third.out)?.[0]).toContain('exists. To add another one');
    await third.stop();
  });
});

/** Uncaught errors. Each is triggered from outside by a signal. */
const FAULTS = {
  SIGUSR2: ['an exception', (text: string) => `throw new Error(${text})`],
  SIGWINCH: ['a rejection', (text: string) => `void Promise.reject(new Error(${text}))`],
} as const;

describe('conventions.md 13: an uncaught error', () => {
  const SECRET = `flx_${'k4n4ri'.repeat(6)}`;
  const preload = join(directory, 'faults.mjs');
  const words = JSON.stringify(`it broke at Bearer abc${SECRET}`);
  beforeAll(() => {
    const handlers = Object.entries(FAULTS).map(
      ([signal, [, code]]) => `process.on('${signal}', () => { ${code(words)}; });`,
    );
    writeFileSync(preload, handlers.join('\n'));
  });

  test.each(Object.entries(FAULTS).map(([signal, [title]]) => [title, signal] as const))(
    '%s: logged without its secret, not ready, running requests finish, exit code 1',
    async (_title, signal) => {
      const service = await ServiceProcess.ready({ NODE_OPTIONS: `--import file://${preload}`, LOG_LEVEL: 'info' });
      const late = await sendPartialRequest(service.url, ada);
      service.child.kill(signal as NodeJS.Signals);
      await until(async () => (await service.anonymous.get('/health/ready')).status === 503);
      expect((await service.anonymous.get('/health/live')).status).toBe(200);
      expect(service.child.exitCode).toBeNull();
      // A second error does not shorten the time for the remaining requests.
      service.child.kill(signal as NodeJS.Signals);
      late.finish();
      expect(await late.answer).toEqual([200, expect.objectContaining({ token: expect.stringMatching(/^flx_/) })]);
      expect(await service.exited).toBe(1);
      expect(service.err).toBe('');
      const lines = service.out.split('\n').filter((line) => line.includes('it broke at'));
      expect(lines).toHaveLength(2);
      for (const line of lines) {
        expect(JSON.parse(line)).toMatchObject({
          level: 50,
          error: { type: 'Error', message: 'it broke at [redacted]' },
        });
      }
      expect(service.out).not.toContain(SECRET);
    },
  );

  test('during startup: exits with 1 and without the secret', async () => {
    const service = ServiceProcess.start({
      NODE_OPTIONS: `--import file://${preload}`,
      DATA_DIR: join(directory, 'early'),
      LOG_LEVEL: 'warn',
    });
    // The first output appears before the service opens anything.
    await until(() => service.out !== '');
    service.child.kill('SIGWINCH');
    expect(await service.exited).toBe(1);
    expect(service.err + service.out).toContain('it broke at [redacted]');
    expect(service.err + service.out).not.toContain(SECRET);
  });
});

describe('conventions.md 12: the shutdown of a process', () => {
  test('has one deadline, regardless of unfinished clients', async () => {
    const service = await ServiceProcess.ready({ SHUTDOWN_SECONDS: '1' });
    const { port } = new URL(service.url);
    const half = [
      'GET / HTTP/1.1\r\nHost:',
      'PATCH /v1/users/@me HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{',
      'POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
      '',
    ];
    const connections = await Promise.all(half.map(() => RawConnection.open({ port: Number(port) })));
    for (const [index, connection] of connections.entries()) connection.send(half[index] ?? '');
    expect((await (connections[1] as RawConnection).readResponse()).status).toBe(401);
    const begun = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - begun).toBeLessThan(30_000);
    for (const connection of connections) connection.close();
  });

  test.each([
    ['a signal', 0, {}],
    ['a start that fails', 1, { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', DATABASE_WAIT_SECONDS: '0' }],
  ])('by %s: no more compilation in the background, for which Node would wait', async (_title, code, env) => {
    const found = join(directory, `compiled-${code}`);
    const preload = join(directory, 'compiled.mjs');
    writeFileSync(
      preload,
      `import { writeFileSync } from 'node:fs';
      import { setFlagsFromString } from 'node:v8';
      process.on('exit', () => {
        setFlagsFromString('--allow-natives-syntax');
        const status = new Function('fn', 'return %GetOptimizationStatus(fn)');
        const made = (_, n) => new Function('a', 'let s = ' + n + '; for (let i = 0; i < 99; i++) s += a % (i + 1); return s');
        const [cold, ...hot] = Array.from({ length: 20 }, made);
        const until = performance.now() + 500;
        while (performance.now() < until) for (const fn of hot) fn(until);
        const compiled = hot.filter((fn) => status(fn) !== status(cold));
        writeFileSync(${JSON.stringify(found)}, String(compiled.length));
      });`,
    );
    const service = ServiceProcess.start({ NODE_OPTIONS: `--import file://${preload}`, ...env });
    if (code === 0) {
      await service.waitForBanner();
      service.child.kill('SIGTERM');
    }
    expect(await service.exited).toBe(code);
    expect(readFileSync(found, 'utf8')).toBe('0');
  });

  test('no client with a kept connection gets a reset', async () => {
    const service = await ServiceProcess.ready({});
    const { port, hostname } = new URL(service.url);
    const ends = Array.from({ length: 10 }, () => {
      const socket = connect({ port: Number(port), host: hostname, noDelay: true });
      let fault: NodeJS.ErrnoException | undefined;
      let unanswered = 0;
      // Limits the pending requests. Otherwise a slow machine would spend minutes on them and respond to no other
      // client.
      const ask = () => {
        if (!socket.writable || unanswered >= 20) return;
        unanswered++;
        socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
      };
      const timer = setInterval(ask, 5);
      socket.on('data', (responses) => {
        unanswered -= String(responses).split('HTTP/1.1 200').length - 1;
      });
      return new Promise<string>((resolve) => {
        socket
          .on('error', (error: NodeJS.ErrnoException) => {
            fault = error;
          })
          .on('close', () => {
            clearInterval(timer);
            resolve(fault?.code ?? 'ended');
          });
      });
    });
    await until(async () => (await service.anonymous.get('/health/live')).status === 200);
    expect(await service.stop()).toBe(0);
    expect(new Set(await Promise.all(ends))).toEqual(new Set(['ended']));
  });
});

describe('FLT-32 a failing start prints the reason, without a secret, and exits with 1', () => {
  async function refusal(env: Record<string, string>): Promise<string> {
    const service = ServiceProcess.start({ DATA_DIR: join(directory, 'refused'), ...env });
    expect(await service.exited).toBe(1);
    expect(service.out).toBe('');
    expect(service.err).not.toMatch(/^\s+at /m);
    return service.err;
  }

  test('invalid settings, all together', async () => {
    const message = await refusal({ PORT: 'k4n4ri', HTTP_PLATFORM: 'k4n4ri', GATEHOUSE_SECRET: 'k4n4ri' });
    for (const name of ['PORT', 'HTTP_PLATFORM', 'GATEHOUSE_SECRET']) expect(message).toContain(name);
    expect(message).not.toContain('k4n4ri');
  });

  test('a data directory that cannot be written', async () => {
    const file = join(directory, 'a-file');
    writeFileSync(file, '');
    for (const GATEHOUSE_SECRET of ['', randomBytes(32).toString('base64')]) {
      const message = await refusal({ DATA_DIR: join(file, 'data'), GATEHOUSE_SECRET });
      expect(message.trim().split('\n')).toEqual([expect.stringContaining(`Cannot write ${join(file, 'data')}`)]);
    }
  });

  test('production without its required settings', async () => {
    const message = await refusal({ NODE_ENV: 'production', GATEHOUSE_SECRET: '' });
    for (const name of ['GATEHOUSE_SECRET', 'DATABASE_URL', 'MAIL_TRANSPORT']) expect(message).toContain(name);
  });

  test('a database server that does not respond', async () => {
    const DATABASE_URL = `postgres://someone:k4n4ri@127.0.0.1:${await freePort()}/none`;
    const message = await refusal({ DATABASE_URL, DATABASE_WAIT_SECONDS: '0' });
    expect(message).toContain('Connecting to the database failed');
    expect(message).toContain('ECONNREFUSED');
    expect(message).not.toContain('k4n4ri');
  });

  test('an embedded database whose first start was interrupted', async () => {
    const DATA_DIR = join(directory, 'cut-off');
    mkdirSync(join(DATA_DIR, 'database'), { recursive: true });
    writeFileSync(join(DATA_DIR, 'database', 'PG_VERSION'), '17');
    expect(await refusal({ DATA_DIR })).toContain('is an incomplete database');
  });
});

test('DEMO=on fills the database at the first start and shows how to sign in once', async () => {
  const env = { DEMO: 'on', DATABASE_URL: await copyTemplate(), DATA_DIR: preparedDirectory(join(directory, 'demo')) };
  const first = await ServiceProcess.ready(env);
  const [, email, password] =
    /^Example data +200 users\. Sign in as (\S+) with the password (\S+) /m.exec(first.out) ?? [];
  const { status } = await first.anonymous.post('/v1/auth/login', { email, password });
  expect(status).toBe(200);
  expect(/^Administrator .*$/m.exec(first.out)?.[0]).toContain('exists. To add another one');
  await first.stop();
  const second = await ServiceProcess.ready(env);
  expect(second.out).toMatch(/^Example data +not added, because the database already has accounts$/m);
  await second.stop();
});
