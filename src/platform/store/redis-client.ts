import type { Command, Redis } from 'ioredis';
import { afterSilence } from '../process/answer-limit.js';

const PROBE_MS = 1500;
const MAX_UNANSWERED = 2;
const RETRY_MS = 2000;
/** How long a connection may take to end. The client waits it out also where there is none any more. */
const ENDING_MS = 100;

/** Connects in the background: a server that is down at boot delays nothing. Whoever calls has to expect no answer. */
export async function connectRedis(url: string, answerMs: number): Promise<Redis> {
  const { Redis } = await import('ioredis');
  class Asking extends Redis {
    override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown {
      const timer = afterSilence(answerMs, () => command.reject(new Error('No answer in time')));
      // Also where nobody waits: what the client subscribes to by itself on a new connection may get no answer.
      const ended = () => clearTimeout(timer);
      command.promise.then(ended, ended);
      return super.sendCommand(command, stream);
    }
  }
  const client = new Asking(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: RETRY_MS,
    disconnectTimeout: ENDING_MS,
    retryStrategy: (attempt) => Math.min(attempt * 100, RETRY_MS),
  });
  // Failures are noticed where a command fails; without a listener the client would write them to the console.
  client.on('error', () => {});
  watch(client);
  return client;
}

/** A connection that swallows everything reports no error: it is given up when probes stay unanswered. */
function watch(client: Redis): void {
  let unanswered = 0;
  const answered = () => {
    unanswered = 0;
  };
  const probe = setInterval(() => {
    if (client.status !== 'ready') return;
    if (unanswered >= MAX_UNANSWERED) return client.disconnect(true);
    unanswered++;
    client.ping().then(answered, () => {});
  }, PROBE_MS).unref();
  client.on('ready', answered);
  client.on('end', () => clearInterval(probe));
}
