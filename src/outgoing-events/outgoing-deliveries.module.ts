import { Module } from '@nestjs/common';
import { EventDeliveries } from './event-deliveries.service.js';
import { OutgoingEvents } from './outgoing-events.service.js';

const SERVICES = [EventDeliveries, OutgoingEvents];

/** Announces events and delivers them, also for extensions. */
@Module({ providers: SERVICES, exports: SERVICES })
export class OutgoingDeliveriesModule {}
