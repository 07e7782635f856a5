import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CurrentOperator, type Operator } from '../admin/audit/operator.js';
import { AdminAcl, RateLimit } from '../policy/decorators.js';
import { CreateEventEndpointInput, EditEventEndpointInput, EventEndpointPath } from './event-endpoints.dto.js';
import { EventEndpoints } from './event-endpoints.service.js';

/** Event endpoints in the Admin API. */
@Controller('v1/admin')
export class EventEndpointsController {
  constructor(private readonly endpoints: EventEndpoints) {}

  /** List the types of events that endpoints can subscribe to, with the texts of types of extensions. */
  @Get('event-types')
  @AdminAcl('outgoing_events:view')
  @RateLimit('admin:lookup')
  types() {
    return this.endpoints.types();
  }

  /** List the event endpoints, oldest first. */
  @Get('event-endpoints')
  @AdminAcl('outgoing_events:view')
  @RateLimit('admin:lookup')
  list() {
    return this.endpoints.list();
  }

  /** Get an event endpoint. */
  @Get('event-endpoints/:endpoint_id')
  @AdminAcl('outgoing_events:view')
  @RateLimit('admin:lookup')
  show(@Param() { endpoint_id }: EventEndpointPath) {
    return this.endpoints.show(endpoint_id);
  }

  /** Create an event endpoint. The response shows its signing secret once. */
  @Post('event-endpoints')
  @HttpCode(200)
  @AdminAcl('outgoing_events:manage')
  @RateLimit('admin:user:modify')
  create(@CurrentOperator() by: Operator, @Body() input: CreateEventEndpointInput) {
    return this.endpoints.create(by, input);
  }

  /** Change the URL, the event types or the description of an event endpoint, or disable or enable it. */
  @Patch('event-endpoints/:endpoint_id')
  @AdminAcl('outgoing_events:manage')
  @RateLimit('admin:user:modify')
  edit(
    @CurrentOperator() by: Operator,
    @Param() { endpoint_id }: EventEndpointPath,
    @Body() input: EditEventEndpointInput,
  ) {
    return this.endpoints.edit(by, endpoint_id, input);
  }

  /** Delete an event endpoint. Events that wait are not sent. */
  @Delete('event-endpoints/:endpoint_id')
  @HttpCode(204)
  @AdminAcl('outgoing_events:manage')
  @RateLimit('admin:user:modify')
  async remove(@CurrentOperator() by: Operator, @Param() { endpoint_id }: EventEndpointPath): Promise<void> {
    await this.endpoints.remove(by, endpoint_id);
  }

  /** Replace the signing secret. For 24 hours, events have a signature of the new and of the previous secret. */
  @Post('event-endpoints/:endpoint_id/secret')
  @HttpCode(200)
  @AdminAcl('outgoing_events:manage')
  @RateLimit('admin:user:modify')
  rotateSecret(@CurrentOperator() by: Operator, @Param() { endpoint_id }: EventEndpointPath) {
    return this.endpoints.rotateSecret(by, endpoint_id);
  }
}
