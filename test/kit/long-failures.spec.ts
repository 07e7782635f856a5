import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const [environment, running] = ['native-environment.cjs', 'running.js'].map((file) =>
  JSON.stringify(join(ROOT, 'test/setup', file)),
);

function outputOf(code: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  return stdout + stderr;
}

test('after three tests that failed after 30 seconds, the other tests of a file are skipped', () => {
  const modesAfter = (failures: { errors: string[]; duration: number }[]) =>
    JSON.parse(
      outputOf(`import Environment from ${environment};
        const file = new Environment({}, { testPath: 'file' });
        const next = { name: 'test_start', test: {} };
        for (const test of ${JSON.stringify(failures)}) file.handleTestEvent({ name: 'test_done', test });
        file.handleTestEvent(next);
        console.log(JSON.stringify(next.test));`),
    );
  const late = { errors: ['late'], duration: 31_000 };
  expect(modesAfter([late, late, late])).toEqual({ mode: 'skip' });
  expect(modesAfter([late, late, { errors: [], duration: 31_000 }, { errors: ['fast'], duration: 1000 }])).toEqual({});
});

test('the files that run are listed if none has ended for a while', () => {
  const output = outputOf(`import Running from ${running};
    const reporter = new Running();
    reporter.onRunStart();
    for (const path of ['one', 'other']) reporter.onTestFileStart({ path: process.cwd() + '/test/' + path });
    reporter.onTestFileResult({ path: process.cwd() + '/test/other' });
    reporter.list();
    reporter.onRunComplete();`);
  expect(output).toBe('Running for 0 minutes: test/one\n');
});
