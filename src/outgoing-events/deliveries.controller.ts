import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CurrentOperator, type Operator } from '../admin/audit/operator.js';
import { AdminAcl, RateLimit } from '../policy/decorators.js';
import { DeliveryHistory } from './delivery-history.service.js';
import {
  EventDeliveriesQuery,
  EventDeliveryPath,
  EventEndpointPath,
  ReplayFailedInput,
} from './event-endpoints.dto.js';

/** Deliveries of events in the Admin API. */
@Controller('v1/admin/event-endpoints/:endpoint_id')
export class DeliveriesController {
  constructor(private readonly history: DeliveryHistory) {}

  /** List the deliveries to an event endpoint, newest first. Deliveries are kept for 30 days. */
  @Get('deliveries')
  @AdminAcl('outgoing_events:view')
  @RateLimit('admin:lookup')
  list(@Param() { endpoint_id }: EventEndpointPath, @Query() page: EventDeliveriesQuery) {
    return this.history.list(endpoint_id, page);
  }

  /** Send a delivery again that is delivered or has failed. Its message ID stays the same. */
  @Post('deliveries/:delivery_id/replay')
  @HttpCode(204)
  @AdminAcl('outgoing_events:manage')
  @RateLimit('admin:user:modify')
  async replay(@CurrentOperator() by: Operator, @Param() path: EventDeliveryPath): Promise<void> {
    await this.history.replay(by, path.endpoint_id, path.delivery_id);
  }

  /** Send up to 1,000 failed deliveries since a time again, oldest first. */
  @Post('replay')
  @HttpCode(200)
  @AdminAcl('outgoing_events:manage')
  @RateLimit('admin:user:modify')
  replayFailed(
    @CurrentOperator() by: Operator,
    @Param() { endpoint_id }: EventEndpointPath,
    @Body() { since }: ReplayFailedInput,
  ) {
    return this.history.replayFailed(by, endpoint_id, since);
  }

  /** Send a test event to the event endpoint. */
  @Post('test')
  @HttpCode(200)
  @AdminAcl('outgoing_events:manage')
  @RateLimit('admin:user:modify')
  sendTest(@CurrentOperator() by: Operator, @Param() { endpoint_id }: EventEndpointPath) {
    return this.history.sendTest(by, endpoint_id);
  }
}
