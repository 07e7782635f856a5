import { BotTokens1797741000000 } from '../migrations/1797741000000-bot-tokens.js';
import { ResourceServers1797742000000 } from '../migrations/1797742000000-resource-servers.js';
import { defineFeature } from '../policy/feature.js';
import { ApplicationRemoval } from './applications/application-removal.service.js';
import { BotToken } from './applications/bot-token.entities.js';
import { OAuthModule } from './oauth.module.js';
import { OAuthSettings } from './oauth.settings.js';
import { OpenIdOperationsModule } from './openid-operations.module.js';
import { OAUTH_DESCRIPTIONS } from './tokens/oauth-errors.js';

/** The OAuth2 provider: applications, bots, authorization and tokens. */
export const oauth = defineFeature('oauth', {
  modules: (config) => [OAuthModule, OpenIdOperationsModule.with(config)],
  settings: [OAuthSettings],
  entities: [BotToken],
  migrations: [BotTokens1797741000000, ResourceServers1797742000000],
  errors: {
    TOKEN_LIMIT_REACHED: [400, 'The maximum number of tokens is reached. Delete one first.'],
    LAST_BOT_TOKEN: [400, 'A bot needs a token. Create another one first.'],
    MAX_APPLICATIONS: [400, 'The account has the maximum number of applications.'],
    UNCLAIMED_ACCOUNT_CANNOT_CREATE_APPLICATIONS: [400, 'The account has no sign-in method yet.'],
    NOT_A_BOT_APPLICATION: [400, 'The application has no bot.'],
    PUBLIC_CLIENT_HAS_NO_SECRET: [400, 'A public client has no secret.'],
    INVALID_CLIENT: [401, OAUTH_DESCRIPTIONS.invalid_client],
    INVALID_REQUEST: [400, OAUTH_DESCRIPTIONS.invalid_request],
    INVALID_GRANT: [400, OAUTH_DESCRIPTIONS.invalid_grant],
    INVALID_SCOPE: [400, OAUTH_DESCRIPTIONS.invalid_scope],
    UNSUPPORTED_GRANT_TYPE: [400, OAUTH_DESCRIPTIONS.unsupported_grant_type],
    BOT_IS_PRIVATE: [403, 'The bot is private.'],
    UNKNOWN_APPLICATION: [404, 'Unknown application.'],
    UNKNOWN_TOKEN: [404, 'Unknown token.'],
    BOT_USER_NOT_FOUND: [404, 'The application has no bot.'],
    BOT_USER_GENERATION_FAILED: [500, 'No username is available for the bot.'],
  },
  fieldErrors: {
    BOT_DISCRIMINATOR_CANNOT_BE_CHANGED: 'The discriminator of a bot cannot be changed.',
  },
  buckets: {
    'oauth:authorize': [60, 60],
    'oauth:token': [120, 60],
    'oauth:introspect': [120, 60],
    'oauth:introspect:resource': [6000, 10, { countsGlobally: false }],
    'oauth_dev:clients:list': [60, 60],
    'oauth_dev:clients:update': [30, 60],
    'oauth_dev:clients:create': [10, 3600],
    'oauth_dev:clients:rotate_secret': [10, 3600],
    'oauth_dev:clients:delete': [10, 3600],
  },
  // In the order of contract/oauth.md section 2.
  scopes: { identify: null, email: null, bot: null },
  exports: {
    applications: {
      select: `SELECT id, name, client_type, redirect_uris, post_logout_redirect_uris, backchannel_logout_uri,
          bot_public, created_at
        FROM application WHERE owner_id = $1 ORDER BY id`,
    },
  },
  erasure: { application: { eraser: ApplicationRemoval }, bot_token: { deletedWith: 'application' } },
});

declare module '../core/merged.js' {
  interface Features {
    oauth: typeof oauth;
  }
}

declare module '../core/config/config.js' {
  interface Config extends OAuthSettings {}
}
