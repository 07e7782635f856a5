import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { CurrentCall, CurrentIdentity, RateLimit, UserOnly } from '../../policy/decorators.js';
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
  start(@CurrentIdentity() me: SessionIdentity, @CurrentCall() call: Call) {
    return this.change.start(me, getOrigin(call));
  }

  /** Resend the code of a password change. */
  @Post('resend')
  @HttpCode(204)
  @UserOnly()
  @RateLimit('user:password_change:resend')
  resend(@CurrentIdentity() me: SessionIdentity, @Body() { ticket }: MailTicketInput, @CurrentCall() call: Call) {
    return this.change.resend(me, ticket, getOrigin(call));
  }

  /** Verify the emailed code of a password change. */
  @Post('verify')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('user:password_change:verify')
  verify(@CurrentIdentity() me: SessionIdentity, @Body() input: MailedCodeInput) {
    return this.change.verify(me, input);
  }

  /** Set the new password and rotate the session token. */
  @Post('complete')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('user:password_change:complete')
  complete(
    @CurrentIdentity() me: SessionIdentity,
    @Body() input: CompletePasswordChangeInput,
    @CurrentCall() call: Call,
  ) {
    return this.change.complete(me, input, getOrigin(call));
  }
}
