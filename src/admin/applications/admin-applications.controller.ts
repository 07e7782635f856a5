import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { Bool, ListOf, Snowflake } from '../../http/input.js';
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

const MAX_SCOPES = 100;
const MAX_SCOPE_LENGTH = 64;
const MAX_POLICIES = 100;
const MAX_POLICY_LENGTH = 64;

/** Registered scopes except `bot`, which always needs the consent of the user. */
function TrustedScopes(): PropertyDecorator {
  const options = { optional: true, max: MAX_SCOPES, bound: MAX_SCOPE_LENGTH, items: { type: 'string' } };
  return ListOf(options, (value, features) =>
    typeof value === 'string' && value !== 'bot' && features?.scopes.has(value) ? undefined : 'INVALID_FORMAT',
  );
}

/** Scopes of extensions. The service itself serves the built-in ones, whose names have no dot. */
function ResourceScopes(): PropertyDecorator {
  const items = { type: 'string', examples: ['notes.read'] };
  const options = { optional: true, max: MAX_SCOPES, bound: MAX_SCOPE_LENGTH, items };
  return ListOf(options, (value, features) =>
    typeof value === 'string' && value.includes('.') && features?.scopes.has(value) ? undefined : 'INVALID_FORMAT',
  );
}

/** Declared service policies. */
function ResourcePolicies(): PropertyDecorator {
  const items = { type: 'string', examples: ['documents-read'] };
  const options = { optional: true, max: MAX_POLICIES, bound: MAX_POLICY_LENGTH, items };
  return ListOf(options, (value, features) =>
    typeof value === 'string' && features?.servicePolicies.has(value) ? undefined : 'INVALID_FORMAT',
  );
}

export class ChangeApplicationInput {
  @Snowflake({ optional: true }) new_owner_id?: string;
  @Bool({ optional: true }) is_trusted?: boolean;
  @TrustedScopes() trusted_scopes?: string[];
  @ResourceScopes() resource_scopes?: string[];
  @ResourcePolicies() resource_policies?: string[];
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

  /**
   * Transfer an application to another owner, trust it, or set the scopes that it serves and the service policies for
   * which it asks for decisions. Each member needs its own ACL.
   */
  @Patch('applications/:application_id')
  @AdminAcl({ anyOf: ['application:transfer_ownership', 'application:trust', 'application:resource'] })
  @RateLimit('admin:application:modify')
  change(
    @CurrentOperator() by: Operator,
    @Param() { application_id }: ApplicationPath,
    @Body() input: ChangeApplicationInput,
  ) {
    return this.applications.change(by, application_id, input);
  }
}
