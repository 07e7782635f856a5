import { Body, Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { currentUserView, tagOf } from '../../accounts/account.views.js';
import { hasFactor } from '../../accounts/account-facts.js';
import { originOf } from '../../accounts/events/origin.js';
import { invalid } from '../../core/errors.js';
import type { Call } from '../../policy/call.js';
import {
  Accepts,
  AllowSuspicious,
  Authenticated,
  Me,
  OAuthScope,
  RateLimit,
  RequiresSudo,
  TheCall,
  UserOnly,
} from '../../policy/decorators.js';
import type { Identity, SessionIdentity } from '../../policy/identity.js';
import { EditMeInput } from './me.dto.js';
import { MeService } from './me.service.js';

/**
 * Whether the request changes a credential, the username or the discriminator, for which sudo mode is required
 * (account.md 2.2).
 */
const changesSignIn = (body: EditMeInput, { account }: SessionIdentity): boolean =>
  body.new_password !== undefined ||
  body.email_token !== undefined ||
  (body.username !== undefined && body.username !== account.username) ||
  (body.discriminator !== undefined && body.discriminator !== tagOf(account.discriminator));

const changesPassword = (body: EditMeInput): boolean => body.new_password !== undefined;

/**
 * Requires the current password from accounts with a second factor. It is checked before sudo, so that a request
 * without it does not use up a factor.
 * @throws Refusal FV(INVALID_FORMAT@password)
 */
function demandPassword(body: EditMeInput, { account }: SessionIdentity): void {
  const needsBoth = account.hasPassword && hasFactor(account);
  if (needsBoth && body.new_password !== undefined && body.password === undefined) {
    throw invalid('password', 'INVALID_FORMAT');
  }
}

@Controller('v1/users/@me')
export class MeController {
  constructor(private readonly me: MeService) {}

  /** Show the caller's account. */
  @Get()
  @Authenticated()
  @OAuthScope('identify')
  @AllowSuspicious()
  @RateLimit('user:settings:get')
  show(@Me() me: Identity) {
    return currentUserView(me);
  }

  /** Change the caller's profile, name or password. */
  @Patch()
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo({ when: changesSignIn, first: demandPassword, voidsProofs: changesPassword })
  @RateLimit('user:update')
  @Accepts('json', { limit: 6 * 1024 * 1024 })
  edit(@Me() me: SessionIdentity, @Body() input: EditMeInput, @TheCall() call: Call) {
    return this.me.edit(me, input, originOf(call));
  }

  /** Disable the caller's account until the next sign-in. */
  @Post('disable')
  @HttpCode(204)
  @UserOnly()
  @RequiresSudo({ issuesProof: false })
  @RateLimit('user:account:disable')
  disable(@Me() me: SessionIdentity, @TheCall() call: Call) {
    return this.me.disable(me, originOf(call));
  }
}
