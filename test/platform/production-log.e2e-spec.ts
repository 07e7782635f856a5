import { randomBytes } from 'node:crypto';
import { ownPackage } from '../../src/core/own-package.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { Client } from '../support/client.js';
import { copyTemplate, PRODUCTION_HASHES } from '../support/index.js';

afterAll(endProcesses);

const production = {
  NODE_ENV: 'production',
  PUBLIC_ORIGIN: 'https://id.example.com',
  MAIL_TRANSPORT: 'none',
  GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
  ...PRODUCTION_HASHES,
};
/** Parses the output, in which every line must be JSON. */
const parse = (output: string): Record<string, unknown>[] =>
  output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the output of a process in production', () => {
  test('is JSON from the start to the end, with the version and a working setup token', async () => {
    const database = await copyTemplate();
    const storage = database ? { DATABASE_URL: database } : { EMBEDDED_DATABASE: 'true' };
    const service = ServiceProcess.start({ ...production, ...storage, LOG_LEVEL: 'info' });
    await until(() => service.out.includes('"listening"'));
    const started = parse(service.out).find(({ msg }) => msg === 'started');
    const { version } = ownPackage();
    expect(started).toMatchObject({ level: 30, version, public_origin: production.PUBLIC_ORIGIN });
    const url = String(started?.listening);
    const ada = { email: 'ada@example.com', password: 'a long enough password', username: 'ada' };
    const registered = await new Client(url, undefined, []).post('/v1/auth/register', ada);
    expect(registered.headers.get('x-service-version')).toBe(version);
    const token = started?.setup_token;
    expect(started?.administrator).toContain(token);
    expect((await new Client(url, registered.body.token, []).post('/v1/setup', { token })).status).toBeLessThan(300);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain(`gatehouse_build_info{version="${version}",node="${process.versions.node}"} 1`);
    expect(await service.stop()).toBe(0);
    expect(service.err).toBe('');
    for (const line of parse(service.out)) expect(line).toMatchObject({ version, msg: expect.any(String) });
  });

  test.each([[{}], [{ WORKERS: '2' }]])('a fatal error is one JSON line: %j', async (settings) => {
    const service = ServiceProcess.start({ ...production, ...settings, PORT: 'none' });
    expect(await service.exited).toBe(1);
    for (const line of parse(service.err)) {
      expect(line).toMatchObject({ level: 50, version: ownPackage().version, msg: expect.stringContaining('PORT') });
    }
    expect(service.out === '' ? [] : parse(service.out)).toEqual(expect.any(Array));
  });
});
