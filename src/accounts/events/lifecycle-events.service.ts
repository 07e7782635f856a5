import { Injectable, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Config } from '../../core/config/config.js';
import { StartError } from '../../core/config/start-error.js';
import { ApiError } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import type { JobName, JobPayload } from '../../core/names.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import { QueryTimeoutError } from '../../platform/process/query-timeout.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import {
  LIFECYCLE_TYPES,
  type LifecycleCause,
  type LifecycleDeclaration,
  type LifecycleEvent,
  type LifecycleFacts,
  type LifecycleSubscriber,
  type LifecycleType,
} from '../../policy/lifecycle.js';

/** Less than the timeout of a statement, so that the operation can still commit. */
const LIMIT_MS = 3000;

type AnyDeclaration = LifecycleDeclaration<LifecycleType>;

/** Delivers lifecycle events to the features that declare `lifecycle`. */
@Injectable()
export class LifecycleEvents implements OnApplicationBootstrap {
  private readonly declarations: ReadonlyMap<LifecycleType, readonly AnyDeclaration[]>;
  private readonly limitMs: number;

  constructor(
    private readonly modules: ModuleRef,
    private readonly jobs: Jobs,
    private readonly database: Database,
    private readonly log: Log,
    { databasePatience }: Config,
    { features }: FeatureRegistry,
  ) {
    this.limitMs = LIMIT_MS * databasePatience;
    this.declarations = new Map(
      LIFECYCLE_TYPES.map((type) => [
        type,
        features.flatMap(({ lifecycle }) => (lifecycle?.[type] ? [lifecycle[type] as AnyDeclaration] : [])),
      ]),
    );
  }

  /** @throws StartError if a subscriber is not a provider of a module */
  onApplicationBootstrap(): void {
    for (const [type, declarations] of this.declarations) {
      for (const { inTransaction } of declarations) if (inTransaction) this.requireProvider(type, inTransaction);
    }
  }

  private requireProvider(type: LifecycleType, subscriber: Type): void {
    try {
      this.modules.get(subscriber, { strict: false });
    } catch (cause) {
      throw new StartError(
        `The subscriber of lifecycle.${type} was not found. Add ${subscriber.name} to the providers of a module`,
        { cause },
      );
    }
  }

  /**
   * Delivers the events of one type in the transaction of their operation, and enqueues the jobs that follow the commit.
   * @throws ApiError if the event is refusable and a subscriber rejects the operation
   */
  async emit<T extends LifecycleType>(
    tx: Tx,
    type: T,
    facts: readonly LifecycleFacts[T][],
    cause: LifecycleCause = {},
  ): Promise<void> {
    const events = facts.map((each) => ({ type, ...each }) as LifecycleEvent);
    const declarations = events.length > 0 ? (this.declarations.get(type) ?? []) : [];
    for (const { required } of declarations)
      if (required) await this.modules.get(required, { strict: false }).handleAll(tx, events, cause);
    for (const event of events) {
      for (const { inTransaction, rejectsWith = [], afterCommit } of declarations) {
        if (inTransaction) await this.deliver(tx, inTransaction, rejectsWith, event);
        if (afterCommit !== undefined)
          await this.jobs.enqueue(tx, afterCommit as JobName, event as JobPayload<JobName>, { key: null });
      }
    }
  }

  /**
   * A failure is undone with a savepoint, because a subscriber must not block a ban, an erasure or a revocation. The same
   * applies to a subscriber that takes too long, because it holds the locks of the operation.
   */
  private async deliver(
    tx: Tx,
    handler: Type<LifecycleSubscriber<LifecycleType>>,
    rejectsWith: readonly string[],
    event: LifecycleEvent,
  ): Promise<void> {
    const subscriber = this.modules.get(handler, { strict: false });
    try {
      await this.database.savepoint(tx, this.limitMs, (own) => subscriber.handle(own, event));
    } catch (error) {
      if (error instanceof ApiError && rejectsWith.includes(error.code)) throw error;
      const facts = { event: event.type, subscriber: handler.name };
      if (error instanceof QueryTimeoutError) {
        this.log.error('a subscriber of a lifecycle event took too long, and was undone', {
          ...facts,
          limit_ms: this.limitMs,
          fix: 'Move its work to a job, which afterCommit names',
        });
      } else this.log.error('handling a lifecycle event failed', { ...facts, error });
    }
  }
}
