import { resolve } from 'node:path';
import { settings } from '../../core/config/declared.js';
import { hideMembers } from '../../core/config/reader.js';
import { InstanceSettings } from './instance.settings.js';

/** The database, the data directory and Redis. */
export class DataSettings extends settings('Data', (read) => {
  const { production } = read.of(InstanceSettings);
  const databaseUrl = read.url(
    'DATABASE_URL',
    'PostgreSQL 15 or newer, as postgres://user:password@host:5432/name. Unset: the embedded database in DATA_DIR',
    undefined,
    ['postgres:', 'postgresql:'],
    { secret: true },
  );
  const databasePoolSize = read.int(
    'DATABASE_POOL_SIZE',
    'Maximum number of database connections per process',
    10,
    [1, 200],
  );
  const databasePatience = read.int(
    'DATABASE_PATIENCE',
    'Factor for the timeouts of connections (2 s), locks (4 s) and statements (5 s), for slow database servers',
    1,
    [1, 60],
  );
  const embeddedAllowed = read.bool(
    'EMBEDDED_DATABASE',
    'Allow the embedded database. In production, set true explicitly',
    !production,
  );
  if (production && !databaseUrl && !embeddedAllowed) {
    read.fault('DATABASE_URL', 'is required in production (or EMBEDDED_DATABASE=true)');
  }
  const dataDir = read.text('DATA_DIR', 'Folder of the embedded database, local media and the generated secret', {
    shown: './data',
  });
  const migrateOnStart = read.bool('MIGRATE_ON_START', 'Apply pending migrations during startup', true);
  const redisUrl = read.url(
    'REDIS_URL',
    'Redis or Valkey (redis:// or rediss://) for counters and gateway sessions that replicas share. Unset: each process has its own',
    undefined,
    ['redis:', 'rediss:'],
    { secret: true },
  );
  const workerAbout = 'Worker number in the IDs of this process, 0-1023. Unset: leased from the database';
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
