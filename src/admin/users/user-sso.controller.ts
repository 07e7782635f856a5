import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { By, type Operator } from '../audit/operator.js';
import { UserPath } from './admin-users.dto.js';
import { LinkSsoInput } from './user-sso.dto.js';
import { UserSso } from './user-sso.service.js';

/** Who of the sign-in provider an account is (admin.md 5.3). */
@Controller('v1/admin/users/:user_id/sso-identity')
export class UserSsoController {
  constructor(private readonly sso: UserSso) {}

  /** Shows who of which single sign-on provider an account is. */
  @Get()
  @AdminAcl('user:update:sso')
  @RateLimit('admin:lookup')
  show(@Param() { user_id }: UserPath) {
    return this.sso.show(user_id);
  }

  /** Links an account to an identity at the single sign-on provider. */
  @Put()
  @AdminAcl('user:update:sso')
  @RateLimit('admin:user:modify')
  link(@By() by: Operator, @Param() { user_id }: UserPath, @Body() { subject }: LinkSsoInput) {
    return this.sso.link(by, user_id, subject);
  }

  /** Unlinks an account from its identity at the single sign-on provider. */
  @Delete()
  @AdminAcl('user:update:sso')
  @RateLimit('admin:user:modify')
  unlink(@By() by: Operator, @Param() { user_id }: UserPath) {
    return this.sso.unlink(by, user_id);
  }
}
