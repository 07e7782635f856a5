import type { Redis } from 'ioredis';
import { setReadTimeout } from '../process/query-timeout.js';
import { onCommand } from './redis-internals.js';

const PROBE_MS = 1500;
const MAX_UNANSWERED_PROBES = 2;
const RETRY_MS = 2000;
/** Time to close a connection. The client also waits for it if there is no connection any more. */
const DISCONNECT_TIMEOUT_MS = 100;

/**
 * Connects in the background, so that a server that is down does not delay startup. Callers must expect commands to
 * time out. While there is no connection, the `cause` of a failed command is the error of the last attempt to connect.
 */
export async function connectRedis(url: string, answerMs: number): Promise<Redis> {
  const { Redis } = await import('ioredis');
  let connectionError: Error | undefined;
  const client = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: RETRY_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 100, RETRY_MS),
  });
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
  closeWhenUnresponsive(client);
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
