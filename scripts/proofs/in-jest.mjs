/** Proofs whose machinery is that of the tests. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Runs one test file. The test writes its figures to the file that an environment variable names.
 * @returns the figures, undefined if the test did not write them, and whether the test passed
 */
export function runInJest(file, { variable, env, title }) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-proof-'));
  const path = join(folder, 'figures.json');
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
  // Titles are patterns. A file that is not part of the suite is found by its path.
  const args = ['--no-warnings', jest, '-w', '1', '--testMatch', join(ROOT, file), ...(title ? ['-t', title] : [])];
  try {
    const { status } = spawnSync(process.execPath, args, {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...env, [variable]: path },
    });
    const figures = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
    return { figures, isPassed: status === 0 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const row = (cells) => `| ${cells.join(' | ')} |`;

/** Date, machine and load. */
export const machine = () =>
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} x ${cpus()[0].model.trim()}, Node ${process.version}, load average ${loadavg()[0].toFixed(1)}.`;
