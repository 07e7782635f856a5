import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { CurrentCall, CurrentIdentity, Public, RateLimit, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { CancelHandoffInput, CollectHandoffInput, CompleteHandoffInput, HandoffPath } from './handoff.dto.js';
import { Handoffs } from './handoff.service.js';

@Controller('v1/auth/handoff')
export class HandoffController {
  constructor(private readonly handoffs: Handoffs) {}

  /** Start a sign-in that another device approves. */
  @Post('initiate')
  @HttpCode(200)
  @Public()
  @RateLimit('auth:handoff:initiate')
  initiate(@CurrentCall() call: Call) {
    return this.handoffs.initiate(getOrigin(call));
  }

  /** Get the device that requests approval. */
  @Get(':code/info')
  @Public()
  @RateLimit('auth:handoff:info')
  inspect(@Param() { code }: HandoffPath, @CurrentCall() { address }: Call) {
    return this.handoffs.inspect(code, address);
  }

  /** Approve the sign-in of another device. */
  @Post('complete')
  @HttpCode(204)
  @UserOnly()
  @RateLimit('auth:handoff:complete')
  approve(
    @CurrentIdentity() me: SessionIdentity,
    @Body() input: CompleteHandoffInput,
    @CurrentCall() { address }: Call,
  ) {
    return this.handoffs.approve(me, input, address);
  }

  /** Check whether a handoff is pending or expired. */
  @Get(':code/status')
  @Public()
  @RateLimit('auth:handoff:status')
  status(@Param() { code }: HandoffPath) {
    return this.handoffs.status(code);
  }

  /** Get the session of an approved handoff, once. */
  @Post(':code/status')
  @HttpCode(200)
  @Public()
  @RateLimit('auth:handoff:status')
  collect(
    @Param() { code }: HandoffPath,
    @Body() { poll_secret }: CollectHandoffInput,
    @CurrentCall() { address }: Call,
  ) {
    return this.handoffs.collect(code, poll_secret, address);
  }

  /** Cancel a handoff. Once a user has inspected the code, this requires its `poll_secret`. */
  @Delete(':code')
  @HttpCode(204)
  @Public()
  @RateLimit('auth:handoff:cancel')
  cancel(@Param() { code }: HandoffPath, @Body() { poll_secret }: CancelHandoffInput) {
    return this.handoffs.cancel(code, poll_secret);
  }
}
