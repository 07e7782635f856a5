import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { OAuthModule } from '../oauth/oauth.module.js';
import { AuditLog } from './audit/audit.service.js';
import { AuditActions } from './audit/audit-actions.service.js';
import { AuditVerification } from './audit/audit-verification.service.js';
import { TargetProtection } from './users/target-protection.service.js';

const SERVICES = [AuditActions, AuditLog, AuditVerification, TargetProtection];

/** What operations of the Admin API need, those of extensions included: the audit log and the protection of accounts. */
@Module({ imports: [AccountsModule, OAuthModule], providers: SERVICES, exports: SERVICES })
export class AdminOperationsModule {}
