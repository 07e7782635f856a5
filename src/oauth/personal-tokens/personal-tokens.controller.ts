import { Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post } from '@nestjs/common';
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
import { CreatePersonalTokenInput, PersonalTokenPath, RenamePersonalTokenInput } from './personal-tokens.dto.js';
import { PersonalTokens } from './personal-tokens.service.js';

/** Personal access tokens of the signed-in user (tokens.md section 1). */
@Controller('v1/users/@me/access-tokens')
export class PersonalTokensController {
  constructor(private readonly tokens: PersonalTokens) {}

  /** List the caller's personal access tokens that have not expired, newest first. */
  @Get()
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:tokens')
  async list(@CurrentIdentity() { account }: SessionIdentity) {
    return { tokens: await this.tokens.list(account.id) };
  }

  /** Create a personal access token. The response is the only one that contains it. */
  @Post()
  @Header('Pragma', 'no-cache')
  @UserOnly()
  @RequiresSudo()
  @RateLimit('user:tokens:create')
  create(@CurrentIdentity() me: SessionIdentity, @Body() input: CreatePersonalTokenInput, @CurrentCall() call: Call) {
    return this.tokens.create(me, input, getOrigin(call));
  }

  /** Rename a personal access token. */
  @Patch(':id')
  @UserOnly()
  @RateLimit('user:tokens')
  rename(
    @CurrentIdentity() me: SessionIdentity,
    @Param() { id }: PersonalTokenPath,
    @Body() { name }: RenamePersonalTokenInput,
  ) {
    return this.tokens.rename(me, id, name);
  }

  /** Delete a personal access token, which stops working immediately. */
  @Delete(':id')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:tokens')
  delete(@CurrentIdentity() me: SessionIdentity, @Param() { id }: PersonalTokenPath, @CurrentCall() call: Call) {
    return this.tokens.delete(me, id, getOrigin(call));
  }
}
