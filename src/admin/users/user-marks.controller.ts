import { Body, Controller, Param, Patch, Put } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { By, type Operator } from '../audit/operator.js';
import { UserPath } from './admin-users.dto.js';
import { UserAcls } from './user-acls.service.js';
import {
  EditFlagsInput,
  PhoneVerificationInput,
  SetAclsInput,
  SetTraitsInput,
  SuspicionInput,
} from './user-marks.dto.js';
import { UserMarks } from './user-marks.service.js';

/** What accounts may do and what is asked of them (admin.md 5.3). */
@Controller('v1/admin/users/:user_id')
export class UserMarksController {
  constructor(
    private readonly acls: UserAcls,
    private readonly marks: UserMarks,
  ) {}

  @Put('acls')
  @AdminAcl('acl:set:user')
  @RateLimit('admin:user:modify')
  setAcls(@By() by: Operator, @Param() { user_id }: UserPath, @Body() { acls }: SetAclsInput) {
    return this.acls.replace(by, user_id, acls);
  }

  @Patch('flags')
  @AdminAcl('user:update:flags')
  @RateLimit('admin:user:modify')
  editFlags(@By() by: Operator, @Param() { user_id }: UserPath, @Body() input: EditFlagsInput) {
    return this.marks.editFlags(by, user_id, input);
  }

  @Put('suspicious-activity-flags')
  @AdminAcl('user:update:suspicious_activity')
  @RateLimit('admin:user:modify')
  setSuspicion(@By() by: Operator, @Param() { user_id }: UserPath, @Body() { flags }: SuspicionInput) {
    return this.marks.setSuspicion(by, user_id, flags);
  }

  @Put('traits')
  @AdminAcl('user:update:traits')
  @RateLimit('admin:user:modify')
  setTraits(@By() by: Operator, @Param() { user_id }: UserPath, @Body() { traits }: SetTraitsInput) {
    return this.marks.setTraits(by, user_id, traits);
  }

  @Put('phone-verification')
  @AdminAcl('user:update:phone')
  @RateLimit('admin:user:modify')
  setPhone(@By() by: Operator, @Param() { user_id }: UserPath, @Body() { has_verified_phone }: PhoneVerificationInput) {
    return this.marks.setVerifiedPhone(by, user_id, has_verified_phone);
  }
}
