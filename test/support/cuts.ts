import type { INestApplication } from '@nestjs/common';
import { Database } from '../../src/platform/database/database.js';
import type { EmbeddedEngine } from '../../src/platform/database/engine.js';
import { DatabaseMonitor } from '../../src/platform/replicas/database-monitor.js';
import { Detour } from './detour.js';
import { eventually } from './mail.js';

/** Ends an outage; resolves once the service has noticed that. */
export type Mend = () => Promise<void>;

/** Where a service finds what it stands on. */
export interface Footing {
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly embedded: EmbeddedEngine | undefined;
}

/** A way between the service and a part of its footing. */
interface Way {
  cut(app: INestApplication): void;
  mend(): void;
  close(): void;
}

/** What the driver tells of a server that is away. */
const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

/** The embedded database has no network to cut: its connections end, and new ones are refused as a server's are. */
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

/** Of the embedded database readiness knows only that it was opened. */
async function isUsable(app: INestApplication): Promise<boolean> {
  const database = app.get(Database);
  if (!database.isEmbedded) return app.get(DatabaseMonitor).isUsable;
  return database.manager.query('SELECT 1').then(
    () => true,
    () => false,
  );
}

/** What stands between a service and what it stands on, so that a test can take it away. */
export class Cuts {
  private constructor(
    /** Where the service is told to find it all. */
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
