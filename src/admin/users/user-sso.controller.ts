import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { UserPath } from './admin-users.dto.js';
import { LinkSsoInput, UnlinkSsoInput } from './user-sso.dto.js';
import { UserSso } from './user-sso.service.js';

/** Identities of accounts at identity providers in the Admin API (admin.md 5.3, connections.md 3). */
@Controller('v1/admin/users/:user_id/sso-identity')
export class UserSsoController {
  constructor(private readonly sso: UserSso) {}

  /** List the identities of an account at identity providers. `connection_id` is null for single sign-on. */
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

  /** Unlink an account from its identity of single sign-on, or from those of the given connection. */
  @Delete()
  @AdminAcl('user:update:sso')
  @RateLimit('admin:user:modify')
  unlink(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath, @Body() input: UnlinkSsoInput) {
    const { connection_id: connectionId = null } = input;
    return connectionId === null ? this.sso.unlink(by, user_id) : this.sso.unlinkConnection(by, user_id, connectionId);
  }
}
