import { Controller, Get, Param, Query } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { UserPath, UsersQuery } from './admin-users.dto.js';
import { AdminUsers } from './admin-users.service.js';

/** Read access to accounts in the Admin API (admin.md 5.2). */
@Controller('v1/admin/users')
export class AdminUsersController {
  constructor(private readonly users: AdminUsers) {}

  /** Search accounts. */
  @Get()
  @AdminAcl('user:lookup')
  @RateLimit('admin:lookup')
  search(@CurrentOperator() by: Operator, @Query() query: UsersQuery) {
    return this.users.search(by, query);
  }

  /** Get the account of the caller in the format of the Admin API. */
  @Get('@me')
  @AdminAcl('admin:authenticate')
  @RateLimit('admin:lookup')
  self(@CurrentOperator() by: Operator) {
    return this.users.self(by);
  }

  /** Get an account by its ID. */
  @Get(':user_id')
  @AdminAcl('user:lookup')
  @RateLimit('admin:lookup')
  show(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath) {
    return this.users.show(by, user_id);
  }
}
