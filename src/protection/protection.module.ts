import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AdminModule } from '../admin/admin.module.js';
import { AdminOperationsModule } from '../admin/operations.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { OAuthModule } from '../oauth/oauth.module.js';
import { PersonalTokensModule } from '../oauth/personal-tokens/personal-tokens.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { LeakReports } from './leak-reports.service.js';
import { LeakedCredentialsController } from './leaked-credentials.controller.js';
import { LeakedCredentials } from './leaked-credentials.service.js';
import { LockdownController } from './lockdown.controller.js';
import { Lockdown } from './lockdown.service.js';

/** Immediate revocation of credentials: account lockdown and reports of leaked credentials. */
@Module({
  imports: [
    AccountsModule,
    AuthModule,
    OAuthModule,
    PersonalTokensModule,
    AdminModule,
    AdminOperationsModule,
    WebhooksModule,
  ],
  controllers: [LockdownController, LeakedCredentialsController],
  providers: [Lockdown, LeakedCredentials, LeakReports],
})
export class ProtectionModule {}
