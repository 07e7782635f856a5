/**
 * `npm run rolling -- [ref]`: runs two versions of the service under traffic. It starts two replicas of a commit, a tag
 * or a branch (default: the last release). It replaces them one by one with replicas of this checkout, then back, then
 * forward again. At the same time, clients sign in, change data, redeem codes, end sessions and listen to the gateway.
 * This needs PostgreSQL and Redis: servers of its own, or those of `TEST_DATABASE_URL` and `TEST_REDIS_URL`.
 * `ROLLING_FOLDER` keeps the build of the old version for another run. Exits with 1 if a request failed, a change was
 * lost or a revocation did not take effect.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from './build.mjs';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

await build();
const { built, lastRelease, Version } = await import('./rolling/versions.mjs');
const { database, redis } = await import('./rolling/servers.mjs');
const { run } = await import('./rolling/run.mjs');

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-rolling-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const { ROLLING_FOLDER } = process.env;
const servers = [];
try {
  const ref = process.argv[2] ?? lastRelease();
  const oldest = built(ref, ROLLING_FOLDER ? resolve(ROLLING_FOLDER) : join(folder, 'old'));
  servers.push(await database(folder), await redis(folder));
  const [{ url: databaseUrl }, { url: redisUrl }] = servers;
  const data = join(folder, 'data');
  mkdirSync(data);
  await run(oldest, Version.newest, { databaseUrl, redisUrl, folder: data });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
for (const { close } of servers) await close();
process.exit();
