import { Global, Module } from '@nestjs/common';
import { AbuseLedger } from './abuse-ledger.service.js';
import { AclsController } from './acls.controller.js';
import { AdminApplicationsController } from './admin-applications.controller.js';
import { AdminApplications } from './admin-applications.service.js';
import { AdminKeyUse } from './admin-key-use.service.js';
import { AdminKeysController } from './admin-keys.controller.js';
import { AdminKeys } from './admin-keys.service.js';
import { AdminUsersController } from './admin-users.controller.js';
import { AdminUsers } from './admin-users.service.js';
import { AuditController } from './audit.controller.js';
import { AuditLog } from './audit.service.js';
import { InstanceController } from './instance.controller.js';
import { InstanceConfig } from './instance-config.service.js';
import { IpBanEntries } from './ip-ban-entries.service.js';
import { IpBansController } from './ip-bans.controller.js';
import { IpBans } from './ip-bans.service.js';
import { PendingRegistrations } from './pending-registrations.service.js';
import { SetupController } from './setup.controller.js';
import { SetupToken } from './setup.service.js';
import { TargetProtection } from './target-protection.service.js';
import { UserAcls } from './user-acls.service.js';
import { UserChanges } from './user-changes.service.js';
import { UserContactController } from './user-contact.controller.js';
import { UserContact } from './user-contact.service.js';
import { UserFactorsController } from './user-factors.controller.js';
import { UserFactors } from './user-factors.service.js';
import { UserMarksController } from './user-marks.controller.js';
import { UserMarks } from './user-marks.service.js';
import { UserSsoController } from './user-sso.controller.js';
import { UserSso } from './user-sso.service.js';
import { UserStateController } from './user-state.controller.js';
import { UserState } from './user-state.service.js';

/** The Admin API and what it governs. */
@Global()
@Module({
  controllers: [
    ...[AclsController, AdminKeysController, AdminUsersController, AuditController, SetupController],
    ...[AdminApplicationsController, InstanceController, IpBansController],
    ...[UserContactController, UserFactorsController, UserMarksController, UserSsoController, UserStateController],
  ],
  providers: [
    ...[AdminApplications, AdminKeys, AdminKeyUse, AdminUsers, AuditLog, SetupToken],
    ...[AbuseLedger, InstanceConfig, IpBanEntries, IpBans, PendingRegistrations, TargetProtection],
    ...[UserAcls, UserChanges, UserContact, UserFactors, UserMarks, UserSso, UserState],
  ],
  exports: [AbuseLedger, AdminKeys, AdminKeyUse, AuditLog, IpBans, SetupToken, UserAcls],
})
export class AdminModule {}
