import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { originOf } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { Me, RateLimit, TheCall, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { MailedCodeInput, MailTicketInput } from '../contact/email-change.dto.js';
import { CompletePasswordChangeInput } from './password-change.dto.js';
import { PasswordChange } from './password-change.service.js';

@Controller('v1/users/@me/password-change')
export class PasswordChangeController {
  constructor(private readonly change: PasswordChange) {}

  /** Start a password change by emailing a code. */
  @Post('start')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('user:password_change:start')
  start(@Me() me: SessionIdentity, @TheCall() call: Call) {
    return this.change.start(me, originOf(call));
  }

  /** Resend the code of a password change. */
  @Post('resend')
  @HttpCode(204)
  @UserOnly()
  @RateLimit('user:password_change:resend')
  resend(@Me() me: SessionIdentity, @Body() { ticket }: MailTicketInput, @TheCall() call: Call) {
    return this.change.resend(me, ticket, originOf(call));
  }

  /** Verify the emailed code of a password change. */
  @Post('verify')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('user:password_change:verify')
  verify(@Me() me: SessionIdentity, @Body() input: MailedCodeInput) {
    return this.change.verify(me, input);
  }

  /** Set the new password and rotate the session token. */
  @Post('complete')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('user:password_change:complete')
  complete(@Me() me: SessionIdentity, @Body() input: CompletePasswordChangeInput, @TheCall() call: Call) {
    return this.change.complete(me, input, originOf(call));
  }
}
