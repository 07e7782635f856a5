import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { UserPath } from './admin-users.dto.js';
import { UserCredentialPath } from './user-contact.dto.js';
import { UserFactors } from './user-factors.service.js';

/** Sign-in methods of accounts in the Admin API (admin.md 5.2, 5.3). */
@Controller('v1/admin/users/:user_id')
export class UserFactorsController {
  constructor(private readonly factors: UserFactors) {}

  /** List the sessions of an account. */
  @Get('sessions')
  @AdminAcl('user:list:sessions')
  @RateLimit('admin:lookup')
  listSessions(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath) {
    return this.factors.listSessions(by, user_id);
  }

  /** List the networks from which an account signs in without email confirmation. */
  @Get('networks')
  @AdminAcl('user:list:sessions', 'user:view:ip')
  @RateLimit('admin:lookup')
  listNetworks(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath) {
    return this.factors.listNetworks(by, user_id);
  }

  /** List the passkeys of an account. */
  @Get('webauthn-credentials')
  @AdminAcl('user:update:mfa')
  @RateLimit('admin:lookup')
  listPasskeys(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath) {
    return this.factors.listPasskeys(by, user_id);
  }

  /** Delete a passkey of an account. */
  @Delete('webauthn-credentials/:credential_id')
  @HttpCode(204)
  @AdminAcl('user:update:mfa')
  @RateLimit('admin:user:modify')
  deletePasskey(@CurrentOperator() by: Operator, @Param() { user_id, credential_id }: UserCredentialPath) {
    return this.factors.deletePasskey(by, user_id, credential_id);
  }

  /** Remove the authenticator and the backup codes of an account. */
  @Delete('mfa')
  @HttpCode(204)
  @AdminAcl('user:update:mfa')
  @RateLimit('admin:user:modify')
  disableMfa(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath) {
    return this.factors.disableMfa(by, user_id);
  }
}
