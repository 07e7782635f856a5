import type { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { featureRegistry } from '../../features.js';
import { Database } from '../../platform/database/database.js';
import type { Dependency } from '../../platform/dependencies/dependency.js';
import { type TestResult, testGroup, usedGroups } from '../../platform/dependencies/self-test.js';
import { Network } from '../../platform/outbound/network.js';
import { Outbound } from '../../platform/outbound/outbound.js';
import { RedisProbe } from '../../platform/store/redis-probe.js';
import type { Extension } from '../../policy/extension.js';
import { type Finding, fault, ok, warning } from './finding.js';

/** Programs of other organizations, which an operator can rarely repair. */
const OF_OTHERS: ReadonlySet<Dependency['group']> = new Set(['captcha', 'identity provider']);

/** Tests everything that the service relies on. If there is no `database`, its own properties are not tested. */
export async function checkDependencies(config: Config, extension: Extension, database?: Database): Promise<Finding[]> {
  const results = await testDependencies(config, extension, database);
  return results.flatMap(({ dependency: { name, group, needs, without }, cause, fix }) => {
    if (cause === undefined) return [];
    if (cause === null) return [ok(name, needs)];
    return [(OF_OTHERS.has(group) ? warning : fault)(name, without ? `${cause}. ${without}` : cause, fix)];
  });
}

/** As `checkDependencies`, with the results of all tests. */
export async function testDependencies(
  config: Config,
  extension: Extension,
  database?: Database,
): Promise<TestResult[]> {
  const log = new Log({ logLevel: 'silent', logFormat: 'json' });
  const outbound = new Outbound(config, new Network());
  const redis = config.redisUrl ? await RedisProbe.open(config.redisUrl) : undefined;
  await redis?.whenConnected();
  const tables = [...featureRegistry(extension, config).erasure.keys()];
  const tools = { config, log, outbound, redis, tables, database: database ?? Database.unconnected(config) };
  try {
    const groups = [...usedGroups(config)].filter(
      ([name]) => database || (name !== 'database' && name !== 'read replica'),
    );
    const results = await Promise.all(groups.map(([, group]) => testGroup(group, tools)));
    return results.flat();
  } finally {
    await redis?.close();
    await outbound.onApplicationShutdown();
  }
}
