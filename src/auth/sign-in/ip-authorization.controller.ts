import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import { Text } from '../../http/input.js';
import type { Call } from '../../policy/call.js';
import { BlockedBySso, CurrentCall, Public, RateLimit } from '../../policy/decorators.js';
import { TokenInput } from '../recovery/recovery.dto.js';
import { IpAuthorization } from './ip-authorization.service.js';

class TicketInput {
  @Text({ min: 1, max: 256 }) ticket: string;
}

@Controller('v1/auth')
export class IpAuthorizationController {
  constructor(private readonly holds: IpAuthorization) {}

  /** Confirm a sign-in with the token from the email. */
  @Post('authorize-ip')
  @HttpCode(204)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:authorize_ip')
  authorize(@Body() { token }: TokenInput, @CurrentCall() call: Call) {
    return this.holds.authorize(token, getOrigin(call));
  }

  /** Send the confirmation email of a sign-in again. */
  @Post('ip-authorization/resend')
  @HttpCode(204)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:ip_authorization_resend')
  resend(@Body() { ticket }: TicketInput) {
    return this.holds.resend(ticket);
  }

  /** Check whether a sign-in was confirmed and return its session. */
  @Get('ip-authorization/poll')
  @Public()
  @BlockedBySso()
  @RateLimit('auth:ip_authorization_poll')
  poll(@Query() { ticket }: TicketInput) {
    return this.holds.poll(ticket);
  }
}
