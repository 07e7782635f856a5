import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
/** The last step of each script, which gets the arguments after `--`. */
const last = Object.values(scripts).map((script) => script.split(' && ').at(-1) as string);
const called = last.flatMap((step) => /^node (\S+\.[cm]js)/.exec(step)?.[1] ?? []);
/** Passes its arguments to the commands of the service, which have their own usage text. */
const COMMANDS = 'scripts/cli.mjs';

describe('npm run <script> -- -h', () => {
  test.each([...new Set(called)].filter((path) => path !== COMMANDS))(
    '%s tells what it does, and does nothing',
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
