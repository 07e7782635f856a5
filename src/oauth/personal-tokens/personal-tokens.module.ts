import { type DynamicModule, Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { AuthModule } from '../../auth/auth.module.js';
import type { Config } from '../../core/config/config.js';
import { PersonalTokenReminder } from './personal-token-reminder.service.js';
import { PersonalTokensController } from './personal-tokens.controller.js';
import { PersonalTokens } from './personal-tokens.service.js';

/** Personal access tokens. When they are off, only administrators and the owners of leaked ones still end them. */
@Module({
  imports: [AccountsModule, AuthModule],
  providers: [PersonalTokens, PersonalTokenReminder],
  exports: [PersonalTokens],
})
export class PersonalTokensModule {}

export const personalTokenModules = (config: Config): DynamicModule[] => [
  { module: PersonalTokensModule, controllers: config.personalTokens.isEnabled ? [PersonalTokensController] : [] },
];
