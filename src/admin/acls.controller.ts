import { Controller, Get } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../policy/decorators.js';
import { acls } from './acls.js';

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
