import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database.js';
import type { LifecycleCause, LifecycleEvent, RequiredSubscriber } from '../policy/lifecycle.js';
import { OutgoingEvents } from './outgoing-events.service.js';

type Authorized = 'applicationAuthorized';

/** Announces that a user authorized an application. */
@Injectable()
export class ApplicationEvents implements RequiredSubscriber<Authorized> {
  constructor(private readonly outgoing: OutgoingEvents) {}

  async handleAll(tx: Tx, events: readonly LifecycleEvent<Authorized>[], { data }: LifecycleCause): Promise<void> {
    const scopes = (data?.scopes ?? []) as readonly string[];
    for (const { account_id, application_id } of events)
      await this.outgoing.announce(tx, 'application.authorized', { account_id, application_id, scopes });
  }
}
