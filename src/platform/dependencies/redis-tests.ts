import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connectRedis } from '../store/redis-client.js';
import { type Dependency, type GroupMember, type TestTools, UnmetRequirement } from './dependency.js';

const DELIVERY_TIMEOUT_MS = 2000;

const clientOf = ({ redis }: TestTools) => {
  if (!redis) throw new Error('there is no connection to Redis');
  return redis.client;
};

/**
 * Redis rejects the command itself, for example by an access rule or for lack of memory. Without a connection, the
 * cause is the error of the last attempt to connect.
 */
const rethrowAsUnmet = (error: Error): never => {
  throw error.name === 'ReplyError' ? new UnmetRequirement(error.message.slice(0, 100)) : (error.cause ?? error);
};

async function assertDelivered(tools: TestTools): Promise<void> {
  const sender = clientOf(tools);
  const receiver = await connectRedis(tools.config.redisUrl ?? '', DELIVERY_TIMEOUT_MS);
  const channel = `gatehouse:notices:test:${randomUUID()}`;
  try {
    if (receiver.status !== 'ready') await once(receiver, 'ready');
    const received = new Promise<boolean>((resolve) => {
      receiver.on('message', () => resolve(true));
      setTimeout(resolve, DELIVERY_TIMEOUT_MS, false);
    });
    await receiver.subscribe(channel).catch(rethrowAsUnmet);
    await sender.publish(channel, '').catch(rethrowAsUnmet);
    if (!(await received)) throw new UnmetRequirement(`no message within ${DELIVERY_TIMEOUT_MS / 1000} s`);
  } finally {
    receiver.disconnect();
  }
}

const MEMBERS: readonly GroupMember[] = [
  {
    name: 'redis',
    needs: 'Redis responds',
    without: 'Processes count separately and no gateway session starts',
    fix: 'Check REDIS_URL and the connection to the server',
    isRequired: false,
    test: async (tools) => {
      await clientOf(tools).ping().catch(rethrowAsUnmet);
    },
  },
  {
    name: 'redis-writable',
    needs: 'Redis accepts writes',
    fix: 'Use the primary instead of a replica. If the memory is full, raise maxmemory',
    test: async ({ redis }) => {
      const fault = await redis?.findFault();
      if (fault) throw new UnmetRequirement(`Redis cannot be used: ${fault}`);
    },
  },
  {
    name: 'redis-scripts',
    needs: 'Redis runs scripts',
    fix: 'Allow EVAL, EVALSHA and SCRIPT in the access rules of the user (ACL SETUSER <user> +@scripting)',
    test: async (tools) => {
      await clientOf(tools).eval('return redis.call("TIME")', 0).catch(rethrowAsUnmet);
    },
  },
  {
    name: 'redis-subscriptions',
    needs: 'Redis delivers messages',
    without: 'Only PostgreSQL notifies other replicas',
    fix: 'Allow PUBLISH, SUBSCRIBE and the channels gatehouse:notices:* in the access rules of the user',
    isRequired: false,
    test: assertDelivered,
  },
  {
    name: 'redis-eviction',
    needs: 'Redis removes no keys to save memory',
    without: 'A removed counter resets its limit',
    fix: 'Set maxmemory-policy to noeviction, or to a volatile policy if other programs use the same server',
    isRequired: false,
    test: async (tools) => {
      const text = await clientOf(tools).info('memory').catch(rethrowAsUnmet);
      const policy = /^maxmemory_policy:(\S+)/m.exec(text)?.[1] ?? 'noeviction';
      if (policy.startsWith('allkeys-')) throw new UnmetRequirement(`maxmemory-policy is ${policy}`);
    },
  },
];

/** Properties of Redis or Valkey. A server that is away is tolerated, but not one that responds and does not work. */
export const REDIS_DEPENDENCIES: readonly Dependency[] = MEMBERS.map((member) => ({
  ...{ isRequired: true, ...member, group: 'redis' },
  isUsed: ({ redisUrl }) => redisUrl !== undefined,
}));
