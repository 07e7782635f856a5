/** `npm test`: builds what the setup needs, then runs jest; arguments go to jest. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from './build.mjs';

await build();
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const { status } = spawnSync(process.execPath, ['--no-warnings', jest, ...process.argv.slice(2)], {
  cwd: join(import.meta.dirname, '..'),
  stdio: 'inherit',
});
process.exit(status ?? 1);
