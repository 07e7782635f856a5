import pg from 'pg';
import { withQueryTimeout } from '../process/query-timeout.js';
import { applyClientSettings, connectWithRightResults } from './session-settings.js';

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]+)(.*)$/s;

/** Splits a database URL with several hosts, as PostgreSQL's own programs accept it, into one URL for each host. */
export function hostUrls(url: string): readonly [string, ...string[]] {
  const [, prefix, hosts, rest] = PARTS.exec(url) ?? [];
  const [first = url, ...more] = (hosts?.split(',') ?? []).map((host) => `${prefix}${host}${rest}`);
  return [first, ...more];
}

const IS_READ_ONLY_SQL =
  "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS is_read_only";

interface Connection {
  query<R extends pg.QueryResultRow>(text: string): Promise<{ rows: R[] }>;
}

/** Whether the server rejects writes, because it is a standby or was made read-only. */
export async function isReadOnly(connection: Connection): Promise<boolean> {
  return (await connection.query<{ is_read_only: boolean }>(IS_READ_ONLY_SQL)).rows[0]?.is_read_only ?? true;
}

/** The error of a connection to a host that is not the primary. Has the SQLSTATE of a read-only transaction. */
export const readOnlyHostError = (): Error =>
  Object.assign(new Error('the host is read-only: looking for the primary'), { code: '25006' });

export interface ConnectionOptions extends Omit<pg.ClientConfig, 'connectionString'> {
  /** Maximum time to connect, and then to get the first response. */
  readonly connectionTimeoutMillis: number;
}

/** Opens a connection to one host. */
export const connectToHost = (connectionString: string, options: ConnectionOptions): Promise<pg.Client> =>
  connectWithRightResults(async () => {
    const client = await openClient(connectionString, options);
    try {
      await withQueryTimeout(options.connectionTimeoutMillis, applyClientSettings(client));
      return client;
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
  });

async function openClient(connectionString: string, options: ConnectionOptions): Promise<pg.Client> {
  const client = new pg.Client({ ...options, connectionString });
  // The server may close the connection before the caller attaches a listener.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    client.end().catch(() => {});
    throw error;
  }
  return client;
}

/**
 * Opens a connection to the database. With several hosts, all are tried at the same time, and the first one that accepts
 * writes is used.
 * @throws AggregateError with one error per host, or the error of the only host
 */
export async function connectTo(url: string, options: ConnectionOptions): Promise<pg.Client> {
  return (await connectToPrimary(hostUrls(url), options)).client;
}

async function connectToPrimary(
  urls: readonly [string, ...string[]],
  options: ConnectionOptions,
): Promise<{ url: string; client: pg.Client }> {
  const [first, ...more] = urls;
  if (more.length === 0) return { url: first, client: await connectToHost(first, options) };
  let found: string | undefined;
  return Promise.any(
    urls.map(async (url) => {
      const client = await connectToHost(url, options);
      const isUnusable = await isReadOnly(client).catch(() => true);
      if (isUnusable || found !== undefined) {
        client.end().catch(() => {});
        throw readOnlyHostError();
      }
      found = url;
      return { url, client };
    }),
  );
}

const SEARCH_PAUSE_MS = 250;

/** The hosts of a database, and which of them is the primary. */
export class Hosts {
  private readonly urls: readonly [string, ...string[]];
  private current: string;
  private searching: Promise<void> | undefined;
  private isClosed = false;
  private readonly listeners: (() => void)[] = [];

  constructor(
    url: string,
    private readonly options: ConnectionOptions,
  ) {
    this.urls = hostUrls(url);
    this.current = this.urls[0];
  }

  /** The URL of the last known primary. */
  get url(): string {
    return this.current;
  }

  get areSeveral(): boolean {
    return this.urls.length > 1;
  }

  /** Runs `listener` when another host has become the primary. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Finds the primary. @throws as `connectTo` */
  async find(): Promise<void> {
    const { url, client } = await connectToPrimary(this.urls, this.options);
    client.end().catch(() => {});
    if (url === this.current) return;
    this.current = url;
    for (const listener of this.listeners) listener();
  }

  /** Looks for the primary until it is found, in the background. */
  search(): void {
    if (!this.areSeveral) return;
    this.searching ??= this.searchUntilFound().finally(() => {
      this.searching = undefined;
    });
  }

  private async searchUntilFound(): Promise<void> {
    while (!this.isClosed) {
      const isFound = await this.find().then(
        () => true,
        () => false,
      );
      if (isFound) return;
      await new Promise((resolve) => setTimeout(resolve, SEARCH_PAUSE_MS).unref());
    }
  }

  close(): void {
    this.isClosed = true;
  }
}
