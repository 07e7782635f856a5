/**
 * Fills the compile cache of Node for the service, in `dist/service/compiled` of the working directory. The cache is
 * for the user that runs this script. On each HTTP platform, it starts the service on an empty database, sends the most
 * common first requests and stops the service. Node writes the cache on exit, from version 22.8 on.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { listening } from './starting.mjs';

const PATHS = ['/health/ready', '/.well-known/service', '/login'];
const home = resolve('dist/service/compiled');
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-compiled-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

function demand(isSo, message) {
  if (!isSo) throw new Error(message);
}

for (const platform of ['express', 'fastify']) {
  const service = spawn(process.execPath, ['dist/service/main.cjs'], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HTTP_PLATFORM: platform,
      PORT: '0',
      PUBLIC_ORIGIN: 'https://gatehouse.invalid',
      GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
      MAIL_TRANSPORT: 'none',
      EMBEDDED_DATABASE: 'true',
      DATA_DIR: join(directory, platform),
      MAX_LOOP_DELAY_MS: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(service, 'close');
  const url = await listening(service);
  for (const path of PATHS) {
    const { status } = await fetch(new URL(path, url));
    demand(status === 200, `${path} answered ${status}`);
  }
  service.kill('SIGTERM');
  const [code] = await ended;
  demand(code === 0, `the service ended with ${code}`);
}

if (module.enableCompileCache) {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  demand(files.length > 0, `nothing was kept in ${home}`);
  // Node allows only their owner to read these files, and in the image the owner is root.
  for (const file of files) chmodSync(file, 0o644);
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  console.log(`${(bytes / 1e6).toFixed(1)} MB of ${files.length} modules are compiled for user ${process.getuid()}`);
} else console.log(`Node ${process.version} keeps nothing of what it compiles`);
