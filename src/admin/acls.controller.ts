import { Controller, Get } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../policy/decorators.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import { Routes } from '../policy/routes.js';

@Controller('v1/admin/acls')
export class AclsController {
  constructor(
    private readonly routes: Routes,
    private readonly features: FeatureRegistry,
  ) {}

  /**
   * List the ACLs in the order of the registry. The response also has the descriptions of added ACLs and the
   * operations that require an ACL. `audit_actions` maps each action of the audit log to the type of its target.
   */
  @Get()
  @AdminAcl('admin:authenticate')
  @RateLimit('admin:lookup')
  list() {
    const words = this.features.textsOf('acls');
    const operations = this.routes.all.flatMap(({ method, path, policy: { acl } }) =>
      acl ? [{ method, path, mode: acl.mode, acls: acl.acls }] : [],
    );
    return {
      acls: [...this.features.acls.keys()],
      operations,
      audit_actions: Object.fromEntries(this.features.auditActions),
      words: Object.keys(words).length > 0 ? words : undefined,
    };
  }
}
