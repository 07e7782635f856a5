import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { Snowflake } from '../../http/input.js';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { UserPath } from './admin-users.dto.js';
import { UserTokens } from './user-tokens.service.js';

export class UserTokenPath extends UserPath {
  @Snowflake() token_id: string;
}

/** Personal access tokens of accounts in the Admin API (tokens.md section 1). */
@Controller('v1/admin/users/:user_id/access-tokens')
export class UserTokensController {
  constructor(private readonly tokens: UserTokens) {}

  /** List the personal access tokens of an account that have not expired, newest first. */
  @Get()
  @AdminAcl('user:list:sessions')
  @RateLimit('admin:lookup')
  list(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath) {
    return this.tokens.list(by, user_id);
  }

  /** Delete a personal access token of an account. The user is notified. */
  @Delete(':token_id')
  @HttpCode(204)
  @AdminAcl('user:update:flags')
  @RateLimit('admin:user:modify')
  delete(@CurrentOperator() by: Operator, @Param() { user_id, token_id }: UserTokenPath) {
    return this.tokens.delete(by, user_id, token_id);
  }
}
