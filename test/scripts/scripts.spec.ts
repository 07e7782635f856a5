import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
/** The last step of each script, which gets the arguments after `--`. */
const last = Object.values(scripts).map((script) => script.split(' && ').at(-1) as string);
const called = last.flatMap((step) => /^node (\S+\.[cm]js)/.exec(step)?.[1] ?? []);
/** Passes its arguments to the commands of the service, which have their own usage text. */
const COMMANDS = 'scripts/cli.mjs';

describe('npm run <script> -- -h', () => {
  test.each([...new Set(called)].filter((path) => path !== COMMANDS))(
    '%s prints its description, and does nothing',
    (path) => {
      for (const flag of ['-h', '--help']) {
        const { status, stdout, stderr } = spawnSync(process.execPath, [path, flag], { cwd: ROOT, encoding: 'utf8' });
        expect([status, stderr]).toEqual([0, '']);
        const [, head = ''] =
          /^(?:\/\*\*)\s*(?:\* )?(.*?)(?: \*\/)?\n/.exec(readFileSync(join(ROOT, path), 'utf8')) ?? [];
        expect(head).not.toBe('');
        expect(stdout.startsWith(head)).toBe(true);
      }
    },
  );
});

describe('scripts/floating-promises.mjs', () => {
  const check = (file: string) =>
    spawnSync(process.execPath, ['scripts/floating-promises.mjs', file], { cwd: ROOT, encoding: 'utf8' });
  const SOURCE = 'src/core/workers/own-worker.ts';
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-floating-'));
  const planted = join(folder, 'own-worker.ts');
  cpSync(join(ROOT, SOURCE, '..'), folder, { recursive: true });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('finds nothing in the source itself', () => {
    const { status, stderr } = check(SOURCE);
    expect([status, stderr]).toEqual([0, '']);
  });

  test('reports every planted floating promise, and no handled one', () => {
    const source = readFileSync(join(ROOT, SOURCE), 'utf8').trimEnd();
    const floating: [code: string, report: string][] = [
      ["ownWorker?.notify('ready');", 'a promise floats'],
      ["ownWorker?.notify('ready').then(() => {});", 'a promise floats'],
      ["ownWorker?.notify('ready').finally(() => {});", 'a promise floats'],
      ["void ownWorker?.notify('ready');", 'a promise floats behind void'],
      ["process.on('message', async () => {});", 'nothing awaits the promise of this function'],
      ["process.on('message', () => ownWorker?.notify('ready'));", 'nothing awaits the promise of this function'],
    ];
    const handled = [
      "ownWorker?.notify('ready').catch(() => {});",
      "ownWorker?.notify('ready').then(() => {}, () => {});",
      "export const kept = ownWorker?.notify('ready');",
      "export const awaits = async () => { await ownWorker?.notify('ready'); };",
    ];
    writeFileSync(planted, [source, ...floating.map(([code]) => code), ...handled, ''].join('\n'));
    const { status, stderr } = check(planted);
    const first = source.split('\n').length + 1;
    const reports = floating.map(([, report], index) => `${relative(ROOT, planted)}:${first + index} ${report}`);
    expect([status, stderr.trimEnd().split('\n').slice(0, -1)]).toEqual([1, reports]);
  });
});
