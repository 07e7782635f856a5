import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach } from '@jest/globals';
import type { DynamicModule, Type } from '@nestjs/common';
import { createApp } from '../../src/app.js';
import { loadConfig } from '../../src/features.js';
import { openTestDatabase, startFront, type TestDatabase } from './gatehouse.js';
import { GENEROUS_TIMEOUTS } from './timeouts.js';

const databases: TestDatabase[] = [];

afterEach(async () => {
  for (const database of databases.splice(0)) await database.release();
});

/**
 * Starts the service with the modules of an extension on its own database, for one test. It does not listen on a port.
 */
export async function boot(
  modules: readonly (Type | DynamicModule)[],
  env: Record<string, string> = {},
  unguarded: Readonly<Record<string, string>> = {},
) {
  const { settings, embedded } = await settingsWith(env);
  return createApp(loadConfig(settings), { modules, unguarded, ...(embedded ? { embeddedDatabase: embedded } : {}) });
}

/**
 * Starts the service with these settings and stops it. If `GATEHOUSE_TEST_FRONT` is set, it is the process which that
 * file starts.
 * @throws Error that names the reason if the service does not start
 */
export async function startWith(env: Record<string, string>): Promise<void> {
  const { settings, embedded } = await settingsWith(env);
  const service =
    (await startFront(settings, () => {})) ??
    (await createApp(loadConfig(settings), embedded ? { embeddedDatabase: embedded } : {}));
  await service.close();
}

async function settingsWith(env: Record<string, string>) {
  const database = await openTestDatabase();
  databases.push(database);
  const { databaseUrl, embedded } = database;
  const settings = {
    NODE_ENV: 'test',
    HTTP_PLATFORM: process.env.HTTP_PLATFORM,
    GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
    DATA_DIR: join(process.env.GATEHOUSE_TEST_DIR ?? 'data/test', randomBytes(4).toString('hex')),
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'silent',
    ...GENEROUS_TIMEOUTS,
    ...env,
  };
  return { settings, embedded };
}
