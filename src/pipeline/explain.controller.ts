import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { AclList } from '../admin/keys/admin-keys.dto.js';
import { isText } from '../core/text/text.js';
import { Bool, Int, ListOf, OneOf, Text } from '../http/input.js';
import { AdminAcl, RateLimit, ReadOnly } from '../policy/decorators.js';
import { Explanation } from './explanation.service.js';
import { SIMULATED_CREDENTIALS, type SimulatedCredential } from './simulated-caller.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const MAX_SCOPE = 64;

export class ExplainInput {
  @OneOf(METHODS) method: string;
  @Text({ min: 1, max: 2048, pattern: /^\//, example: '/v1/users/@me' }) path: string;
  @OneOf(SIMULATED_CREDENTIALS, { optional: true }) credential?: SimulatedCredential;
  @ListOf({ optional: true, max: 64, bound: MAX_SCOPE }, (scope) =>
    isText(scope) && scope.length <= MAX_SCOPE ? undefined : 'INVALID_FORMAT',
  )
  scopes?: string[];
  @AclList({ optional: true }) acls?: string[];
  @AclList({ optional: true }) key_acls?: string[];
  @Int({ min: 0, max: 255, optional: true }) suspicious_activity_flags?: number;
  @Bool({ optional: true }) sso_enforced?: boolean;
}

/** Explains the result of a call without making it (web.md section 4). */
@Controller('v1/admin/explain')
export class ExplainController {
  constructor(private readonly explanation: Explanation) {}

  /**
   * Explain the result of a hypothetical call. Shows the guards that check it, the guard that decides, and the
   * response.
   */
  @Post()
  @HttpCode(200)
  @AdminAcl('admin:authenticate')
  @ReadOnly()
  @RateLimit('admin:lookup')
  explain(@Body() { method, path, ...imagined }: ExplainInput) {
    const { credential, scopes, acls, key_acls, suspicious_activity_flags, sso_enforced } = imagined;
    return this.explanation.explain(method, path, {
      ...{ credential, scopes, acls, keyAcls: key_acls },
      ...{ suspicious: suspicious_activity_flags, isSsoEnforced: sso_enforced },
    });
  }
}
