import type { INestApplication } from '@nestjs/common';
import { Database } from '../../src/platform/database/database.js';
import { poolOf } from '../../src/platform/database/driver-internals.js';
import type { EmbeddedEngine } from '../../src/platform/database/engine.js';
import { DatabaseMonitor } from '../../src/platform/replicas/database-monitor.js';
import { CuttableProxy } from './cuttable-proxy.js';
import { withExec } from './embedded.js';
import { eventually } from './mail.js';

/** Ends an outage. Resolves when the service has detected the end. */
export type EndOutage = () => Promise<void>;

/** The database and the Redis server that a service uses. */
export interface Backends {
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly embedded: EmbeddedEngine | undefined;
}

/** A connection between the service and one of its backends, which a test can cut. */
interface BackendConnection {
  cut(app: INestApplication): void;
  restore(): void;
  close(): void;
}

/** The error of the driver if a server is unreachable. */
const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

/**
 * The embedded database has no network to cut. Instead, its connections are closed, and new ones fail like those to a
 * server.
 */
class EmbeddedConnection implements BackendConnection {
  readonly engine: EmbeddedEngine;
  private isCut = false;

  constructor(engine: EmbeddedEngine) {
    this.engine = withExec(engine, (...args) => (this.isCut ? Promise.reject(refused()) : engine.exec(...args)));
  }

  cut(app: INestApplication): void {
    this.isCut = true;
    const master = poolOf(app.get(Database).source) as { readonly _clients?: readonly EmbeddedClient[] };
    for (const { connection } of [...(master._clients ?? [])]) connection.stream.destroy();
  }

  restore(): void {
    this.isCut = false;
  }

  close(): void {}
}

interface EmbeddedClient {
  readonly connection: { readonly stream: { destroy(): void } };
}

/** For the embedded database, the readiness check reports only that it was opened. Therefore a query checks it. */
async function isUsable(app: INestApplication): Promise<boolean> {
  const database = app.get(Database);
  if (!database.isEmbedded) return app.get(DatabaseMonitor).isUsable;
  return database.manager.query('SELECT 1').then(
    () => true,
    () => false,
  );
}

/** Proxies between a service and its backends, so that a test can cut the connections. */
export class OutageProxies {
  private constructor(
    /** The backends that the service is configured with. */
    readonly backends: Backends,
    private readonly toDatabase: BackendConnection | undefined,
    private readonly toRedis: CuttableProxy | undefined,
  ) {}

  static async between({ databaseUrl, redisUrl, embedded }: Backends): Promise<OutageProxies> {
    const server = databaseUrl === undefined ? undefined : await CuttableProxy.to(databaseUrl, 5432);
    const redis = redisUrl === undefined ? undefined : await CuttableProxy.to(redisUrl, 6379);
    const engine = embedded && new EmbeddedConnection(embedded);
    const backends = { databaseUrl: server?.url, redisUrl: redis?.url, embedded: engine?.engine };
    return new OutageProxies(backends, server?.proxy ?? engine, redis?.proxy);
  }

  async database(app: INestApplication): Promise<EndOutage> {
    const connection = this.toDatabase;
    if (!connection) throw new Error('cutDatabase() needs a database that the kit has opened, or DATABASE_URL');
    connection.cut(app);
    await eventually('an outage of the database', async () => ((await isUsable(app)) ? undefined : true));
    return async () => {
      connection.restore();
      await eventually('the end of an outage', async () => ((await isUsable(app)) ? true : undefined));
    };
  }

  async redis(): Promise<EndOutage> {
    const connection = this.toRedis;
    if (!connection) throw new Error("cutRedis() needs a Redis server: gatehouse({ env: { REDIS_URL: '...' } })");
    const before = connection.connections;
    connection.cut();
    await eventually('the end of all connections to Redis', async () =>
      connection.connections === 0 ? true : undefined,
    );
    return async () => {
      connection.restore();
      await eventually('new connections to Redis', async () => (connection.connections >= before ? true : undefined));
    };
  }

  close(): void {
    this.toDatabase?.close();
    this.toRedis?.close();
  }
}
