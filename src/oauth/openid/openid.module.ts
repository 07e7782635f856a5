import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import type { Config } from '../../core/config/config.js';
import { BackchannelLogoutsController } from './backchannel-logouts.controller.js';
import { BackchannelLogouts } from './backchannel-logouts.service.js';
import { IdTokenHints } from './id-token-hints.service.js';
import { IdTokens } from './id-tokens.service.js';
import { JwksController } from './jwks.controller.js';
import { LogoutController } from './logout.controller.js';
import { Logouts } from './logouts.service.js';
import { OpenIdController } from './openid.controller.js';
import { OpenIdProvider } from './openid-provider.service.js';
import { ServerMetadata } from './server-metadata.service.js';
import { SigningKeys } from './signing-keys.service.js';

const PROVIDERS: Provider[] = [
  BackchannelLogouts,
  Logouts,
  SigningKeys,
  IdTokens,
  IdTokenHints,
  ServerMetadata,
  OpenIdProvider,
];

/** OpenID Connect. When it is off, only the key set remains (contract/openid.md). */
@Global()
@Module({ providers: PROVIDERS, exports: [SigningKeys, IdTokens, IdTokenHints, ServerMetadata] })
class OpenIdModule {}

export const openIdModules = (config: Config): DynamicModule[] => [
  {
    module: OpenIdModule,
    controllers: [
      JwksController,
      ...(config.openid.isEnabled ? [OpenIdController, LogoutController, BackchannelLogoutsController] : []),
    ],
  },
];
