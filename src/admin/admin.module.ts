import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { ConnectionsModule } from '../auth/connections/connections.module.js';
import { BansModule } from '../bans/bans.module.js';
import { HttpModule } from '../http/http.module.js';
import { OAuthModule } from '../oauth/oauth.module.js';
import { PersonalTokensModule } from '../oauth/personal-tokens/personal-tokens.module.js';
import { AclsController } from './acls.controller.js';
import { AdminApplicationsController } from './applications/admin-applications.controller.js';
import { AdminApplications } from './applications/admin-applications.service.js';
import { AuditController } from './audit/audit.controller.js';
import { IpBanEntries } from './bans/ip-ban-entries.service.js';
import { IpBansController } from './bans/ip-bans.controller.js';
import { AdminConnectionsController } from './connections/connections.controller.js';
import { AdminConnections } from './connections/connections.service.js';
import { UserImport } from './import/user-import.service.js';
import { InstanceController } from './instance/instance.controller.js';
import { InstanceConfig } from './instance/instance-config.service.js';
import { InstanceStatistics } from './instance/instance-statistics.service.js';
import { IntegrationTests } from './instance/integration-tests.service.js';
import { PendingRegistrations } from './instance/pending-registrations.service.js';
import { AdminJobs } from './jobs/admin-jobs.service.js';
import { JobsController } from './jobs/jobs.controller.js';
import { AdminKeyUse } from './keys/admin-key-use.service.js';
import { AdminKeysController } from './keys/admin-keys.controller.js';
import { AdminKeys } from './keys/admin-keys.service.js';
import { AdminOperationsModule } from './operations.module.js';
import { SetupController } from './setup/setup.controller.js';
import { SetupToken } from './setup/setup.service.js';
import { AdminUsersController } from './users/admin-users.controller.js';
import { AdminUsers } from './users/admin-users.service.js';
import { UserAcls } from './users/user-acls.service.js';
import { UserChanges } from './users/user-changes.service.js';
import { UserContactController } from './users/user-contact.controller.js';
import { UserContact } from './users/user-contact.service.js';
import { UserFactorsController } from './users/user-factors.controller.js';
import { UserFactors } from './users/user-factors.service.js';
import { UserFlags } from './users/user-flags.service.js';
import { UserMarksController } from './users/user-marks.controller.js';
import { UserSsoController } from './users/user-sso.controller.js';
import { UserSso } from './users/user-sso.service.js';
import { UserStateController } from './users/user-state.controller.js';
import { UserState } from './users/user-state.service.js';
import { UserTokensController } from './users/user-tokens.controller.js';
import { UserTokens } from './users/user-tokens.service.js';

/** The Admin API: users, applications, bans, API keys, instance settings and the audit log. */
@Module({
  imports: [
    AccountsModule,
    AuthModule,
    BansModule,
    HttpModule,
    OAuthModule,
    PersonalTokensModule,
    ConnectionsModule,
    AdminOperationsModule,
  ],
  controllers: [
    ...[AclsController, AdminKeysController, AdminUsersController, AuditController, SetupController],
    ...[AdminApplicationsController, InstanceController, IpBansController, JobsController],
    AdminConnectionsController,
    ...[UserContactController, UserFactorsController, UserMarksController, UserSsoController, UserStateController],
    UserTokensController,
  ],
  providers: [
    ...[AdminApplications, AdminJobs, AdminKeys, AdminKeyUse, AdminUsers, SetupToken],
    ...[InstanceConfig, InstanceStatistics, IntegrationTests, IpBanEntries, PendingRegistrations],
    ...[UserAcls, UserChanges, UserContact, UserFactors, UserImport, UserFlags, UserSso, UserState, UserTokens],
    AdminConnections,
  ],
  exports: [AdminKeys, AdminKeyUse],
})
export class AdminModule {}
