import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { By, type Operator } from '../audit/operator.js';
import { AdminKeyPath, CreateAdminKeyInput, EditAdminKeyInput } from './admin-keys.dto.js';
import { AdminKeys } from './admin-keys.service.js';

/** Admin API keys (admin.md section 4). */
@Controller('v1/admin/api-keys')
export class AdminKeysController {
  constructor(private readonly keys: AdminKeys) {}

  @Get()
  @AdminAcl('admin_api_key:manage')
  @RateLimit('admin:lookup')
  list(@By() by: Operator) {
    return this.keys.list(by);
  }

  @Post()
  @HttpCode(200)
  @AdminAcl('admin_api_key:manage')
  @RateLimit('admin:code:generation')
  create(@By() by: Operator, @Body() input: CreateAdminKeyInput) {
    return this.keys.create(by, input);
  }

  @Get(':key_id')
  @AdminAcl('admin_api_key:manage')
  @RateLimit('admin:lookup')
  show(@By() by: Operator, @Param() { key_id }: AdminKeyPath) {
    return this.keys.show(by, key_id);
  }

  @Patch(':key_id')
  @AdminAcl('admin_api_key:manage')
  @RateLimit('admin:user:modify')
  edit(@By() by: Operator, @Param() { key_id }: AdminKeyPath, @Body() input: EditAdminKeyInput) {
    return this.keys.edit(by, key_id, input);
  }

  @Delete(':key_id')
  @AdminAcl('admin_api_key:manage')
  @RateLimit('admin:user:modify')
  revoke(@By() by: Operator, @Param() { key_id }: AdminKeyPath) {
    return this.keys.revoke(by, key_id);
  }
}
