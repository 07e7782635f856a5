import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { CreateRoleInput, EditRoleInput, RolePath } from './roles.dto.js';
import { Roles } from './roles.service.js';

/** Roles in the Admin API (admin.md, precisions). */
@Controller('v1/admin/roles')
export class RolesController {
  constructor(private readonly roles: Roles) {}

  /** List the roles, oldest first. A role is a template for the ACLs of accounts. */
  @Get()
  @AdminAcl('acl:set:user')
  @RateLimit('admin:user:modify')
  list() {
    return this.roles.list();
  }

  /** Create a role. */
  @Post()
  @HttpCode(200)
  @AdminAcl('*')
  @RateLimit('admin:user:modify')
  create(@CurrentOperator() by: Operator, @Body() input: CreateRoleInput) {
    return this.roles.create(by, input);
  }

  /** Change the name or the ACLs of a role. Accounts keep the ACLs that they have. */
  @Patch(':role_id')
  @AdminAcl('*')
  @RateLimit('admin:user:modify')
  edit(@CurrentOperator() by: Operator, @Param() { role_id }: RolePath, @Body() input: EditRoleInput) {
    return this.roles.edit(by, role_id, input);
  }

  /** Delete a role. Accounts keep the ACLs that they have. */
  @Delete(':role_id')
  @HttpCode(204)
  @AdminAcl('*')
  @RateLimit('admin:user:modify')
  async remove(@CurrentOperator() by: Operator, @Param() { role_id }: RolePath): Promise<void> {
    await this.roles.remove(by, role_id);
  }
}
