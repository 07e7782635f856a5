import { Body, Controller, Delete, HttpCode, Param, Patch, Put } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { UserPath } from './admin-users.dto.js';
import { UserAcls } from './user-acls.service.js';
import { UserFlags } from './user-flags.service.js';
import {
  EditFlagsInput,
  PhoneVerificationInput,
  SetAclsInput,
  SetTraitsInput,
  SuspicionInput,
} from './user-marks.dto.js';

/** ACLs, flags, traits and requirements of accounts in the Admin API (admin.md 5.3). */
@Controller('v1/admin/users/:user_id')
export class UserMarksController {
  constructor(
    private readonly acls: UserAcls,
    private readonly userFlags: UserFlags,
  ) {}

  /** Replace the ACLs of an account. */
  @Put('acls')
  @AdminAcl('acl:set:user')
  @RateLimit('admin:user:modify')
  setAcls(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath, @Body() { acls }: SetAclsInput) {
    return this.acls.replace(by, user_id, acls);
  }

  /** Add and remove flags of an account. */
  @Patch('flags')
  @AdminAcl('user:update:flags')
  @RateLimit('admin:user:modify')
  editFlags(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath, @Body() input: EditFlagsInput) {
    return this.userFlags.editFlags(by, user_id, input);
  }

  /** Replace the suspicious-activity flags of an account. */
  @Put('suspicious-activity-flags')
  @AdminAcl('user:update:suspicious_activity')
  @RateLimit('admin:user:modify')
  setSuspicion(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath, @Body() { flags }: SuspicionInput) {
    return this.userFlags.setSuspicion(by, user_id, flags);
  }

  /** Replace the traits of an account. */
  @Put('traits')
  @AdminAcl('user:update:traits')
  @RateLimit('admin:user:modify')
  setTraits(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath, @Body() { traits }: SetTraitsInput) {
    return this.userFlags.setTraits(by, user_id, traits);
  }

  /** End a lockdown, so that the account can sign in without a password reset. */
  @Delete('lockdown')
  @HttpCode(204)
  @AdminAcl('user:update:flags')
  @RateLimit('admin:user:modify')
  endLockdown(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath) {
    return this.userFlags.endLockdown(by, user_id);
  }

  /** Set whether an account has a verified phone number. */
  @Put('phone-verification')
  @AdminAcl('user:update:phone')
  @RateLimit('admin:user:modify')
  setPhone(
    @CurrentOperator() by: Operator,
    @Param() { user_id }: UserPath,
    @Body() { has_verified_phone }: PhoneVerificationInput,
  ) {
    return this.userFlags.setVerifiedPhone(by, user_id, has_verified_phone);
  }
}
