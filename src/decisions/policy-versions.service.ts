import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ServicePolicies } from '../pipeline/service-policies.service.js';
import { Database, type Tx } from '../platform/database/database.js';
import { InstanceSetting } from '../platform/instance/instance.entities.js';
import { ReplicaBus } from '../platform/replicas/replica-bus.js';
import { DECISION_TOPIC } from './tags.js';

const SETTING = 'service_policies';
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('${SETTING}', 0))`;

type Hashes = Readonly<Record<string, string>>;

/**
 * The service policies of the last start, stored by name and hash. A start with another hash announces it, so that
 * services drop the decisions of the former policy.
 */
@Injectable()
export class PolicyVersions implements OnApplicationBootstrap {
  private stored: Hashes = {};

  constructor(
    private readonly policies: ServicePolicies,
    private readonly database: Database,
    private readonly replicaBus: ReplicaBus,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.replicaBus.on(DECISION_TOPIC, ({ policies }) => (policies ? this.reload() : undefined));
    this.replicaBus.on('resync', () => this.reload());
    if (await this.database.hasPendingMigrations()) return;
    const own = Object.fromEntries(this.policies.all.map(({ name, hash }) => [name, hash]));
    await this.database.transaction(async (tx) => {
      await tx.query(LOCK);
      const former = await this.read(tx);
      const changed = Object.entries(former).filter(([name, hash]) => own[name] !== hash);
      const isNew = Object.keys(own).some((name) => !Object.hasOwn(former, name));
      if (changed.length === 0 && !isNew) return;
      await tx.upsert(InstanceSetting, { name: SETTING, value: own }, ['name']);
      const policies = changed.map((pair) => pair.join(':'));
      await this.replicaBus.announce(tx, { topic: DECISION_TOPIC, data: { policies } });
    });
    await this.reload();
  }

  /** Whether a later start has replaced the policy. Then this process is about to end, and its decisions must not be kept. */
  isOutdated({ name, hash }: { readonly name: string; readonly hash: string }): boolean {
    return this.stored[name] !== hash;
  }

  private async reload(): Promise<void> {
    this.stored = await this.read(this.database.manager);
  }

  private async read(tx: Tx): Promise<Hashes> {
    const row = await tx.findOneBy(InstanceSetting, { name: SETTING });
    return (row?.value ?? {}) as Hashes;
  }
}
