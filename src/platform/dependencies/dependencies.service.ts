import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { Metrics } from '../../core/metrics.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { Database } from '../database/database.js';
import { Outbound } from '../outbound/outbound.js';
import { RedisProbe } from '../store/redis-probe.js';
import type { Dependency } from './dependency.js';
import { type TestResult, testGroup, usedGroups } from './self-test.js';

/** While a test fails, its group is tested this often, so that the service becomes ready soon after the repair. */
const RETRY_MS = 1000;

/** The database and Redis are tested more often than servers of other operators. */
const CORE_INTERVAL_MS = 5000;

type Group = readonly Dependency[];

const CORE_GROUPS: readonly Dependency['group'][] = ['database', 'read replica', 'redis'];
const isCore = (group: Dependency['group']): boolean => CORE_GROUPS.includes(group);

/**
 * Tests the dependencies of this process in the background. Readiness requests use the last results. The log and a
 * metric show each dependency that fails or works again.
 */
@Injectable()
export class Dependencies implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly causes = new Map<string, string>();
  private readonly required = new Set<string>();
  private readonly timers = new Map<Group, NodeJS.Timeout>();
  private readonly running = new Set<Promise<void>>();
  private isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly outbound: Outbound,
    private readonly features: FeatureRegistry,
    private readonly config: Config,
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly redis: RedisProbe,
  ) {}

  /** Names of the dependencies that do not work and without which the process is not ready. */
  get missing(): readonly string[] {
    return [...this.causes.keys()].filter((name) => this.required.has(name));
  }

  async onApplicationBootstrap(): Promise<void> {
    const groups = usedGroups(this.config);
    for (const [name, group] of groups) {
      for (const each of group) if (each.isRequired) this.required.add(each.name);
      if (isCore(name)) await this.run(group);
      else this.runIn(this.intervalOf(group), group);
    }
  }

  private runIn(milliseconds: number, group: Group): void {
    if (this.isStopped) return;
    const start = () => {
      const round = this.run(group).catch((error) => this.log.error('testing dependencies stopped', { error }));
      this.running.add(round);
      round.finally(() => this.running.delete(round)).catch(() => {});
    };
    this.timers.set(group, setTimeout(start, milliseconds).unref());
  }

  private async run(group: Group): Promise<void> {
    const { config, log, database, outbound, redis, features } = this;
    const tables = [...features.erasure.keys()];
    const results = await testGroup(group, { config, log, database, outbound, redis, tables });
    for (const result of results) this.report(result);
    const isFailing = results.some(({ cause, dependency }) => cause !== null && dependency.isRequired);
    this.runIn(isFailing ? RETRY_MS : this.intervalOf(group), group);
  }

  private intervalOf([first]: Group): number {
    return first && isCore(first.group) ? CORE_INTERVAL_MS : this.config.dependencyTestSeconds * 1000;
  }

  private report({ dependency: { name, isRequired }, cause, fix }: TestResult): void {
    if (cause === undefined || this.isStopped) return;
    const former = this.causes.get(name);
    const effect = isRequired ? ': the service is not ready' : '';
    if (cause !== null && cause !== former) this.log.error(`dependency ${name} fails${effect}. ${fix}`, { cause });
    if (cause === null && former !== undefined) this.log.info(`dependency ${name} works again`, { cause: former });
    if (cause === null) this.causes.delete(name);
    else this.causes.set(name, cause);
    this.metrics.set('gatehouse_dependency_up', { name }, Number(cause === null));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.all(this.running);
  }
}
