import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { UsersModule } from '../../users/users.module.js';
import { GatewayEvents } from './events.service.js';
import { LiveSessions } from './live-sessions.service.js';

const SERVICES = [GatewayEvents, LiveSessions];

/** Delivery of events to the gateway sessions of accounts. */
@Module({ imports: [AccountsModule, UsersModule], providers: SERVICES, exports: SERVICES })
export class GatewayEventsModule {}
