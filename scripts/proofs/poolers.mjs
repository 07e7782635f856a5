/** The e2e suite behind connection poolers. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { withoutPooler } from '../../test/setup/tiers.js';
import { machine } from './in-jest.mjs';

const ROOT = join(import.meta.dirname, '../..');
const TITLES = {
  transaction: 'PgBouncer, `pool_mode = transaction`',
  session: 'PgBouncer, `pool_mode = session`',
  pgpool: 'pgpool-II',
};

/** Runs the suite behind one pooler and returns the result that jest writes. */
function run(pooler, files, folder) {
  const output = join(folder, `${pooler}.json`);
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
  const without = withoutPooler().flatMap((group) => group.files.map((path) => `/${path.replaceAll('.', '\\.')}$`));
  const args = ['--no-warnings', jest, '-w', String(availableParallelism()), '--json', `--outputFile=${output}`];
  args.push('--testPathPatterns', files, '--testPathIgnorePatterns', '/node_modules/', ...without);
  spawnSync(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, TEST_POOLER: pooler, HTTP_PLATFORM: 'fastify' },
  });
  return JSON.parse(readFileSync(output, 'utf8'));
}

const failuresOf = ({ testResults }) =>
  testResults.flatMap(({ name, status, assertionResults, message }) => {
    const failed = assertionResults.filter((one) => one.status === 'failed').map(({ fullName }) => fullName);
    if (status === 'failed' && failed.length === 0) failed.push(message.split('\n')[0]);
    return failed.map((title) => `- \`${relative(ROOT, name)}\`: ${title}`);
  });

/** @returns the report in Markdown, and whether every test passed */
export async function report() {
  if (!process.env.TEST_DATABASE_URL) throw new Error('Set TEST_DATABASE_URL to a PostgreSQL server.');
  const poolers = process.env.POOLERS?.split(',') ?? Object.keys(TITLES);
  const files = process.env.FILES ?? 'e2e-spec';
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-poolers-'));
  try {
    const results = poolers.map((pooler) => [pooler, run(pooler, files, folder)]);
    const rows = results.map(
      ([pooler, result]) =>
        `| ${TITLES[pooler]} | ${result.numTotalTestSuites} | ${result.numPassedTests} | ${result.numFailedTests} | ${result.numPendingTests} |`,
    );
    const failures = results.flatMap(([pooler, result]) => {
      const lines = failuresOf(result);
      return lines.length > 0 ? ['', `Failed behind ${TITLES[pooler]}:`, '', ...lines] : [];
    });
    const text = [
      '# The suite behind connection poolers',
      '',
      machine(),
      'Written by `npm run proof -- poolers`.',
      '',
      `Files that match \`${files}\`, on Fastify. Files that never reach the pooler are left out:`,
      '',
      ...withoutPooler().map(({ files: { length }, reason }) => `- ${length} files: ${reason}`),
      '',
      '| Pooler | Files | Passed | Failed | Skipped |',
      '|---|---|---|---|---|',
      ...rows,
      ...failures,
    ].join('\n');
    return { text, isKept: failures.length === 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
