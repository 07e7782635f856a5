import { Body, Controller, Get, Patch } from '@nestjs/common';
import { AllowSuspicious, CurrentIdentity, RateLimit, UserOnly } from '../../policy/decorators.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { EditSettingsInput } from './settings.dto.js';
import { SettingsService } from './settings.service.js';

@Controller('v1/users/@me/settings')
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  /** Show the caller's settings. */
  @Get()
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('user:settings:get')
  show(@CurrentIdentity() me: SessionIdentity) {
    return this.settings.get(me.account);
  }

  /** Change the caller's settings. */
  @Patch()
  @UserOnly()
  @RateLimit('user:settings:update')
  edit(@CurrentIdentity() me: SessionIdentity, @Body() input: EditSettingsInput) {
    return this.settings.edit(me, input);
  }
}
