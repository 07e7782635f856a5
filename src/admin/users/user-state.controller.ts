import { Body, Controller, Delete, HttpCode, Param, Put } from '@nestjs/common';
import { AdminAcl, RateLimit } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { UserPath } from './admin-users.dto.js';
import { SuspicionInput } from './user-marks.dto.js';
import { BanInput, DeletionInput } from './user-state.dto.js';
import { UserState } from './user-state.service.js';

/** Disablement, bans, deletion and sessions of accounts in the Admin API (admin.md 5.3). */
@Controller('v1/admin/users/:user_id')
export class UserStateController {
  constructor(private readonly state: UserState) {}

  /** Disable an account for suspicious activity. */
  @Put('suspicious-activity-disablement')
  @AdminAcl('user:disable:suspicious')
  @RateLimit('admin:user:modify')
  disable(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath, @Body() { flags }: SuspicionInput) {
    return this.state.disable(by, user_id, flags);
  }

  /** Lift the disablement of an account. */
  @Delete('suspicious-activity-disablement')
  @AdminAcl('user:disable:suspicious')
  @RateLimit('admin:user:modify')
  enable(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath) {
    return this.state.enable(by, user_id);
  }

  /** Ban an account temporarily or permanently. */
  @Put('ban')
  @AdminAcl('user:temp_ban')
  @RateLimit('admin:user:modify')
  ban(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath, @Body() input: BanInput) {
    return this.state.ban(by, user_id, input);
  }

  /** Lift the ban of an account. */
  @Delete('ban')
  @AdminAcl('user:temp_ban')
  @RateLimit('admin:user:modify')
  unban(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath) {
    return this.state.unban(by, user_id);
  }

  /** Schedule the deletion of an account. */
  @Put('deletion')
  @AdminAcl('user:delete')
  @RateLimit('admin:user:modify')
  scheduleDeletion(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath, @Body() input: DeletionInput) {
    return this.state.scheduleDeletion(by, user_id, input);
  }

  /** Cancel the scheduled deletion of an account. */
  @Delete('deletion')
  @AdminAcl('user:delete')
  @RateLimit('admin:user:modify')
  cancelDeletion(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath) {
    return this.state.cancelDeletion(by, user_id);
  }

  /** End every session of an account. */
  @Delete('sessions')
  @HttpCode(200)
  @AdminAcl('user:update:flags')
  @RateLimit('admin:user:modify')
  async endSessions(@CurrentOperator() by: Operator, @Param() { user_id }: UserPath): Promise<void> {
    await this.state.endSessions(by, user_id);
  }
}
