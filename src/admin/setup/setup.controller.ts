import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Text } from '../../http/input.js';
import { AllowSuspicious, RateLimit, UserOnly } from '../../policy/decorators.js';
import { CurrentOperator, type Operator } from '../audit/operator.js';
import { SetupToken } from './setup.service.js';

export class SetupInput {
  @Text({ min: 1, max: 256 }) token: string;
}

/** This route is outside `/v1/admin`, so that the rules of Admin routes need no exception (admin.md section 3). */
@Controller('v1/setup')
export class SetupController {
  constructor(private readonly setup: SetupToken) {}

  /** Make the caller the first administrator of the instance. */
  @Post()
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('setup')
  redeem(@CurrentOperator() by: Operator, @Body() { token }: SetupInput) {
    return this.setup.redeem(by, token);
  }
}
