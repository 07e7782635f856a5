/**
 * Runs the smoke test and a part of the test suite on the other versions of Node that package.json names. It downloads
 * their binaries as packages from the npm registry, into a temporary folder.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { build } from './build.mjs';
import { binaryOf } from './node-binaries.mjs';

const PROCESSES = ['test/pipeline/boot.e2e', 'test/platform/process.e2e'];
/** One complete test file for each domain. */
const DOMAINS = [
  'auth-4.2-login',
  'account-profile',
  'oauth-access-tokens',
  'admin-users',
  'gateway-protocol',
  'media-transforms',
  'webhooks-execution',
  'sso-provider',
].map((name) => `test/contract/${name}`);
const PARTS = { 22: ['test/pipeline/boot.e2e'], 24: [...PROCESSES, ...DOMAINS], 26: [...PROCESSES, ...DOMAINS] };

const root = join(import.meta.dirname, '..');
const place = mkdtempSync(join(tmpdir(), 'gatehouse-node-'));
process.on('exit', () => rmSync(place, { recursive: true, force: true }));

function run(bin, ...args) {
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const { status } = spawnSync(join(bin, 'node'), args, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
}

await build({ types: true });
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const lines = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS);
const binaries = await Promise.all(lines.map((line) => binaryOf(line, place)));
for (const [index, line] of lines.entries()) {
  const bin = binaries[index];
  if (!bin) {
    console.log(
      `The registry has no binary of Node ${line} for this machine, or does not answer: its part did not run.`,
    );
    continue;
  }
  const begun = performance.now();
  run(bin, '--version');
  run(bin, 'scripts/smoke.mjs');
  run(bin, '--no-warnings', jest, ...PARTS[line]);
  console.log(`Node ${line}: ${Math.round((performance.now() - begun) / 1000)} s`);
}
