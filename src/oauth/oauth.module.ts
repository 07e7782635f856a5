import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { MediaModule } from '../media/media.module.js';
import { ApplicationRemoval } from './applications/application-removal.service.js';
import { ApplicationsController } from './applications/applications.controller.js';
import { Applications } from './applications/applications.service.js';
import { BotTokensController } from './applications/bot-tokens.controller.js';
import { BotTokens } from './applications/bot-tokens.service.js';
import { Bots } from './applications/bots.service.js';
import { OwnApplications } from './applications/own-applications.service.js';
import { Trust } from './applications/trust.service.js';
import { AuthorizeController } from './authorization/authorize.controller.js';
import { AuthorizeService } from './authorization/authorize.service.js';
import { ConsentService } from './authorization/consent.service.js';
import { GrantsController } from './authorization/grants.controller.js';
import { OwnGrants } from './authorization/own-grants.service.js';
import { MetadataController } from './metadata.controller.js';
import { OpenIdModule } from './openid/openid.module.js';
import { Arrivals } from './tokens/arrivals.js';
import { ClientAuthenticator } from './tokens/client-authenticator.service.js';
import { CodeExchange } from './tokens/code-exchange.service.js';
import { RefreshRotation } from './tokens/refresh-rotation.service.js';
import { StoreClock } from './tokens/store-clock.js';
import { TokenController } from './tokens/token.controller.js';
import { TokenService } from './tokens/token.service.js';
import { TokenMint } from './tokens/token-mint.service.js';
import { TokenStatus } from './tokens/token-status.service.js';

/** The OAuth2 provider: applications, bots, consent, tokens. */
@Module({
  imports: [AccountsModule, AuthModule, MediaModule, OpenIdModule],
  controllers: [
    MetadataController,
    AuthorizeController,
    TokenController,
    GrantsController,
    ApplicationsController,
    BotTokensController,
  ],
  providers: [
    ...[
      ApplicationRemoval,
      Applications,
      Arrivals,
      AuthorizeService,
      Bots,
      BotTokens,
      ClientAuthenticator,
      ConsentService,
    ],
    ...[OwnApplications, OwnGrants, StoreClock, TokenMint, CodeExchange, RefreshRotation, TokenService, TokenStatus],
    Trust,
  ],
  exports: [Applications, Bots, BotTokens, ClientAuthenticator, Trust],
})
export class OAuthModule {}
