import { Module } from '@nestjs/common';
import { LifecycleEvents } from './lifecycle-events.service.js';
import { SecurityEvents } from './security-events.service.js';

const SERVICES = [LifecycleEvents, SecurityEvents];

/** The security history of accounts, and the actions of features on events of an account. */
@Module({ providers: SERVICES, exports: SERVICES })
export class AccountEventsModule {}
