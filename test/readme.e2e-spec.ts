import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './machine/browser.js';
import { type Gatehouse, gatehouse } from './support/index.js';

const README = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');
const hasTools = ['bash', 'curl'].every((tool) => spawnSync(tool, ['--version']).status === 0);
const describeWithTools: typeof describe = hasTools ? describe : describe.skip;

describeWithTools('the tour of the README, pasted into a shell (skipped where bash or curl is missing)', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    const port = String(await freePort());
    service = await gatehouse({ env: { PORT: port, PUBLIC_ORIGIN: `http://localhost:${port}`, RATE_LIMITS: 'on' } });
  });
  afterAll(() => service.close());

  test('every step answers what the text around it says', async () => {
    const tour = /```bash\n([\s\S]*?)```/.exec(README)?.[1] ?? '';
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', tour], { env: { ...process.env, API: service.url } });
    let output = '';
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => (output += chunk));
    const code = await new Promise((resolve) => shell.once('close', resolve));
    expect({ code, output }).toEqual({ code: 0, output: expect.any(String) });
    for (const expected of [
      /"email":"ada\.\d+@example\.com"/,
      /"code":"UNAUTHORIZED"/,
      /"name":"Tour".*"bot":\{/,
      /"sub":"\d+"/,
      /"code":"ACCESS_DENIED"/,
      /"content":"It works\."/,
      /"code":"SUDO_MODE_REQUIRED"/,
      /now it answers 204/,
    ]) {
      expect(output).toMatch(expected);
    }
  });
});
