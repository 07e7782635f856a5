import { Module } from '@nestjs/common';
import { AbuseTracker } from './abuse-tracker.service.js';
import { IpBans } from './ip-bans.service.js';

/** IP bans, and the abuse counters that cause them. */
@Module({ providers: [AbuseTracker, IpBans], exports: [AbuseTracker, IpBans] })
export class BansModule {}
