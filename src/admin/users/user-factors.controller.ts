import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { By, type Operator } from '../audit/operator.js';
import { UserPath } from './admin-users.dto.js';
import { UserCredentialPath } from './user-contact.dto.js';
import { UserFactors } from './user-factors.service.js';

/** What accounts sign in with (admin.md 5.2, 5.3). */
@Controller('v1/admin/users/:user_id')
export class UserFactorsController {
  constructor(private readonly factors: UserFactors) {}

  @Get('sessions')
  @AdminAcl('user:list:sessions')
  @RateLimit('admin:lookup')
  listSessions(@By() by: Operator, @Param() { user_id }: UserPath) {
    return this.factors.listSessions(by, user_id);
  }

  @Get('webauthn-credentials')
  @AdminAcl('user:update:mfa')
  @RateLimit('admin:lookup')
  listPasskeys(@By() by: Operator, @Param() { user_id }: UserPath) {
    return this.factors.listPasskeys(by, user_id);
  }

  @Delete('webauthn-credentials/:credential_id')
  @HttpCode(204)
  @AdminAcl('user:update:mfa')
  @RateLimit('admin:user:modify')
  deletePasskey(@By() by: Operator, @Param() { user_id, credential_id }: UserCredentialPath) {
    return this.factors.deletePasskey(by, user_id, credential_id);
  }

  @Delete('mfa')
  @HttpCode(204)
  @AdminAcl('user:update:mfa')
  @RateLimit('admin:user:modify')
  disableMfa(@By() by: Operator, @Param() { user_id }: UserPath) {
    return this.factors.disableMfa(by, user_id);
  }
}
