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

  /** Begins a change of the password by mailing a code. */
  @Post('start')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('user:password_change:start')
  start(@Me() me: SessionIdentity, @TheCall() call: Call) {
    return this.change.start(me, originOf(call));
  }

  /** Mails the code again. */
  @Post('resend')
  @HttpCode(204)
  @UserOnly()
  @RateLimit('user:password_change:resend')
  resend(@Me() me: SessionIdentity, @Body() { ticket }: MailTicketInput, @TheCall() call: Call) {
    return this.change.resend(me, ticket, originOf(call));
  }

  /** Confirms the mailed code. */
  @Post('verify')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('user:password_change:verify')
  verify(@Me() me: SessionIdentity, @Body() input: MailedCodeInput) {
    return this.change.verify(me, input);
  }

  /** Sets the new password and replaces the session's token. */
  @Post('complete')
  @HttpCode(200)
  @UserOnly()
  @RateLimit('user:password_change:complete')
  complete(@Me() me: SessionIdentity, @Body() input: CompletePasswordChangeInput, @TheCall() call: Call) {
    return this.change.complete(me, input, originOf(call));
  }
}
