import { Body, Controller, HttpCode, Param, Patch, Post, Put } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { By, type Operator } from '../audit/operator.js';
import { UserPath } from './admin-users.dto.js';
import { EmailBounceInput, SetEmailInput } from './user-contact.dto.js';
import { UserContact } from './user-contact.service.js';

/** Where accounts are reached (admin.md 5.3). */
@Controller('v1/admin/users/:user_id')
export class UserContactController {
  constructor(private readonly contact: UserContact) {}

  @Patch('email')
  @AdminAcl('user:update:email')
  @RateLimit('admin:user:modify')
  setEmail(@By() by: Operator, @Param() { user_id }: UserPath, @Body() { email }: SetEmailInput) {
    return this.contact.setEmail(by, user_id, email);
  }

  @Put('email-verification')
  @AdminAcl('user:update:email')
  @RateLimit('admin:user:modify')
  verifyEmail(@By() by: Operator, @Param() { user_id }: UserPath) {
    return this.contact.verifyEmail(by, user_id);
  }

  @Put('email-bounce')
  @AdminAcl('user:update:email')
  @RateLimit('admin:user:modify')
  setBounce(@By() by: Operator, @Param() { user_id }: UserPath, @Body() { bounced }: EmailBounceInput) {
    return this.contact.setBounce(by, user_id, bounced);
  }

  @Post('verification-email')
  @HttpCode(204)
  @AdminAcl('user:update:email')
  @RateLimit('admin:user:modify')
  mailVerification(@By() by: Operator, @Param() { user_id }: UserPath) {
    return this.contact.mailVerification(by, user_id);
  }

  @Post('password-reset')
  @HttpCode(204)
  @AdminAcl('user:update:email')
  @RateLimit('admin:user:modify')
  mailReset(@By() by: Operator, @Param() { user_id }: UserPath) {
    return this.contact.mailReset(by, user_id);
  }
}
