import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ConnectionPath } from '../../auth/connections/connections.dto.js';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { CreateConnectionInput, DeleteConnectionInput, EditConnectionInput } from './connections.dto.js';
import { AdminConnections } from './connections.service.js';

/** Connections in the Admin API (connections.md section 1). */
@Controller('v1/admin/connections')
export class AdminConnectionsController {
  constructor(private readonly connections: AdminConnections) {}

  /** List the connections in the order of their buttons. */
  @Get()
  @AdminAcl('instance:config:view')
  @RateLimit('admin:lookup')
  list() {
    return this.connections.list();
  }

  /** Get a connection. */
  @Get(':id')
  @AdminAcl('instance:config:view')
  @RateLimit('admin:lookup')
  show(@Param() { id }: ConnectionPath) {
    return this.connections.show(id);
  }

  /** Create a connection to an identity provider. */
  @Post()
  @HttpCode(200)
  @AdminAcl('*')
  @RateLimit('admin:user:modify')
  create(@CurrentOperator() by: Operator, @Body() input: CreateConnectionInput) {
    return this.connections.create(by, input);
  }

  /** Change a connection. A change of the provider or the client unlinks the accounts of administrators. */
  @Patch(':id')
  @AdminAcl('*')
  @RateLimit('admin:user:modify')
  edit(@CurrentOperator() by: Operator, @Param() { id }: ConnectionPath, @Body() input: EditConnectionInput) {
    return this.connections.edit(by, id, input);
  }

  /** Delete a connection and its identities. The body states the number of identities. */
  @Delete(':id')
  @HttpCode(204)
  @AdminAcl('*')
  @RateLimit('admin:user:modify')
  async remove(
    @CurrentOperator() by: Operator,
    @Param() { id }: ConnectionPath,
    @Body() { identities }: DeleteConnectionInput,
  ): Promise<void> {
    await this.connections.remove(by, id, identities);
  }

  /** Test the stored settings of a connection. */
  @Post(':id/test')
  @HttpCode(200)
  @AdminAcl('*')
  @RateLimit('admin:lookup')
  tryOut(@CurrentOperator() by: Operator, @Param() { id }: ConnectionPath) {
    return this.connections.tryOut(by, id);
  }
}
