import { Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApiError } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import type { Tx } from '../../platform/database/database.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import {
  LIFECYCLE_TYPES,
  type LifecycleDeclaration,
  type LifecycleEvent,
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

  /** Whether a feature handles events of this type. */
  isHandled = (type: LifecycleType): boolean => (this.declarations.get(type)?.length ?? 0) > 0;

  /**
   * Delivers an event in the transaction of its operation, and enqueues the jobs that follow the commit.
   * @throws ApiError if the event is refusable and a subscriber rejects the operation
   */
  async emit(tx: Tx, event: LifecycleEvent): Promise<void> {
    for (const { inTransaction, rejectsWith = [], afterCommit } of this.declarations.get(event.type) ?? []) {
      if (inTransaction) await this.deliver(tx, inTransaction, rejectsWith, event);
      if (afterCommit !== undefined) await this.jobs.enqueue(tx, afterCommit as never, event as never);
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
      this.log.error('a lifecycle event was not handled', { event: event.type, subscriber: handler.name, error });
    }
    await tx.query<unknown>('RELEASE SAVEPOINT lifecycle');
  }
}
