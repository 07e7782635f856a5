import { Injectable } from '@nestjs/common';
import type { OutgoingEventData, OutgoingEventType } from '../core/names.js';
import { Database, type Tx } from '../platform/database/database.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import { EventDeliveries } from './event-deliveries.service.js';

/** Announces events to other services. Features declare their types in `outgoingEvents`. */
@Injectable()
export class OutgoingEvents {
  constructor(
    private readonly database: Database,
    private readonly features: FeatureRegistry,
    private readonly deliveries: EventDeliveries,
  ) {}

  /**
   * Announces an event in the transaction that it reports. After the commit, it is sent to all endpoints that subscribe
   * to its type, at least once; after a rollback, never. Its data is stored as plain text for 30 days, so it contains IDs
   * instead of personal data or secrets.
   * @throws Error if no feature declares the type
   */
  async announce<T extends OutgoingEventType>(tx: Tx, type: T, data: OutgoingEventData<T>): Promise<void> {
    if (!this.features.outgoingEvents.has(type))
      throw new Error(`Unknown event ${type}. Declare it in outgoingEvents of a feature`);
    await this.database.statement('announce-event', 'SELECT announce_event($1, $2::jsonb)', [type, data], tx);
    this.database.onCommit(tx, async () => this.deliveries.wake());
  }
}
