import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { AuthModule } from '../auth.module.js';
import { OneTimeSecretsModule } from '../secrets/one-time-secrets.module.js';
import { ConnectionAccounts } from './connection-accounts.service.js';
import { ConnectionSignIn } from './connection-sign-in.service.js';
import { ConnectionStates } from './connection-states.service.js';
import { ConnectionsController } from './connections.controller.js';
import { Connections } from './connections.service.js';
import { IdentityImporter } from './identity-importer.service.js';
import { OAuth2Exchange } from './oauth2-exchange.service.js';
import { OwnIdentitiesController } from './own-identities.controller.js';
import { OwnIdentities } from './own-identities.service.js';

/** Sign-in with other identity providers than the one of single sign-on. */
@Module({
  imports: [AccountsModule, AuthModule, OneTimeSecretsModule],
  controllers: [ConnectionsController, OwnIdentitiesController],
  providers: [
    ...[ConnectionAccounts, ConnectionSignIn, ConnectionStates, Connections],
    ...[IdentityImporter, OAuth2Exchange, OwnIdentities],
  ],
  exports: [Connections, IdentityImporter],
})
export class ConnectionsModule {}
