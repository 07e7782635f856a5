import { Controller, Header, HttpCode, Post } from '@nestjs/common';
import { originOf } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { Me, RateLimit, RequiresSudo, TheCall, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { OwnExport } from './own-export.service.js';

@Controller('v1/users/@me/export')
export class OwnExportController {
  constructor(private readonly exports: OwnExport) {}

  /** Hands the caller everything that is kept of the account. */
  @Post()
  @HttpCode(200)
  @Header('Content-Disposition', 'attachment; filename="account.json"')
  @UserOnly()
  @RequiresSudo()
  @RateLimit('user:export')
  make(@Me() me: SessionIdentity, @TheCall() call: Call) {
    return this.exports.make(me, originOf(call));
  }
}
