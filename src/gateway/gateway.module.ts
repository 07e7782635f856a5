import { Global, Module, type Provider, type Type } from '@nestjs/common';
import { Credentials } from './credentials.service.js';
import { GatewayEvents } from './events.service.js';
import { GatewayController } from './gateway.controller.js';
import { Gateway } from './gateway.service.js';
import { ProcessKeeping, SessionKeeping } from './keeping.js';
import { GatewayLimits } from './limits.js';
import { LiveSessions } from './live-sessions.service.js';
import { Presence } from './presence.service.js';
import { ProcessLimits } from './process-limits.service.js';
import { Renewal } from './renewal.service.js';
import { SessionStarts } from './session-starts.service.js';
import { SharedKeeping } from './shared-keeping.service.js';
import { SharedLimits } from './shared-limits.service.js';
import { ProcessSessions } from './store/process-sessions.js';
import { SessionStore } from './store/session-store.js';
import { Takeover } from './takeover.service.js';

/** One of two ways, by whether sessions are kept outside the process. */
const either = (provide: object, alone: Type, shared: Type): Provider[] => [
  alone,
  shared,
  {
    provide: provide as Type,
    useFactory: (store: SessionStore, one: object, all: object) => (store instanceof ProcessSessions ? one : all),
    inject: [SessionStore, alone, shared],
  },
];

/** The realtime gateway. */
@Global()
@Module({
  controllers: [GatewayController],
  providers: [
    ...either(GatewayLimits, ProcessLimits, SharedLimits),
    ...either(SessionKeeping, ProcessKeeping, SharedKeeping),
    Credentials,
    Gateway,
    GatewayEvents,
    LiveSessions,
    Presence,
    Renewal,
    SessionStarts,
    Takeover,
  ],
  exports: [Gateway, GatewayEvents],
})
export class GatewayModule {}
