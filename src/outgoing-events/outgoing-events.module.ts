import { Module } from '@nestjs/common';
import { AdminOperationsModule } from '../admin/operations.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { ApplicationEvents } from './application-events.service.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveryHistory } from './delivery-history.service.js';
import { EventEndpointsController } from './event-endpoints.controller.js';
import { EventEndpoints } from './event-endpoints.service.js';
import { OutgoingDeliveriesModule } from './outgoing-deliveries.module.js';

/** Events for other services: the endpoints that administrators keep, and the deliveries. */
@Module({
  imports: [AuthModule, AdminOperationsModule, OutgoingDeliveriesModule],
  controllers: [EventEndpointsController, DeliveriesController],
  providers: [EventEndpoints, DeliveryHistory, ApplicationEvents],
})
export class OutgoingEventsModule {}
