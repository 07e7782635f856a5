import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post } from '@nestjs/common';
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
import { ApplicationPath, BotTokenPath, CreateBotTokenInput } from './application.dto.js';
import { BotTokens } from './bot-tokens.service.js';

/** The tokens of a bot (tokens.md section 2). */
@Controller('v1/oauth2/applications/:id/bot/tokens')
export class BotTokensController {
  constructor(private readonly tokens: BotTokens) {}

  /** List the tokens of a bot, oldest first. */
  @Get()
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('oauth_dev:clients:list')
  list(@CurrentIdentity() me: SessionIdentity, @Param() { id }: ApplicationPath) {
    return this.tokens.list(me, id);
  }

  /** Create another token of a bot. The response is the only one that contains it. */
  @Post()
  @Header('Pragma', 'no-cache')
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo()
  @RateLimit('oauth_dev:clients:rotate_secret')
  create(
    @CurrentIdentity() me: SessionIdentity,
    @Param() { id }: ApplicationPath,
    @Body() { name }: CreateBotTokenInput,
    @CurrentCall() call: Call,
  ) {
    return this.tokens.create(me, id, { name, origin: getOrigin(call) });
  }

  /** Delete a token of a bot, and end the gateway sessions that it opened. The last token cannot be deleted. */
  @Delete(':token_id')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo()
  @RateLimit('oauth_dev:clients:rotate_secret')
  delete(@CurrentIdentity() me: SessionIdentity, @Param() { id, token_id }: BotTokenPath, @CurrentCall() call: Call) {
    return this.tokens.delete(me, id, token_id, getOrigin(call));
  }
}
