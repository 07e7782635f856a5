import { resolve } from 'node:path';
import { settings } from '../../core/config/declared.js';
import { hideMembers, type SettingsReader } from '../../core/config/reader.js';
import { hostUrls } from '../database/hosts.js';
import { parseRedisUrl } from '../store/redis-url.js';
import { InstanceSettings } from './instance.settings.js';

const REDIS_FORMS = ['redis://host:6379', 'redis-sentinel://host:26379/name', 'or redis-cluster://host:6379'];
const PROTOCOLS = ['postgres:', 'postgresql:'];

/** Reads a database URL, which can have several hosts. */
function readDatabaseUrl(read: SettingsReader, name: string, about: string): string | undefined {
  const value = read.text(name, about, { shown: '', secret: true });
  if (value === undefined) return undefined;
  const isValid = hostUrls(value).every((url) => URL.canParse(url) && PROTOCOLS.includes(new URL(url).protocol));
  if (!isValid) read.fault(name, 'must be a URL that begins with postgres:// or postgresql://');
  return value.replace(/\/$/, '');
}

/** The database, the data directory and Redis. */
export class DataSettings extends settings('Data', (read) => {
  const { production } = read.of(InstanceSettings);
  const databaseUrl = readDatabaseUrl(
    read,
    'DATABASE_URL',
    'PostgreSQL 15 or newer, as postgres://user:password@host:5432/name. Several hosts (host1:5432,host2:5432): the one that accepts writes is used. Unset: the embedded database in DATA_DIR',
  );
  const databaseDirectUrl = readDatabaseUrl(
    read,
    'DATABASE_DIRECT_URL',
    'The same database without a connection pooler, for notifications, locks and migrations. Required if the pooler of DATABASE_URL shares sessions (PgBouncer in transaction mode). Unset: DATABASE_URL',
  );
  if (databaseDirectUrl && !databaseUrl) read.fault('DATABASE_DIRECT_URL', 'needs DATABASE_URL');
  const databaseReadUrl = readDatabaseUrl(
    read,
    'DATABASE_READ_URL',
    'A standby of the same database, for lists, exports, audit search and statistics. Never for credentials. While it is away or behind, the primary is used. Unset: DATABASE_URL',
  );
  if (databaseReadUrl && !databaseUrl) read.fault('DATABASE_READ_URL', 'needs DATABASE_URL');
  if (databaseReadUrl && hostUrls(databaseReadUrl).length > 1) read.fault('DATABASE_READ_URL', 'must have one host');
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
  const databaseWaitSeconds = read.int(
    'DATABASE_WAIT_SECONDS',
    'Maximum time that a start waits for a database that is away, in seconds. In the meantime, the process is alive and not ready',
    300,
    [0, 86_400],
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
  const redisUrl = read.secret(
    'REDIS_URL',
    'Redis or Valkey for counters and gateway sessions that replicas share: redis://user:password@host:6379, redis-sentinel://host:26379,host:26379/name or redis-cluster://host:6379,host:6379. With TLS: rediss. Unset: each process has its own',
  );
  if (redisUrl !== undefined && !parseRedisUrl(redisUrl)) {
    read.fault('REDIS_URL', `must be ${REDIS_FORMS.join(', ')} (with TLS: rediss instead of redis)`);
  }
  const workerAbout = 'Worker number in the IDs of this process, 0-1023. Unset: leased from the database';
  const workerId = read.int('WORKER_ID', workerAbout, 0, [0, 1023], { shown: '' });
  return hideMembers(
    {
      databaseUrl,
      databaseDirectUrl,
      databaseReadUrl,
      databasePoolSize,
      databasePatience,
      databaseWaitSeconds,
      dataDir: resolve(dataDir ?? './data'),
      migrateOnStart,
      redisUrl,
      workerId: read.peek('WORKER_ID') === undefined ? undefined : workerId,
    },
    'databaseUrl',
    'databaseDirectUrl',
    'databaseReadUrl',
    'redisUrl',
  );
}) {}
