import { resolve } from 'node:path';
import { settings } from '../../core/config/declared.js';
import { hideMembers } from '../../core/config/reader.js';
import { InstanceSettings } from './instance.settings.js';

/** The database, the data directory and Redis. */
export class DataSettings extends settings('Data', (read) => {
  const { production } = read.of(InstanceSettings);
  const databaseUrl = read.url(
    'DATABASE_URL',
    'PostgreSQL 15 or newer, as postgres://user:password@host:5432/name; unset: embedded in DATA_DIR',
    undefined,
    ['postgres:', 'postgresql:'],
    { secret: true },
  );
  const databasePoolSize = read.int('DATABASE_POOL_SIZE', 'Connections per process', 10, [1, 200]);
  const databasePatience = read.int(
    'DATABASE_PATIENCE',
    'How many times as long as usual a connection (2 s), a lock (4 s) and a statement (5 s) are waited for: slow servers',
    1,
    [1, 60],
  );
  const embeddedAllowed = read.bool(
    'EMBEDDED_DATABASE',
    'Allows the embedded database; in production only where this says true',
    !production,
  );
  if (production && !databaseUrl && !embeddedAllowed) {
    read.fault('DATABASE_URL', 'is required in production (or EMBEDDED_DATABASE=true)');
  }
  const dataDir = read.text('DATA_DIR', 'Embedded database, local media, generated development secret', {
    shown: './data',
  });
  const migrateOnStart = read.bool('MIGRATE_ON_START', 'Applies pending migrations at the start', true);
  const redisUrl = read.url(
    'REDIS_URL',
    'Redis or Valkey (redis:// or rediss://) for counters and gateway sessions that replicas share. Unset: each process has its own',
    undefined,
    ['redis:', 'rediss:'],
    { secret: true },
  );
  const workerAbout = 'Worker number of this process in ids, 0-1023; unset: leased from the database';
  const workerId = read.int('WORKER_ID', workerAbout, 0, [0, 1023], { shown: '' });
  return hideMembers(
    {
      databaseUrl,
      databasePoolSize,
      databasePatience,
      dataDir: resolve(dataDir ?? './data'),
      migrateOnStart,
      redisUrl,
      workerId: read.peek('WORKER_ID') === undefined ? undefined : workerId,
    },
    'databaseUrl',
    'redisUrl',
  );
}) {}
