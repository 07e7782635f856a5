import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import type { Config } from '../core/config/config.js';
import { OAuthModule } from './oauth.module.js';
import { BackchannelLogoutsController } from './openid/backchannel-logouts.controller.js';
import { BackchannelLogouts } from './openid/backchannel-logouts.service.js';
import { LogoutController } from './openid/logout.controller.js';
import { Logouts } from './openid/logouts.service.js';
import { OpenIdController } from './openid/openid.controller.js';
import { OpenIdModule } from './openid/openid.module.js';
import { OpenIdProvider } from './openid/openid-provider.service.js';

/** The operations of OpenID Connect that need applications or sessions. */
@Module({ imports: [AuthModule, OAuthModule, OpenIdModule], providers: [BackchannelLogouts, Logouts, OpenIdProvider] })
export class OpenIdOperationsModule {
  static with({ openid }: Config): DynamicModule {
    const controllers = [OpenIdController, LogoutController, BackchannelLogoutsController];
    return { module: OpenIdOperationsModule, controllers: openid.isEnabled ? controllers : [] };
  }
}
