import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const SETUP = join(ROOT, 'test/setup/times.js');
const recorded = JSON.parse(readFileSync(join(ROOT, 'test/setup/times.json'), 'utf8')) as Record<string, number>;

/** What the reporter prints after a run in which files took these CPU seconds. */
function reportOf(seconds: Record<string, number>, env: Record<string, string> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-times-'));
  try {
    const lines = Object.entries(seconds).map(([path, time]) => `${time}\t${join(ROOT, path)}`);
    writeFileSync(join(directory, 'cpu-time.tsv'), `${lines.join('\n')}\n`);
    const code = `import Times from ${JSON.stringify(SETUP)}; new Times().onRunComplete();`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      env: { PATH: process.env.PATH, GATEHOUSE_TEST_DIR: directory, ...env },
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    return stderr;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const nameOf = (fits: (seconds: number) => boolean): string => {
  const [path] = Object.entries(recorded).find(([, seconds]) => fits(seconds)) ?? [];
  if (path === undefined) throw new Error('no recorded file fits');
  return path;
};
const slow = nameOf((seconds) => seconds > 10);
const fast = nameOf((seconds) => seconds < 1);
const [slowTime, fastTime] = [recorded[slow] as number, recorded[fast] as number];

test('a file that takes more than twice its recorded CPU time is reported, and no other', () => {
  const now = 2 * slowTime + 0.1;
  expect(reportOf({ [slow]: now, [fast]: fastTime })).toBe(
    `${slow} takes ${now.toFixed(1)} s of CPU; ${slowTime.toFixed(1)} s are recorded\n`,
  );
  expect(reportOf({ [slow]: 1.9 * slowTime, [fast]: 3 * fastTime })).toBe('');
});

test('SLOWEST_FILES lists the slowest files first', () => {
  const listed = reportOf({ [fast]: fastTime, [slow]: slowTime }, { SLOWEST_FILES: '1' });
  expect(listed.trim()).toBe(`${slowTime.toFixed(1)} s of CPU  ${slow}`);
});
