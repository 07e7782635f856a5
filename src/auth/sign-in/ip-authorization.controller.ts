import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { originOf } from '../../accounts/events/origin.js';
import { Text } from '../../http/input.js';
import type { Call } from '../../policy/call.js';
import { BlockedBySso, Public, RateLimit, TheCall } from '../../policy/decorators.js';
import { TokenInput } from '../recovery/recovery.dto.js';
import { IpAuthorization } from './ip-authorization.service.js';

class TicketInput {
  @Text({ min: 1, max: 256 }) ticket: string;
}

@Controller('v1/auth')
export class IpAuthorizationController {
  constructor(private readonly holds: IpAuthorization) {}

  /** Confirms a held sign-in by the token that was mailed. */
  @Post('authorize-ip')
  @HttpCode(204)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:authorize_ip')
  authorize(@Body() { token }: TokenInput, @TheCall() call: Call) {
    return this.holds.authorize(token, originOf(call));
  }

  /** Mails the confirmation of a held sign-in again. */
  @Post('ip-authorization/resend')
  @HttpCode(204)
  @Public()
  @BlockedBySso()
  @RateLimit('auth:ip_authorization_resend')
  resend(@Body() { ticket }: TicketInput) {
    return this.holds.resend(ticket);
  }

  /** Tells whether a held sign-in was confirmed, and hands out its session. */
  @Get('ip-authorization/poll')
  @Public()
  @BlockedBySso()
  @RateLimit('auth:ip_authorization_poll')
  poll(@Query() { ticket }: TicketInput) {
    return this.holds.poll(ticket);
  }
}
