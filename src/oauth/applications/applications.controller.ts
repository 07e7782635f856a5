import { applyDecorators, Body, Controller, Delete, Get, Header, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import {
  Accepts,
  AllowSuspicious,
  Authenticated,
  BotOnly,
  Captcha,
  CaseInsensitiveScheme,
  CurrentCall,
  CurrentIdentity,
  Public,
  RateLimit,
  RequiresSudo,
  UserOnly,
} from '../../policy/decorators.js';
import type { BotIdentity, Identity, SessionIdentity } from '../../policy/identity.js';
import { ApplicationPath, CreateApplicationInput, EditApplicationInput, EditBotInput } from './application.dto.js';
import { Bots } from './bots.service.js';
import { OwnApplications } from './own-applications.service.js';

/** Two images of 2 MiB in Base64 and the other members. */
const BOT_PROFILE_LIMIT = 6 * 1024 * 1024;

/** For responses that contain a secret, which is shown only once. */
const ShowsSecret = () => applyDecorators(HttpCode(200), Header('Pragma', 'no-cache'));

@Controller('v1')
export class ApplicationsController {
  constructor(
    private readonly applications: OwnApplications,
    private readonly bots: Bots,
  ) {}

  /** List the caller's applications. */
  @Get('users/@me/applications')
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('oauth_dev:clients:list')
  list(@CurrentIdentity() me: SessionIdentity) {
    return this.applications.list(me);
  }

  /** Get the application of the calling bot. */
  @Get('applications/@me')
  @BotOnly()
  @CaseInsensitiveScheme()
  @AllowSuspicious()
  @RateLimit('oauth_dev:clients:list')
  describeBot(@CurrentIdentity() me: BotIdentity) {
    return this.bots.describe(me);
  }

  /** List the caller's applications. A bot gets its own application. */
  @Get('oauth2/applications/@me')
  @Authenticated()
  @AllowSuspicious()
  @RateLimit('oauth_dev:clients:list')
  listOrDescribe(@CurrentIdentity() me: SessionIdentity | BotIdentity) {
    return me.via === 'bot' ? this.bots.describe(me) : this.applications.list(me);
  }

  /** Get the public data of an application. */
  @Get('oauth2/applications/:id/public')
  @Public()
  @RateLimit('oauth_dev:clients:list')
  describePublicly(@CurrentIdentity() me: Identity | null, @Param() { id }: ApplicationPath) {
    return this.applications.describePublicly(me?.via === 'session' ? me.account : null, id);
  }

  /** Create an application and its bot. */
  @Post('oauth2/applications')
  @ShowsSecret()
  @UserOnly()
  @AllowSuspicious()
  @Captcha()
  @RateLimit('oauth_dev:clients:create')
  create(@CurrentIdentity() me: SessionIdentity, @Body() input: CreateApplicationInput) {
    return this.applications.create(me, input);
  }

  /** Get an application of the caller. */
  @Get('oauth2/applications/:id')
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('oauth_dev:clients:list')
  describe(@CurrentIdentity() me: SessionIdentity, @Param() { id }: ApplicationPath) {
    return this.applications.describe(me, id);
  }

  /** Change an application. */
  @Patch('oauth2/applications/:id')
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('oauth_dev:clients:update')
  edit(
    @CurrentIdentity() me: SessionIdentity,
    @Param() { id }: ApplicationPath,
    @Body() input: EditApplicationInput,
    @CurrentCall() call: Call,
  ) {
    return this.applications.edit(me, id, input, { origin: getOrigin(call), requestId: call.id });
  }

  /** Change the bot of an application. */
  @Patch('oauth2/applications/:id/bot')
  @UserOnly()
  @AllowSuspicious()
  @Accepts('json', { limit: BOT_PROFILE_LIMIT })
  @RateLimit('oauth_dev:clients:update')
  editBot(@CurrentIdentity() me: SessionIdentity, @Param() { id }: ApplicationPath, @Body() input: EditBotInput) {
    return this.bots.edit(me, id, input);
  }

  /** Replace the token of a bot. */
  @Post('oauth2/applications/:id/bot/reset-token')
  @ShowsSecret()
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo()
  @RateLimit('oauth_dev:clients:rotate_secret')
  resetToken(@CurrentIdentity() me: SessionIdentity, @Param() { id }: ApplicationPath, @CurrentCall() call: Call) {
    return this.bots.resetToken(me, id, getOrigin(call));
  }

  /** Replace the client secret of an application. */
  @Post('oauth2/applications/:id/client-secret/reset')
  @ShowsSecret()
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo()
  @RateLimit('oauth_dev:clients:rotate_secret')
  resetSecret(@CurrentIdentity() me: SessionIdentity, @Param() { id }: ApplicationPath, @CurrentCall() call: Call) {
    return this.applications.resetSecret(me, id, { origin: getOrigin(call), requestId: call.id });
  }

  /** Delete an application with its bot and all its grants. */
  @Delete('oauth2/applications/:id')
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo()
  @RateLimit('oauth_dev:clients:delete')
  delete(@CurrentIdentity() me: SessionIdentity, @Param() { id }: ApplicationPath) {
    return this.applications.delete(me, id);
  }
}
