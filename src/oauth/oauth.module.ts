import { Global, Module } from '@nestjs/common';
import { MediaModule } from '../media/media.module.js';
import { AdminApplication } from './admin-application.service.js';
import { ApplicationsController } from './applications.controller.js';
import { Applications } from './applications.service.js';
import { Arrivals } from './arrivals.js';
import { AuthorizeController } from './authorize.controller.js';
import { AuthorizeService } from './authorize.service.js';
import { Bots } from './bots.service.js';
import { ClientAuthenticator } from './client-authenticator.service.js';
import { ConsentPageController } from './consent-page.controller.js';
import { GrantsController } from './grants.controller.js';
import { Grants } from './grants.service.js';
import { MetadataController } from './metadata.controller.js';
import { OwnApplications } from './own-applications.service.js';
import { OwnGrants } from './own-grants.service.js';
import { StoreClock } from './store-clock.js';
import { TokenController } from './token.controller.js';
import { TokenService } from './token.service.js';
import { TokenMint } from './token-mint.service.js';
import { TokenStatus } from './token-status.service.js';

/** The OAuth2 provider: applications, bots, consent, tokens. */
@Global()
@Module({
  imports: [MediaModule],
  controllers: [
    ...[MetadataController, AuthorizeController, TokenController, GrantsController, ApplicationsController],
    ConsentPageController,
  ],
  providers: [
    ...[AdminApplication, Applications, Arrivals, AuthorizeService, Bots, ClientAuthenticator, Grants],
    ...[OwnApplications, OwnGrants, StoreClock, TokenMint, TokenService, TokenStatus],
  ],
  exports: [AdminApplication, Applications, ClientAuthenticator, Grants],
})
export class OAuthModule {}
