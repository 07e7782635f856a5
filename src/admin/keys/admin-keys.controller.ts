import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { AdminKeyPath, CreateAdminKeyInput, EditAdminKeyInput } from './admin-keys.dto.js';
import { AdminKeys } from './admin-keys.service.js';

/** Admin API keys in the Admin API (admin.md section 4). */
@Controller('v1/admin/api-keys')
export class AdminKeysController {
  constructor(private readonly keys: AdminKeys) {}

  /** List the caller's Admin API keys. */
  @Get()
  @AdminAcl('admin_api_key:manage')
  @RateLimit('admin:lookup')
  list(@CurrentOperator() by: Operator) {
    return this.keys.list(by);
  }

  /** Create an Admin API key. The key is shown only once. */
  @Post()
  @HttpCode(200)
  @AdminAcl('admin_api_key:manage')
  @RateLimit('admin:code:generation')
  create(@CurrentOperator() by: Operator, @Body() input: CreateAdminKeyInput) {
    return this.keys.create(by, input);
  }

  /** Get an Admin API key of the caller. */
  @Get(':key_id')
  @AdminAcl('admin_api_key:manage')
  @RateLimit('admin:lookup')
  show(@CurrentOperator() by: Operator, @Param() { key_id }: AdminKeyPath) {
    return this.keys.show(by, key_id);
  }

  /** Change the name or the ACLs of an Admin API key. */
  @Patch(':key_id')
  @AdminAcl('admin_api_key:manage')
  @RateLimit('admin:user:modify')
  edit(@CurrentOperator() by: Operator, @Param() { key_id }: AdminKeyPath, @Body() input: EditAdminKeyInput) {
    return this.keys.edit(by, key_id, input);
  }

  /** Revoke an Admin API key. */
  @Delete(':key_id')
  @AdminAcl('admin_api_key:manage')
  @RateLimit('admin:user:modify')
  revoke(@CurrentOperator() by: Operator, @Param() { key_id }: AdminKeyPath) {
    return this.keys.revoke(by, key_id);
  }
}
