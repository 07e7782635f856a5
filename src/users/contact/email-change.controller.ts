import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import {
  AllowSuspicious,
  CurrentCall,
  CurrentIdentity,
  RateLimit,
  RequiresSudo,
  UserOnly,
} from '../../policy/decorators.js';
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

  /** Start an email change. */
  @Post('start')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:start')
  start(@CurrentIdentity() me: SessionIdentity, @CurrentCall() call: Call) {
    return this.change.start(me, getOrigin(call));
  }

  /** Resend the code to the current email address. */
  @Post('resend-original')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:resend_original')
  resendOriginal(
    @CurrentIdentity() me: SessionIdentity,
    @Body() { ticket }: MailTicketInput,
    @CurrentCall() call: Call,
  ) {
    return this.change.resendOriginal(me, ticket, getOrigin(call));
  }

  /** Verify the current email address with the emailed code. */
  @Post('verify-original')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:verify_original')
  verifyOriginal(@CurrentIdentity() me: SessionIdentity, @Body() input: MailedCodeInput) {
    return this.change.verifyOriginal(me, input);
  }

  /** Email a code to the new email address. */
  @Post('request-new')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:request_new')
  requestNew(@CurrentIdentity() me: SessionIdentity, @Body() input: RequestNewEmailInput, @CurrentCall() call: Call) {
    return this.change.requestNew(me, input, getOrigin(call));
  }

  /** Resend the code to the new email address. */
  @Post('resend-new')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:resend_new')
  resendNew(@CurrentIdentity() me: SessionIdentity, @Body() { ticket }: MailTicketInput, @CurrentCall() call: Call) {
    return this.change.resendNew(me, ticket, getOrigin(call));
  }

  /** Verify the new email address with the emailed code. */
  @Post('verify-new')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:verify_new')
  verifyNew(@CurrentIdentity() me: SessionIdentity, @Body() input: VerifyNewEmailInput) {
    return this.change.verifyNew(me, input);
  }

  /** Replace the email address with the verified one. */
  @Post('apply')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo()
  @RateLimit('user:email_change:apply')
  apply(@CurrentIdentity() me: SessionIdentity, @Body() { email_token }: ApplyEmailInput, @CurrentCall() call: Call) {
    return this.change.apply(me, email_token, getOrigin(call));
  }

  /** Email a code to the replacement of an email address that bounces. */
  @Post('bounced/request-new')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:bounced:request_new')
  requestReplacement(
    @CurrentIdentity() me: SessionIdentity,
    @Body() { new_email }: BouncedEmailInput,
    @CurrentCall() call: Call,
  ) {
    return this.bounced.request(me, new_email, getOrigin(call));
  }

  /** Resend the code to the replacement email address. */
  @Post('bounced/resend-new')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:bounced:resend_new')
  resendReplacement(
    @CurrentIdentity() me: SessionIdentity,
    @Body() { ticket }: MailTicketInput,
    @CurrentCall() call: Call,
  ) {
    return this.bounced.resend(me, ticket, getOrigin(call));
  }

  /** Verify the replacement and change the email address that bounces. */
  @Post('bounced/verify-new')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:email_change:bounced:verify_new')
  verifyReplacement(@CurrentIdentity() me: SessionIdentity, @Body() input: MailedCodeInput, @CurrentCall() call: Call) {
    return this.bounced.verify(me, input, getOrigin(call));
  }
}
