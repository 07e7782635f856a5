import type { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { StartError } from '../../core/config/start-error.js';
import { markConnectionError } from '../../core/database-errors.js';
import { checkSessions } from './dedicated-sessions.js';
import { failConnection, poolOf } from './driver-internals.js';
import { connectTo, Hosts, isReadOnly, readOnlyHostError } from './hosts.js';
import {
  applyClientSettings,
  applySettings,
  assertSharedSettings,
  MAX_CONNECT_ATTEMPTS,
  WrongResultError,
} from './session-settings.js';

// Longer than the longest statement timeout and the idle timeout of the pool.
const SOCKET_IDLE_TIMEOUT_MS = 12_000;
const CONNECT_TIMEOUT_MS = 2000;

/** A timer that fires this much too late shows that the process was suspended. */
const SUSPENSION_MS = 500;

/** Name of the server function that reports a commit which the standbys may not have. */
const REPLICATION_WAIT = 'SyncRepWaitForLSN';

/**
 * Marks errors of failed connection attempts as database errors, so that they are not blamed on the client of a
 * request. After a suspension, the pool gives up before it reads the data that has arrived, so the request is repeated.
 * It is also repeated after a wrong result of a pooler.
 */
export function handleConnectErrors(pool: ReturnType<typeof poolOf>, onError: () => void = () => {}): void {
  const { connect } = pool;
  const timeout = pool.options.connectionTimeoutMillis ?? 0;
  pool.connect = (connected) => {
    if (!connected) return connect.call(pool, connected);
    const startedAt = performance.now();
    let attempts = 0;
    return connect.call(pool, check);
    function check(...[error, ...rest]: Parameters<NonNullable<typeof connected>>): void {
      if (error instanceof WrongResultError && ++attempts < MAX_CONNECT_ATTEMPTS) connect.call(pool, check);
      else if (error && performance.now() - startedAt > timeout + SUSPENSION_MS) connect.call(pool, reply);
      else reply(error, ...rest);
    }
    function reply(...[error, ...rest]: Parameters<NonNullable<typeof connected>>): void {
      markConnectionError(error);
      if (error) onError();
      connected?.(error, ...rest);
    }
  };
}

/**
 * The server may close a connection right after it accepts it, before the caller can attach a listener. An unhandled
 * `error` event would end the process; with this handler, only the next statement on the connection fails.
 */
const attachErrorHandler = (client: EventEmitter): void => void client.on('error', markConnectionError);

/**
 * With synchronous replication, a timeout ends the wait for the standbys and the commit succeeds with only a warning.
 * The statement fails instead, because a failover would lose the change.
 */
function failUnreplicatedCommits(client: pg.PoolClient): void {
  client.on('notice', ({ routine }) => {
    if (routine !== REPLICATION_WAIT) return;
    const error = new Error('Connection terminated: no standby has received the transaction in time');
    markConnectionError(error);
    failConnection(client, error);
  });
}

async function findPrimary(url: string, patience: number): Promise<Hosts> {
  const hosts = new Hosts(url, { connectionTimeoutMillis: CONNECT_TIMEOUT_MS * patience });
  if (hosts.areSeveral) await hosts.find();
  return hosts;
}

const OLDEST_POSTGRES = 150_000;

/** @throws StartError if the server is older than the oldest supported version */
async function assertVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int AS version",
  );
  const version = rows[0]?.version ?? 0;
  if (version < OLDEST_POSTGRES)
    throw new StartError(`PostgreSQL ${Math.floor(version / 10_000)} is too old. Use PostgreSQL 15 or newer`);
}

/**
 * If one of several pipelined statements fails, pgpool-II 4.3 sometimes loses the state of the transaction, and rejects
 * later statements. PostgreSQL has no such parameter.
 */
const isPgpool = (client: pg.Client): Promise<boolean> =>
  client.query<{ pool_version: string }>('SHOW pool_version').then(
    () => true,
    () => false,
  );

/** How this process connects to a PostgreSQL server, its poolers and its standbys. */
export class ServerConnections {
  /** While true, silent connections stay open, because migrations may take any time. */
  isPatient = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    readonly hosts: Hosts,
    /** Whether the connections of the pool share sessions, in which nothing may be kept. */
    readonly areShared: boolean,
    /**
     * Whether a statement may be sent while the one before it is under way. Statements of one connection could then run
     * in different shared sessions.
     */
    private readonly canPipeline: boolean,
    readonly patience: number,
  ) {
    hosts.onChange(() => {
      for (const socket of this.sockets) socket.destroy();
    });
  }

  /**
   * Finds the primary and checks what its sessions can do.
   * @throws StartError if the server is too old, or connections share sessions and there is no direct URL, or lack settings
   */
  static async open(url: string, directUrl: string, patience: number): Promise<ServerConnections> {
    const hosts = await findPrimary(url, patience);
    const areShared = await checkSessions(url, directUrl, patience);
    const client = await connectTo(url, { connectionTimeoutMillis: CONNECT_TIMEOUT_MS * patience });
    try {
      await assertVersion(client);
      if (areShared) await assertSharedSettings(client, patience);
      const canPipeline = !areShared && !(await isPgpool(client));
      return new ServerConnections(hosts, areShared, canPipeline, patience);
    } finally {
      client.end().catch(() => {});
    }
  }

  /** Connections to a URL that leads to sessions of their own. */
  static async direct(url: string, patience: number): Promise<ServerConnections> {
    return new ServerConnections(await findPrimary(url, patience), false, false, patience);
  }

  /** Creates an unconnected pool for the current primary. `more` are further options of the pool and its connections. */
  pool(options: DataSourceOptions, more: pg.PoolConfig = {}): DataSource {
    const { hosts } = this;
    return new DataSource({
      ...options,
      extra: {
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS * this.patience,
        keepAlive: true,
        stream: () => this.createSocket(),
        pipeline: this.canPipeline,
        onConnect: (client: pg.PoolClient) => this.initialize(client),
        ...(hosts.areSeveral && {
          Client: class extends pg.Client {
            constructor(config: pg.ClientConfig) {
              super({ ...config, connectionString: hosts.url });
            }
          },
        }),
        ...more,
      },
    } as DataSourceOptions);
  }

  /** Prepares a pool for the case that its primary fails. */
  watch(source: DataSource): void {
    handleConnectErrors(poolOf(source), () => this.hosts.search());
  }

  /** A lost peer may leave the connection open without an error, so a silent socket is destroyed. */
  private createSocket(): Socket {
    const socket = new Socket();
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    return socket.setTimeout(SOCKET_IDLE_TIMEOUT_MS * this.patience, () => {
      if (!this.isPatient) socket.destroy();
    });
  }

  private async initialize(client: pg.PoolClient): Promise<void> {
    attachErrorHandler(client);
    failUnreplicatedCommits(client);
    if (this.areShared) await applyClientSettings(client);
    else await applySettings(client, this.patience);
    if (this.hosts.areSeveral && (await isReadOnly(client))) throw readOnlyHostError();
  }
}
