import type { Cluster, Redis } from 'ioredis';
import { setReadTimeout } from '../process/query-timeout.js';
import { onCommand } from './redis-internals.js';
import { parseRedisUrl, type RedisTarget } from './redis-url.js';

const PROBE_MS = 1500;
const MAX_UNANSWERED_PROBES = 2;
const RETRY_MS = 2000;
/** Time to close a connection. The client also waits for it if there is no connection any more. */
const DISCONNECT_TIMEOUT_MS = 100;
/** How often a connection may be replaced because its server is read-only. */
const READ_ONLY_RETRY_MS = 1000;
const TOPOLOGY_REFRESH_MS = 5000;

/** A connection to one server, or the connections to the nodes of a cluster. */
export type RedisConnection = Redis | Cluster;

const retryDelayMs = (attempt: number): number => Math.min(attempt * 100, RETRY_MS);

/** A server that was demoted to a replica rejects writes. A new connection leads to its successor. */
function createReadOnlyCheck(): (error: Error) => boolean {
  let reconnectedAt = Number.NEGATIVE_INFINITY;
  return ({ message }) => {
    if (!/\bREADONLY\b/.test(message) || performance.now() - reconnectedAt < READ_ONLY_RETRY_MS) return false;
    reconnectedAt = performance.now();
    return true;
  };
}

async function createClient(target: RedisTarget): Promise<RedisConnection> {
  const { Cluster, Redis } = await import('ioredis');
  const common = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: RETRY_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    retryStrategy: retryDelayMs,
    reconnectOnError: createReadOnlyCheck(),
  };
  if (target.kind === 'server') return new Redis(target.url, common);
  const { kind, hosts, isEncrypted, ...members } = target;
  const tls = isEncrypted ? { tls: {} } : {};
  if (kind === 'sentinel') {
    const sentinelTls = isEncrypted ? { sentinelTLS: {}, enableTLSForSentinelMode: true } : {};
    return new Redis({ ...common, ...members, ...tls, ...sentinelTls, sentinels: [...hosts] });
  }
  const { connectTimeout, disconnectTimeout } = common;
  return new Cluster([...hosts], {
    enableOfflineQueue: false,
    clusterRetryStrategy: retryDelayMs,
    slotsRefreshInterval: TOPOLOGY_REFRESH_MS,
    // Certificates contain host names, so they are not replaced by IP addresses.
    ...(isEncrypted ? { dnsLookup: (host, done) => done(null, host) } : {}),
    redisOptions: { ...members, ...tls, connectTimeout, disconnectTimeout },
  });
}

/**
 * Connects in the background, so that a server that is down does not delay startup. Callers must expect commands to
 * time out. While there is no connection, the `cause` of a failed command is the error of the last attempt to connect.
 */
export async function connectRedis(url: string, answerMs: number): Promise<RedisConnection> {
  const target = parseRedisUrl(url);
  if (!target) throw new Error('Invalid REDIS_URL');
  const client = await createClient(target);
  let connectionError: Error | undefined;
  onCommand(client, (command) => {
    const timer = setReadTimeout(answerMs, () => command.reject(new Error('No response in time')));
    const ended = () => clearTimeout(timer);
    command.promise.then(ended, (error: Error) => {
      ended();
      if (error !== connectionError) error.cause ??= connectionError;
    });
  });
  client.on('error', (error) => {
    connectionError = error;
  });
  client.on('ready', () => {
    connectionError = undefined;
  });
  if ('nodes' in client) client.on('+node', closeWhenUnresponsive);
  else closeWhenUnresponsive(client);
  return client;
}

/** A lost peer may leave the connection open without an error, so it is closed if probes get no response. */
function closeWhenUnresponsive(client: Redis): void {
  let unanswered = 0;
  const answered = () => {
    unanswered = 0;
  };
  const probe = setInterval(() => {
    if (client.status !== 'ready') return;
    if (unanswered >= MAX_UNANSWERED_PROBES) return client.disconnect(true);
    unanswered++;
    client.ping().then(answered, () => {});
  }, PROBE_MS).unref();
  client.on('ready', answered);
  client.on('end', () => clearInterval(probe));
}
