import { Injectable } from '@nestjs/common';
import { Metrics } from '../../core/metrics.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { LifecycleEvent, RequiredSubscriber } from '../../policy/lifecycle.js';
import type { SignInMethod } from './issuance.service.js';

/** Counts sign-ins for metrics and the statistics of replicas. */
@Injectable()
export class SignInCounter implements RequiredSubscriber<'signedIn'> {
  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
  ) {}

  async handleAll(tx: Tx, events: readonly LifecycleEvent<'signedIn'>[]): Promise<void> {
    for (const { method } of events)
      this.database.onCommit(tx, async () =>
        this.metrics.add('gatehouse_sign_ins_total', { method: method as SignInMethod }),
      );
  }
}
