/**
 * `npm run bench -- modules`: lists by package what is loaded during startup, with the CPU time of reading, compiling
 * and running it, without its dependencies. For ES modules, this is only the time of running, because all of them are
 * compiled before. Uses PostgreSQL if `DATABASE_URL` names an empty or migrated database. `MODULES_OF=own` lists the
 * files of this repository separately.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../scripts/build.mjs';
import { start, stop, table } from './lib.mjs';

const root = join(import.meta.dirname, '..');
const MOST = 40;
const isDetailed = process.env.MODULES_OF === 'own';

function packageOf(url) {
  const [, path] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (path) return path;
  return isDetailed ? url.slice(url.indexOf('/dist/') + 1) : '(own)';
}

await build();
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
for (const entry of ['dist/src/main.cjs', 'dist/service/main.cjs']) {
  const server = await start(join(root, entry), {
    NODE_ENV: 'test',
    LOG_LEVEL: 'warn',
    DATA_DIR: directory,
    NODE_DISABLE_COMPILE_CACHE: '1',
    NODE_OPTIONS: `--require ${join(import.meta.dirname, 'servers/loading.cjs')}`,
  });
  server.child.send('loaded');
  const [loaded] = await once(server.child, 'message');
  await stop(server);
  const packages = new Map();
  for (const [url, ms] of loaded) {
    const name = packageOf(url);
    const { files, total } = packages.get(name) ?? { files: 0, total: 0 };
    packages.set(name, { files: files + 1, total: total + ms });
  }
  const rows = [...packages].sort(([, one], [, other]) => other.total - one.total);
  const sum = rows.reduce((all, [, { total }]) => all + total, 0);
  console.log(
    `\n${table([
      [entry, 'files', 'ms'],
      ['all', loaded.length, sum.toFixed(0)],
      ...rows.slice(0, MOST).map(([name, { files, total }]) => [name, files, total.toFixed(1)]),
    ])}`,
  );
}
