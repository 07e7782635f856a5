import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { UserPath } from './admin-users.dto.js';
import { LinkSsoInput } from './user-sso.dto.js';
import { UserSso } from './user-sso.service.js';

/** Single sign-on identities of accounts in the Admin API (admin.md 5.3). */
@Controller('v1/admin/users/:user_id/sso-identity')
export class UserSsoController {
  constructor(private readonly sso: UserSso) {}

  /** List the single sign-on identities of an account. */
  @Get()
  @AdminAcl('user:update:sso')
  @RateLimit('admin:lookup')
  show(@Param() { user_id }: UserPath) {
    return this.sso.show(user_id);
  }

  /** Link an account to an identity at the identity provider. */
  @Put()
  @AdminAcl('user:update:sso')
  @RateLimit('admin:user:modify')
  link(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath, @Body() { subject }: LinkSsoInput) {
    return this.sso.link(by, user_id, subject);
  }

  /** Unlink an account from its identity at the identity provider. */
  @Delete()
  @AdminAcl('user:update:sso')
  @RateLimit('admin:user:modify')
  unlink(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath) {
    return this.sso.unlink(by, user_id);
  }
}
