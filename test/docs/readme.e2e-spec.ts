import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../machine/ports.js';
import { endProcesses, preparedDirectory, ServiceProcess } from '../machine/service-process.js';
import { describeWithTools, Terminal } from '../machine/terminal.js';
import { copyTemplate } from '../support/gatehouse.js';

const root = join(import.meta.dirname, '../..');
const blocksOf = (page: string) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ([, language, code = '']) => ({
      language,
      code,
    }),
  );
const blocks = blocksOf('README.md');
const tour = blocksOf('docs/guides/tour.md');
const stepsOfTour = tour.filter(({ language }) => language === 'bash').map(({ code }) => code);

/**
 * The indexes of the blocks that tests have used, to find unused blocks. A piece of text must match exactly one block.
 */
const meant = new Set<number>();
function block(piece: string): string {
  const found = blocks.flatMap(({ code }, index) => (code.includes(piece) ? [index] : []));
  expect([piece, found.length]).toEqual([piece, 1]);
  meant.add(found[0] as number);
  return blocks[found[0] as number]?.code ?? '';
}

/** A block of the tour that is not run with the guides, because it needs what this test has. */
function administratorStep(piece: string): string {
  const found = tour.filter(({ language, code }) => language === 'sh' && code.includes(piece));
  expect([piece, found.length]).toEqual([piece, 1]);
  return found[0]?.code ?? '';
}

describeWithTools('the README, pasted into a terminal in its order (skipped if bash or curl is missing)', () => {
  const place = join(root, 'dist', `readme-${randomBytes(4).toString('hex')}`);
  const env: Record<string, string | undefined> = {
    DATA_DIR: join(place, 'data'),
    GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
  };
  let service: ServiceProcess;
  let terminal: Terminal;

  beforeAll(async () => {
    preparedDirectory(join(place, 'data'));
    env.DATABASE_URL = await copyTemplate();
    env.PORT = String(await freePort());
    // Like `npm start`, with no limits set.
    const limits = { RATE_LIMITS: undefined, LOGIN_ALLOWANCES: undefined, REGISTRATION_ALLOWANCES: undefined };
    service = await ServiceProcess.ready({ ...env, ...limits });
    terminal = new Terminal({ ...process.env, ...env, API: service.url, LOG_LEVEL: 'error' });
  });
  afterAll(async () => {
    terminal.end();
    await endProcesses();
    rmSync(place, { recursive: true, force: true });
  });

  test('the two commands are scripts of the package (not run: they would replace what this test runs on)', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const [, script] of block('npm ci && npm start').matchAll(/npm ci && npm (\w+)/g)) {
      expect(scripts).toHaveProperty(script as string);
    }
  });

  test('the tour can be repeated: the allowances of registration are off outside production', async () => {
    for (let round = 0; round < 2; round++) {
      for (const step of stepsOfTour) expect(await terminal.paste(step)).toMatchObject({ status: 0 });
    }
    for (let round = 0; round < 5; round++) {
      const { output, status } = await terminal.paste(`${stepsOfTour[0]}\nprintf '\\n%s\\n' "$SESSION"`);
      expect({ status, output }).toEqual({ status: 0, output: expect.stringMatching(/\nflx_[A-Za-z0-9]{36}\n$/) });
    }
  });

  test('a step that the service rejects shows the error response and gives no value', async () => {
    const { output } = await terminal.paste(
      'GIVEN=$(send /v1/auth/register -d \'{"email": "nobody"}\' | json .token); echo "status $? value [$GIVEN]"',
    );
    expect(output).toMatch(/"code":"INVALID_FORM_BODY"/);
    expect(output).toContain('status 1 value []');
  });

  test('the setup token of the first start makes the account of the tour an administrator', async () => {
    const token = /"token": "([^"]+)"/.exec(service.out)?.[1] as string;
    const acls = 'send /v1/admin/acls -H "Authorization: $SESSION"';
    expect((await terminal.paste(acls)).output).toContain('MISSING_PERMISSIONS');
    const { output, status } = await terminal.paste(
      administratorStep('<the setup token>').replace('<the setup token>', token),
    );
    expect({ status, output }).toEqual({ status: 0, output: expect.not.stringContaining('"code"') });
    expect((await terminal.paste(acls)).output).toContain('user:lookup');
  });

  test('the command also makes it an administrator, with the same address, while the service is stopped', async () => {
    expect(await service.stop()).toBe(0);
    const { output, status } = await terminal.paste(administratorStep('user grant-acl "$EMAIL"'));
    expect({ status, output }).toEqual({ status: 0, output: expect.stringMatching(/^ACLs of .* \(\d+\): \*/m) });
  });

  describe('the example in TypeScript, compiled like in a project', () => {
    beforeAll(() => {
      writeFileSync(join(place, 'notes.ts'), block('class NotesController'));
      const options = { extends: join(root, 'tsconfig.json'), include: ['notes.ts'], exclude: [] };
      const compilerOptions = { rootDir: place, outDir: place, noEmit: false, noUnusedLocals: false };
      writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ ...options, compilerOptions }));
      const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
      const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', place], { encoding: 'utf8' });
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    });

    const started = (file: string) =>
      spawn(process.execPath, [join(place, file)], {
        cwd: place,
        env: { PATH: process.env.PATH, LOG_LEVEL: 'error', MAX_LOOP_DELAY_MS: '0', ...env, PORT: '0' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });

    /** Starts one of the files. Returns its URL and a session of the tour. */
    async function serving(file: string) {
      const child = started(file);
      let out = '';
      while (!/^Database .+\n/m.test(out)) out += String((await once(child.stdout, 'data'))[0]);
      const url = /^Listening +(http:\S+)$/m.exec(out)?.[1];
      const { output: session } = await terminal.paste('printf %s "$SESSION"');
      return { child, url, session };
    }

    test('the controller serves the callers that its policy allows', async () => {
      const { child, url, session } = await serving('notes.js');
      expect((await fetch(`${url}/v1/notes`)).status).toBe(401);
      const response = await fetch(`${url}/v1/notes`, { headers: { authorization: session } });
      expect(await response.json()).toEqual({ notes_of: expect.stringMatching(/^\d+$/) });
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      expect((await ended)[0]).toBe(0);
    });

    test('without its policy the service does not start, with the message of the README', async () => {
      const code = readFileSync(join(place, 'notes.js'), 'utf8');
      const lines = code.split('\n').filter((line) => !/^ +(Authenticated|OAuthScope)\(/.test(line));
      expect(lines.length).toBeLessThan(code.split('\n').length);
      writeFileSync(join(place, 'forgotten.js'), lines.join('\n'));
      const child = started('forgotten.js');
      const [error] = await Promise.all([text(child.stderr), once(child, 'exit')]);
      expect(child.exitCode).not.toBe(0);
      expect(error).toContain(block('Route policy audit failed:').trimEnd());
    });
  });

  test('no block was left out', () => {
    expect(blocks.map((_, index) => index).filter((index) => !meant.has(index))).toEqual([]);
  });
});
