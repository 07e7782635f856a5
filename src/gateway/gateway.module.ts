import { Global, Module } from '@nestjs/common';
import { Credentials } from './credentials.service.js';
import { EventJournal } from './event-journal.js';
import { GatewayEvents } from './events.service.js';
import { GatewayController } from './gateway.controller.js';
import { Gateway } from './gateway.service.js';
import { GatewayLimits } from './limits.service.js';
import { LiveSessions } from './live-sessions.service.js';
import { SessionStarts } from './session-starts.service.js';
import { SharedSessions } from './shared-sessions.service.js';

/** The realtime gateway. */
@Global()
@Module({
  controllers: [GatewayController],
  providers: [
    Credentials,
    EventJournal,
    Gateway,
    GatewayEvents,
    GatewayLimits,
    LiveSessions,
    SessionStarts,
    SharedSessions,
  ],
  exports: [Gateway, GatewayEvents],
})
export class GatewayModule {}
