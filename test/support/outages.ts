import type { INestApplication } from '@nestjs/common';
import { Database } from '../../src/platform/database/database.js';
import type { EmbeddedEngine } from '../../src/platform/database/engine.js';
import { DatabaseMonitor } from '../../src/platform/replicas/database-monitor.js';
import { Detour } from './cuttable-proxy.js';
import { eventually } from './mail.js';

/** Ends an outage. Resolves when the service has detected the end. */
export type Mend = () => Promise<void>;

/** The database and the Redis server that a service uses. */
export interface Footing {
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly embedded: EmbeddedEngine | undefined;
}

/** A connection between the service and one of its backends, which a test can cut. */
interface Way {
  cut(app: INestApplication): void;
  mend(): void;
  close(): void;
}

/** The error of the driver if a server is unreachable. */
const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

/**
 * The embedded database has no network to cut. Instead, its connections are closed, and new ones fail like those to a
 * server.
 */
class EmbeddedWay implements Way {
  readonly engine: EmbeddedEngine;
  private isCut = false;

  constructor(engine: EmbeddedEngine) {
    const exec: EmbeddedEngine['exec'] = (...asked) => (this.isCut ? Promise.reject(refused()) : engine.exec(...asked));
    this.engine = new Proxy(engine, {
      get(target, name) {
        if (name === 'exec') return exec;
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  cut(app: INestApplication): void {
    this.isCut = true;
    const { master } = app.get(Database).source.driver as unknown as { master: { _clients: EmbeddedClient[] } };
    for (const { connection } of [...master._clients]) connection.stream.destroy();
  }

  mend(): void {
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
export class Cuts {
  private constructor(
    /** The backends that the service is configured with. */
    readonly footing: Footing,
    private readonly toDatabase: Way | undefined,
    private readonly toRedis: Detour | undefined,
  ) {}

  static async between({ databaseUrl, redisUrl, embedded }: Footing): Promise<Cuts> {
    const server = databaseUrl === undefined ? undefined : await Detour.to(databaseUrl, 5432);
    const redis = redisUrl === undefined ? undefined : await Detour.to(redisUrl, 6379);
    const engine = embedded && new EmbeddedWay(embedded);
    const footing = { databaseUrl: server?.url, redisUrl: redis?.url, embedded: engine?.engine };
    return new Cuts(footing, server?.detour ?? engine, redis?.detour);
  }

  async database(app: INestApplication): Promise<Mend> {
    const way = this.toDatabase;
    if (!way) throw new Error('cutDatabase() needs a database that the kit has opened, or DATABASE_URL');
    way.cut(app);
    await eventually('an outage of the database', async () => ((await isUsable(app)) ? undefined : true));
    return async () => {
      way.mend();
      await eventually('the end of an outage', async () => ((await isUsable(app)) ? true : undefined));
    };
  }

  async redis(): Promise<Mend> {
    const way = this.toRedis;
    if (!way) throw new Error("cutRedis() needs a Redis server: gatehouse({ env: { REDIS_URL: '...' } })");
    const before = way.connections;
    way.cut();
    await eventually('the end of all connections to Redis', async () => (way.connections === 0 ? true : undefined));
    return async () => {
      way.mend();
      await eventually('new connections to Redis', async () => (way.connections >= before ? true : undefined));
    };
  }

  close(): void {
    this.toDatabase?.close();
    this.toRedis?.close();
  }
}
