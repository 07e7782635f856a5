import { Module } from '@nestjs/common';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { LeakReports } from './leak-reports.service.js';
import { LeakedCredentialsController } from './leaked-credentials.controller.js';
import { LeakedCredentials } from './leaked-credentials.service.js';
import { LockdownController } from './lockdown.controller.js';
import { Lockdown } from './lockdown.service.js';

/** Immediate revocation of credentials: account lockdown and reports of leaked credentials. */
@Module({
  imports: [WebhooksModule],
  controllers: [LockdownController, LeakedCredentialsController],
  providers: [Lockdown, LeakedCredentials, LeakReports],
})
export class ProtectionModule {}
