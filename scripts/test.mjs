/**
 * `npm test`: builds what the setup needs, then runs jest; arguments go to jest. Without any, a run on Fastify leaves out what
 * a run on Express has said already.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runOnce } from '../test/setup/once.js';
import { build } from './build.mjs';

function leaveOut() {
  const groups = runOnce();
  for (const { files, reason } of groups) console.log(`Left out here: ${reason}:\n  ${files.join('\n  ')}`);
  const names = groups.flatMap(({ files }) => files).map((path) => `/${path.replaceAll('.', '\\.')}$`);
  return ['--testPathIgnorePatterns', '/node_modules/', ...names];
}

await build();
const args = process.argv.slice(2);
if (args.length === 0 && process.env.HTTP_PLATFORM === 'fastify') args.push(...leaveOut());
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const { status } = spawnSync(process.execPath, ['--no-warnings', jest, ...args], {
  cwd: join(import.meta.dirname, '..'),
  stdio: 'inherit',
});
process.exit(status ?? 1);
