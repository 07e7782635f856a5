import { Body, Controller, HttpCode, Param, Patch, Post, Put } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { UserPath } from './admin-users.dto.js';
import { EmailBounceInput, SetEmailInput } from './user-contact.dto.js';
import { UserContact } from './user-contact.service.js';

/** Contact data of accounts in the Admin API (admin.md 5.3). */
@Controller('v1/admin/users/:user_id')
export class UserContactController {
  constructor(private readonly contact: UserContact) {}

  /** Set the email address of an account. */
  @Patch('email')
  @AdminAcl('user:update:email')
  @RateLimit('admin:user:modify')
  setEmail(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath, @Body() { email }: SetEmailInput) {
    return this.contact.setEmail(by, user_id, email);
  }

  /** Mark the email address of an account as verified. */
  @Put('email-verification')
  @AdminAcl('user:update:email')
  @RateLimit('admin:user:modify')
  verifyEmail(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath) {
    return this.contact.verifyEmail(by, user_id);
  }

  /** Set whether email to an account bounces. */
  @Put('email-bounce')
  @AdminAcl('user:update:email')
  @RateLimit('admin:user:modify')
  setBounce(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath, @Body() { bounced }: EmailBounceInput) {
    return this.contact.setBounce(by, user_id, bounced);
  }

  /** Send a verification email to an account. */
  @Post('verification-email')
  @HttpCode(204)
  @AdminAcl('user:update:email')
  @RateLimit('admin:user:modify')
  mailVerification(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath) {
    return this.contact.mailVerification(by, user_id);
  }

  /** Send a password reset email to an account. */
  @Post('password-reset')
  @HttpCode(204)
  @AdminAcl('user:update:email')
  @RateLimit('admin:user:modify')
  mailReset(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath) {
    return this.contact.mailReset(by, user_id);
  }
}
