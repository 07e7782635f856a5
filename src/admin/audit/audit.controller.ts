import { Controller, Get, Param, Query } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { AuditEntryPath, AuditQuery } from './audit.dto.js';
import { AuditLog } from './audit.service.js';
import { CurrentOperator, type Operator } from './operator.js';

/** The audit log in the Admin API (admin.md section 7). */
@Controller('v1/admin/audit-logs')
export class AuditController {
  constructor(private readonly audit: AuditLog) {}

  /** List entries of the audit log, newest first. */
  @Get()
  @AdminAcl('audit_log:view')
  @RateLimit('admin:audit_log')
  list(@CurrentOperator() by: Operator, @Query() query: AuditQuery) {
    return this.audit.list(by, query);
  }

  /** Get an entry of the audit log. */
  @Get(':log_id')
  @AdminAcl('audit_log:view')
  @RateLimit('admin:audit_log')
  show(@CurrentOperator() by: Operator, @Param() { log_id }: AuditEntryPath) {
    return this.audit.show(by, log_id);
  }
}
