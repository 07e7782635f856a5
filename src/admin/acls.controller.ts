import { Controller, Get } from '@nestjs/common';
import { acls, aclWords } from '../policy/acls.js';
import { AdminAcl, RateLimit } from '../policy/decorators.js';
import { Routes } from '../policy/routes.js';

@Controller('v1/admin/acls')
export class AclsController {
  constructor(private readonly routes: Routes) {}

  /** The ACL registry, in its order, with the words of ACLs that were added and the operations that ask for one. */
  @Get()
  @AdminAcl('admin:authenticate')
  @RateLimit('admin:lookup')
  list() {
    const words = aclWords();
    const operations = this.routes.all.flatMap(({ method, path, policy: { acl } }) =>
      acl ? [{ method, path, mode: acl.mode, acls: acl.acls }] : [],
    );
    return { acls: acls(), operations, words: Object.keys(words).length > 0 ? words : undefined };
  }
}
