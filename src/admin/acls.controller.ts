import { Controller, Get } from '@nestjs/common';
import { acls } from '../policy/acls.js';
import { AdminAcl, RateLimit } from '../policy/decorators.js';

@Controller('v1/admin/acls')
export class AclsController {
  /** The ACL registry, in its order. */
  @Get()
  @AdminAcl('admin:authenticate')
  @RateLimit('admin:lookup')
  list() {
    return { acls: acls() };
  }
}
