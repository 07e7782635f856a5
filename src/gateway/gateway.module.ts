import { Module, type Provider, type Type } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { BansModule } from '../bans/bans.module.js';
import { UsersModule } from '../users/users.module.js';
import { Commands } from './commands/commands.service.js';
import { Credentials } from './credentials.service.js';
import { GatewayController } from './gateway.controller.js';
import { Gateway } from './gateway.service.js';
import { GatewayLimits } from './limits/limits.js';
import { ProcessLimits } from './limits/process-limits.service.js';
import { SharedLimits } from './limits/shared-limits.service.js';
import { FanOut } from './sending/fan-out.service.js';
import { UnsentBytes } from './sending/unsent-bytes.service.js';
import { SessionGateway } from './session.gateway.js';
import { SessionStarts } from './session-starts.service.js';
import { GatewayEventsModule } from './sessions/gateway-events.module.js';
import { Presence } from './sessions/presence.service.js';
import { Renewal } from './sessions/renewal.service.js';
import { ProcessPersistence, SessionPersistence } from './sessions/session-persistence.js';
import { SharedPersistence } from './sessions/shared-persistence.service.js';
import { Takeover } from './sessions/takeover.service.js';
import { ProcessSessions } from './store/process-sessions.js';
import { SessionStore } from './store/session-store.js';

/** Provides one of two implementations, depending on whether sessions are stored outside the process. */
const selectBySessionStore = (provide: object, alone: Type, shared: Type): Provider[] => [
  alone,
  shared,
  {
    provide: provide as Type,
    useFactory: (store: SessionStore, one: object, all: object) => (store instanceof ProcessSessions ? one : all),
    inject: [SessionStore, alone, shared],
  },
];

/** The real-time gateway. */
@Module({
  imports: [AccountsModule, BansModule, UsersModule, GatewayEventsModule],
  controllers: [GatewayController],
  providers: [
    ...selectBySessionStore(GatewayLimits, ProcessLimits, SharedLimits),
    ...selectBySessionStore(SessionPersistence, ProcessPersistence, SharedPersistence),
    Commands,
    Credentials,
    FanOut,
    Gateway,
    Presence,
    Renewal,
    SessionGateway,
    SessionStarts,
    Takeover,
    UnsentBytes,
  ],
  exports: [Commands, Credentials, Gateway, GatewayLimits],
})
export class GatewayModule {}
