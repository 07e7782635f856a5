/**
 * All that Gatehouse uses of ioredis outside its documented interface. `test/platform/redis-internals.spec.ts` fails on
 * the upgrade that changes it.
 */
import type { Cluster, Command, Redis } from 'ioredis';

/**
 * Calls `watch` before each command of a client. This includes the subscriptions that the client repeats by itself on a
 * new connection, which may also get no response.
 */
export function onCommand(client: Redis | Cluster, watch: (command: Command) => void): void {
  const send: (...args: Parameters<Cluster['sendCommand']>) => unknown = client.sendCommand.bind(client);
  client.sendCommand = (...args: Parameters<Cluster['sendCommand']>) => {
    watch(args[0]);
    return send(...args);
  };
}
