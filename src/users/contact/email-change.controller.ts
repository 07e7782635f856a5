import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { originOf } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { AllowSuspicious, Me, RateLimit, RequiresSudo, TheCall, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { BouncedEmailChange } from './bounced-email-change.service.js';
import {
  ApplyEmailInput,
  BouncedEmailInput,
  MailedCodeInput,
  MailTicketInput,
  RequestNewEmailInput,
  VerifyNewEmailInput,
} from './email-change.dto.js';
import { EmailChange } from './email-change.service.js';

@Controller('v1/users/@me/email-change')
export class EmailChangeController {
  constructor(
    private readonly change: EmailChange,
    private readonly bounced: BouncedEmailChange,
  ) {}

  /** Begins a change of the address. */
  @Post('start')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:start')
  start(@Me() me: SessionIdentity, @TheCall() call: Call) {
    return this.change.start(me, originOf(call));
  }

  /** Mails the code to the present address again. */
  @Post('resend-original')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:resend_original')
  resendOriginal(@Me() me: SessionIdentity, @Body() { ticket }: MailTicketInput, @TheCall() call: Call) {
    return this.change.resendOriginal(me, ticket, originOf(call));
  }

  /** Confirms the present address by the code that was mailed to it. */
  @Post('verify-original')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:verify_original')
  verifyOriginal(@Me() me: SessionIdentity, @Body() input: MailedCodeInput) {
    return this.change.verifyOriginal(me, input);
  }

  /** Mails a code to the new address. */
  @Post('request-new')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:request_new')
  requestNew(@Me() me: SessionIdentity, @Body() input: RequestNewEmailInput, @TheCall() call: Call) {
    return this.change.requestNew(me, input, originOf(call));
  }

  /** Mails the code to the new address again. */
  @Post('resend-new')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:resend_new')
  resendNew(@Me() me: SessionIdentity, @Body() { ticket }: MailTicketInput, @TheCall() call: Call) {
    return this.change.resendNew(me, ticket, originOf(call));
  }

  /** Confirms the new address by the code that was mailed to it. */
  @Post('verify-new')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:verify_new')
  verifyNew(@Me() me: SessionIdentity, @Body() input: VerifyNewEmailInput) {
    return this.change.verifyNew(me, input);
  }

  /** Puts the confirmed address in the place of the present one. */
  @Post('apply')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo()
  @RateLimit('user:email_change:apply')
  apply(@Me() me: SessionIdentity, @Body() { email_token }: ApplyEmailInput, @TheCall() call: Call) {
    return this.change.apply(me, email_token, originOf(call));
  }

  /** Mails a code to an address that replaces one which bounces. */
  @Post('bounced/request-new')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:bounced:request_new')
  requestReplacement(@Me() me: SessionIdentity, @Body() { new_email }: BouncedEmailInput, @TheCall() call: Call) {
    return this.bounced.request(me, new_email, originOf(call));
  }

  /** Mails the code to the replacing address again. */
  @Post('bounced/resend-new')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:bounced:resend_new')
  resendReplacement(@Me() me: SessionIdentity, @Body() { ticket }: MailTicketInput, @TheCall() call: Call) {
    return this.bounced.resend(me, ticket, originOf(call));
  }

  /** Replaces an address which bounces by the confirmed one. */
  @Post('bounced/verify-new')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:bounced:verify_new')
  verifyReplacement(@Me() me: SessionIdentity, @Body() input: MailedCodeInput, @TheCall() call: Call) {
    return this.bounced.verify(me, input, originOf(call));
  }
}
