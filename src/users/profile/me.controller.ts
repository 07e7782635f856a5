import { Body, Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { currentUserView, formatDiscriminator } from '../../accounts/account.views.js';
import { hasFactor } from '../../accounts/account-facts.js';
import { getOrigin } from '../../accounts/events/origin.js';
import { validationError } from '../../core/errors.js';
import type { Call } from '../../policy/call.js';
import {
  Accepts,
  AllowSuspicious,
  Authenticated,
  CurrentCall,
  CurrentIdentity,
  OAuthScope,
  RateLimit,
  RequiresSudo,
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
  (body.discriminator !== undefined && body.discriminator !== formatDiscriminator(account.discriminator));

const changesPassword = (body: EditMeInput): boolean => body.new_password !== undefined;

/**
 * Requires the current password from accounts with a second factor. It is checked before sudo, so that a request
 * without it does not use up a factor.
 * @throws ApiError FV(INVALID_FORMAT@password)
 */
function assertCurrentPasswordSent(body: EditMeInput, { account }: SessionIdentity): void {
  const needsBoth = account.hasPassword && hasFactor(account);
  if (needsBoth && body.new_password !== undefined && body.password === undefined) {
    throw validationError('password', 'INVALID_FORMAT');
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
  show(@CurrentIdentity() me: Identity) {
    return currentUserView(me);
  }

  /** Change the caller's profile, name or password. */
  @Patch()
  @UserOnly()
  @AllowSuspicious()
  @RequiresSudo({ when: changesSignIn, first: assertCurrentPasswordSent, voidsProofs: changesPassword })
  @RateLimit('user:update')
  @Accepts('json', { limit: 6 * 1024 * 1024 })
  edit(@CurrentIdentity() me: SessionIdentity, @Body() input: EditMeInput, @CurrentCall() call: Call) {
    return this.me.edit(me, input, getOrigin(call));
  }

  /** Disable the caller's account until the next sign-in. */
  @Post('disable')
  @HttpCode(204)
  @UserOnly()
  @RequiresSudo({ issuesProof: false })
  @RateLimit('user:account:disable')
  disable(@CurrentIdentity() me: SessionIdentity, @CurrentCall() call: Call) {
    return this.me.disable(me, getOrigin(call));
  }
}
