import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { Snowflake } from '../../http/input.js';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { UserPath } from '../users/admin-users.dto.js';
import { AdminApplications } from './admin-applications.service.js';

export class OwnerQuery {
  @Snowflake() owner_id: string;
}

export class ApplicationPath {
  @Snowflake() application_id: string;
}

export class TransferInput {
  @Snowflake() new_owner_id: string;
}

/** Applications in the Admin API (admin.md section 6). */
@Controller('v1/admin')
export class AdminApplicationsController {
  constructor(private readonly applications: AdminApplications) {}

  /** List the applications of an owner. */
  @Get('applications')
  @AdminAcl({ anyOf: ['application:lookup', 'application:list:by_owner'] })
  @RateLimit('admin:lookup')
  list(@Query() { owner_id }: OwnerQuery) {
    return this.applications.ofOwner(owner_id);
  }

  /** List the applications of an account. */
  @Get('users/:user_id/applications')
  @AdminAcl({ anyOf: ['application:lookup', 'application:list:by_owner'] })
  @RateLimit('admin:lookup')
  listOf(@Param() { user_id }: UserPath) {
    return this.applications.ofOwner(user_id);
  }

  /** Get an application. */
  @Get('applications/:application_id')
  @AdminAcl('application:lookup')
  @RateLimit('admin:lookup')
  show(@Param() { application_id }: ApplicationPath) {
    return this.applications.show(application_id);
  }

  /** Transfer an application to another owner. */
  @Patch('applications/:application_id')
  @AdminAcl('application:transfer_ownership')
  @RateLimit('admin:application:modify')
  transfer(
    @CurrentOperator() by: Operator,
    @Param() { application_id }: ApplicationPath,
    @Body() { new_owner_id }: TransferInput,
  ) {
    return this.applications.transfer(by, application_id, new_owner_id);
  }
}
