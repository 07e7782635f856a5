import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { jest } from '@jest/globals';
import { endProcesses, identified, ServiceProcess, until } from './machine/service-process.js';
import { copyOfTemplate } from './support/gatehouse.js';

// Every test starts processes, each with a database to open.
jest.setTimeout(120_000);

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-process-'));
afterAll(async () => {
  await endProcesses();
  rmSync(directory, { recursive: true, force: true });
});

/** A request of which the service has the head and half of the body. */
async function unfinished(
  url: string,
  account: object,
): Promise<{ answer: Promise<[number, object]>; finish(): void }> {
  const body = JSON.stringify(account);
  const sent = request(`${url}/v1/auth/register`, {
    method: 'POST',
    agent: new Agent(),
    headers: { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' },
  });
  const answer = new Promise<[number, object]>((resolve, reject) => {
    sent.on('response', (response) => {
      text(response).then((found) => resolve([response.statusCode ?? 0, JSON.parse(found)]), reject);
    });
    sent.on('error', reject);
  });
  answer.catch(() => {});
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write(body.slice(0, 10));
  return { answer, finish: () => sent.end(body.slice(10)) };
}

const ada = { email: 'ada@example.com', password: 'a long enough password', username: 'ada' };

describe('a process from its first start to its last signal', () => {
  const env: Record<string, string | undefined> = { DATA_DIR: join(directory, 'data') };
  let service: ServiceProcess;
  let session: string;
  let bot: string;

  beforeAll(async () => {
    env.DATABASE_URL = (await copyOfTemplate()).databaseUrl;
    service = await ServiceProcess.ready(env);
  });

  test('the first start prints five lines, each of which leads somewhere', async () => {
    const lines = service.out.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/)[0])).toEqual([
      ...['Listening', 'API description', 'Mail', 'Administrator', 'Database'],
    ]);
    const links = lines.slice(0, 3).map((line) => /http:\S+/.exec(line)?.[0] as string);
    expect((await fetch(`${links[0]}/health/ready`)).status).toBe(200);
    expect((await fetch(links[1] as string)).status).toBe(200);
    expect((await fetch(links[2] as string)).status).toBe(200);
    expect(lines[4]).toContain(env.DATABASE_URL ? 'PostgreSQL' : env.DATA_DIR);
    expect(lines[4]).not.toContain('://');
  });

  test('the setup token of the first start makes an administrator, once', async () => {
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

  test('a port or an embedded database that is taken is named, and what was opened is let go of', async () => {
    const other = { DATA_DIR: join(directory, 'other') };
    const second = ServiceProcess.start({ ...other, PORT: new URL(service.url).port });
    expect(await second.exited).toBe(1);
    expect(second.err.trim().split('\n')).toHaveLength(1);
    expect(second.err).toContain('EADDRINUSE');

    const third = await ServiceProcess.ready(other);
    const fourth = ServiceProcess.start(other);
    expect(await fourth.exited).toBe(1);
    expect(fourth.err.trim().split('\n')).toHaveLength(1);
    expect(fourth.err).toContain(`in use by process ${third.child.pid}`);
    expect((await third.anonymous.get('/health/ready')).status).toBe(200);
    expect(await third.stop('SIGINT')).toBe(0);
  });

  test('SIGTERM: readiness off, what runs finishes, sockets close with an invitation, exit code 0', async () => {
    const { closed } = await identified(service, session);
    const late = await unfinished(service.url, { ...ada, email: 'late@example.com', username: 'late' });

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

  test('a second start keeps every account, session and key, and shows the setup token no more', async () => {
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

  test('a second signal ends the process at once', async () => {
    const held = await unfinished(service.url, { ...ada, email: 'held@example.com' });
    service.child.kill('SIGTERM');
    await until(async () => (await service.anonymous.get('/health/ready')).status === 503);
    expect(await service.stop('SIGINT')).toBe(1);
    await expect(held.answer).rejects.toThrow();
  });

  test('a request that never ends holds the shutdown no longer than SHUTDOWN_SECONDS', async () => {
    service = await ServiceProcess.ready({ ...env, SHUTDOWN_SECONDS: '1' });
    const held = await unfinished(service.url, { ...ada, email: 'held@example.com' });
    expect(await service.stop()).toBe(0);
    await expect(held.answer).rejects.toThrow();
  });
});

describe('FLT-32 a start that cannot succeed says why, without a secret, and ends with 1', () => {
  async function refusal(env: Record<string, string>): Promise<string> {
    const service = ServiceProcess.start({ DATA_DIR: join(directory, 'refused'), ...env });
    expect(await service.exited).toBe(1);
    expect(service.out).toBe('');
    expect(service.err).not.toMatch(/^\s+at /m);
    return service.err;
  }

  test('settings that are wrong, all at once', async () => {
    const message = await refusal({ PORT: 'k4n4ri', HTTP_PLATFORM: 'k4n4ri', GATEHOUSE_SECRET: 'k4n4ri' });
    for (const name of ['PORT', 'HTTP_PLATFORM', 'GATEHOUSE_SECRET']) expect(message).toContain(name);
    expect(message).not.toContain('k4n4ri');
  });

  test('production without what production needs', async () => {
    const message = await refusal({ NODE_ENV: 'production', GATEHOUSE_SECRET: '' });
    for (const name of ['GATEHOUSE_SECRET', 'DATABASE_URL']) expect(message).toContain(name);
  });

  test('a database server that does not answer', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    await new Promise((resolve) => silent.close(resolve));
    const message = await refusal({ DATABASE_URL: `postgres://someone:k4n4ri@127.0.0.1:${port}/none` });
    expect(message).toContain('the database cannot be opened');
    expect(message).toContain('ECONNREFUSED');
    expect(message).not.toContain('k4n4ri');
  });

  test('an embedded database whose first start was cut off', async () => {
    const DATA_DIR = join(directory, 'cut-off');
    mkdirSync(join(DATA_DIR, 'database'), { recursive: true });
    writeFileSync(join(DATA_DIR, 'database', 'PG_VERSION'), '17');
    expect(await refusal({ DATA_DIR })).toContain('not a complete database');
  });
});
