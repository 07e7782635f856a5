import type { Config } from '../../core/config/config.js';
import type { Log } from '../../core/log.js';
import type { Database } from '../database/database.js';
import { PostgresReplicaBus } from './postgres-replica-bus.js';
import { ReplicaBus } from './replica-bus.js';

/** Creates the bus of this process, and connects it if other processes can use the same database. */
export async function joinReplicas(config: Config, database: Database, log: Log): Promise<ReplicaBus> {
  if (!config.databaseUrl) return new SingleReplicaBus(database, log, config.workerId ?? 0);
  const replica = new PostgresReplicaBus(
    database,
    log,
    config.databaseDirectUrl ?? config.databaseUrl,
    config.workerId,
  );
  try {
    await replica.connect();
    if (config.redisUrl) await replica.openHints(config, config.redisUrl);
  } catch (error) {
    await replica.close();
    throw error;
  }
  return replica;
}

/** The only process on its database, which is embedded. */
class SingleReplicaBus extends ReplicaBus {
  readonly isConnected = true;
  readonly hasWorkerId = true;

  constructor(
    database: Database,
    log: Log,
    readonly workerId: number,
  ) {
    super(database, log);
  }

  protected wakeOthers(): void {}

  /** There are no other writers, so nothing can be missed. */
  protected mayHaveMissedEntries(): boolean {
    return false;
  }
}
