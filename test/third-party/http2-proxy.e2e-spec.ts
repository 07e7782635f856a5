import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { freePort } from '../machine/ports.js';
import { describeUnless, missing, programPath } from '../machine/programs.js';
import { accepts } from '../machine/proxies.js';
import { until } from '../machine/service-process.js';
import { gatehouse, person } from '../support/index.js';

describeUnless(missing('nghttpx', 'h2load'))('h2load behind nghttpx, which speaks HTTP/2 to clients', () => {
  test('a hundred parallel requests on ten connections all get 200', async () => {
    const service = await gatehouse({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
    const port = await freePort();
    const settings = ['--conf=/dev/null', '--add-x-forwarded-for', '--workers=1', '--errorlog-file=/dev/null'];
    const ends = [`--frontend=127.0.0.1,${port};no-tls`, `--backend=127.0.0.1,${service.port}`];
    const proxy = spawn(programPath('nghttpx') ?? '', [...settings, ...ends], { stdio: 'ignore' });
    try {
      await until(() => accepts(port));
      const alice = await person(
        { ...service, anonymous: service.anonymous.with({ 'x-forwarded-for': '198.51.100.7' }) },
        'alice',
      );
      const { stdout } = await promisify(execFile)(programPath('h2load') ?? '', [
        ...['-n', '1000', '-c', '10', '-m', '10', '-H', `authorization: ${alice.authorization}`],
        `http://127.0.0.1:${port}/v1/users/@me`,
      ]);
      expect(stdout).toContain('1000 total, 1000 started, 1000 done, 1000 succeeded, 0 failed, 0 errored, 0 timeout');
      expect(stdout).toContain('status codes: 1000 2xx, 0 3xx, 0 4xx, 0 5xx');
    } finally {
      proxy.kill('SIGTERM');
      if (proxy.exitCode === null) await once(proxy, 'exit');
      await service.close();
    }
  });
});
