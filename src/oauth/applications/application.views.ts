import { authenticatorTypes, partialUserView } from '../../accounts/account.views.js';
import type { Authorization } from '../../accounts/grants/grants.service.js';
import type { Application } from '../../accounts/grants/oauth.entities.js';
import type { Account } from '../../policy/account.js';
import type { BearerIdentity } from '../../policy/identity.js';
import type { PublicFacts } from './applications.service.js';

/** The public data of a bot. */
export function botProfileView(bot: Account) {
  const { id, username, discriminator, avatar, flags } = partialUserView(bot);
  return { id, username, discriminator, avatar, banner: bot.banner, bio: bot.bio, flags };
}

/** A bot as its owner sees it. It has the authenticators of its owner. */
export function applicationBotView(bot: Account, owner: Account, token?: string) {
  const types = authenticatorTypes(owner);
  return { ...botProfileView(bot), mfa_enabled: types.length > 0, authenticator_types: types, token };
}

/** Members of OpenID Connect (openid.md section 7). */
export const openIdMembers = (application: Application) => ({
  id_token_signed_response_alg: application.idTokenAlg,
  post_logout_redirect_uris: application.postLogoutRedirectUris,
  backchannel_logout_uri: application.backchannelLogoutUri,
  backchannel_logout_session_required: application.backchannelLogoutSessionRequired,
  is_trusted: application.isTrusted,
  trusted_scopes: application.trustedScopes,
});

/** An application as its owner sees it. `secret` and `bot` are present if the operation returns them. */
export const applicationView = (
  application: Application,
  shown: { secret?: string; bot?: ReturnType<typeof applicationBotView> },
) => ({
  id: application.id,
  name: application.name,
  client_type: application.clientType,
  redirect_uris: application.redirectUris,
  bot_public: application.botPublic,
  bot_require_code_grant: application.botRequireCodeGrant,
  ...openIdMembers(application),
  client_secret: shown.secret,
  bot: shown.bot,
});

/** The data that a consent page shows. `trustedScopes` need no full consent of the viewer. */
export const publicApplicationView = (
  application: PublicFacts,
  { bot, viewer, trustedScopes }: { bot: Account | null; viewer: Account | null; trustedScopes: readonly string[] },
) => ({
  id: application.id,
  name: application.name,
  icon: bot?.avatar ?? null,
  description: bot?.bio ?? null,
  redirect_uris: application.redirectUris,
  scopes: bot ? ['bot'] : [],
  bot_public: application.botPublic,
  trusted_scopes: trustedScopes,
  bot: bot && botProfileView(bot),
  current_user: viewer && partialUserView(viewer),
});

/** The application as its own bot sees it. */
export const currentBotApplicationView = (application: Application, bot: Account, owner: Account) => ({
  id: application.id,
  name: application.name,
  icon: bot.avatar,
  description: bot.bio,
  bot_public: application.botPublic,
  bot_require_code_grant: application.botRequireCodeGrant,
  redirect_uris: application.redirectUris,
  owner: partialUserView(owner),
  bot: botProfileView(bot),
});

/** Claims of the granting account, similar to OpenID Connect. `email` and `verified` require the scope `email`. */
export function userInfoView({ account, scopes }: BearerIdentity) {
  const { id, username, discriminator, global_name, avatar, avatar_color, flags } = partialUserView(account);
  const email = scopes.includes('email') ? account.email : null;
  return {
    sub: id,
    id,
    username,
    discriminator,
    global_name,
    avatar,
    avatar_color,
    bot: account.bot,
    system: account.system,
    flags,
    email,
    verified: email === null ? undefined : account.emailVerified,
  };
}

/** The authorization that an access token represents. */
export const currentAuthorizationView = (
  me: BearerIdentity,
  application: Application,
  { bot, scopes }: { bot: Account | null; scopes: readonly string[] },
) => ({
  application: {
    id: application.id,
    name: application.name,
    icon: bot?.avatar ?? null,
    description: bot?.bio ?? null,
    bot_public: application.botPublic,
    bot_require_code_grant: application.botRequireCodeGrant,
  },
  scopes,
  expires: me.expiresAt.toISOString(),
  user: me.scopes.includes('identify') ? userInfoView(me) : undefined,
});

/** @param sessionIdHashes of the login sessions for which the application has an ID token */
export const authorizationView = (authorization: Authorization, sessionIdHashes: readonly string[]) => ({
  application: {
    id: authorization.applicationId,
    name: authorization.name,
    icon: authorization.icon,
    description: authorization.description,
    bot_public: authorization.botPublic,
  },
  scopes: authorization.scopes,
  authorized_at: authorization.authorizedAt.toISOString(),
  by_platform: authorization.isByPlatform,
  session_id_hashes: sessionIdHashes,
});
