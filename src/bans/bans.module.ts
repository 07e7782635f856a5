import { Module } from '@nestjs/common';
import { AbuseScores } from './abuse-scores.service.js';
import { AbuseTracker } from './abuse-tracker.service.js';
import { IpBans } from './ip-bans.service.js';

/** IP bans, and the abuse counters that cause them. */
@Module({ providers: [AbuseScores, AbuseTracker, IpBans], exports: [AbuseScores, AbuseTracker, IpBans] })
export class BansModule {}
