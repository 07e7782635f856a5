import { Controller, HttpCode, Post } from '@nestjs/common';
import type { Call } from '../../policy/call.js';
import { CurrentCall, CurrentIdentity, RateLimit, RequiresSudo, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { OwnExport } from './own-export.service.js';

@Controller('v1/users/@me/export')
export class OwnExportController {
  constructor(private readonly exports: OwnExport) {}

  /** Download all data that is stored about the caller's account. */
  @Post()
  @HttpCode(200)
  @UserOnly()
  @RequiresSudo()
  @RateLimit('user:export')
  make(@CurrentIdentity() me: SessionIdentity, @CurrentCall() call: Call) {
    return this.exports.send(me, call);
  }
}
