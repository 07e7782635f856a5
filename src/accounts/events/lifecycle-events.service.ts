import { Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApiError } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import type { JobName, JobPayload } from '../../core/merged.js';
import type { Tx } from '../../platform/database/database.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
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

type AnyDeclaration = LifecycleDeclaration<LifecycleType>;

/** Delivers lifecycle events to the features that declare `lifecycle`. */
@Injectable()
export class LifecycleEvents {
  private readonly declarations: ReadonlyMap<LifecycleType, readonly AnyDeclaration[]>;

  constructor(
    private readonly modules: ModuleRef,
    private readonly jobs: Jobs,
    private readonly log: Log,
    { features }: FeatureRegistry,
  ) {
    this.declarations = new Map(
      LIFECYCLE_TYPES.map((type) => [
        type,
        features.flatMap(({ lifecycle }) => (lifecycle?.[type] ? [lifecycle[type] as AnyDeclaration] : [])),
      ]),
    );
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
          await this.jobs.enqueue(tx, afterCommit as JobName, event as JobPayload<JobName>);
      }
    }
  }

  /** A failure is undone with a savepoint, because a subscriber must not block a ban, an erasure or a revocation. */
  private async deliver(
    tx: Tx,
    handler: Type<LifecycleSubscriber<LifecycleType>>,
    rejectsWith: readonly string[],
    event: LifecycleEvent,
  ): Promise<void> {
    await tx.query<unknown>('SAVEPOINT lifecycle');
    try {
      await this.modules.get(handler, { strict: false }).handle(tx, event);
    } catch (error) {
      if (error instanceof ApiError && rejectsWith.includes(error.code)) throw error;
      await tx.query<unknown>('ROLLBACK TO SAVEPOINT lifecycle');
      this.log.error('handling a lifecycle event failed', { event: event.type, subscriber: handler.name, error });
    }
    await tx.query<unknown>('RELEASE SAVEPOINT lifecycle');
  }
}
