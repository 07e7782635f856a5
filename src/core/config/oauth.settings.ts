import { hideMembers, type SettingsReader } from './reader.js';
import type { ServiceSettings } from './service.settings.js';
import { consentPageUrl } from './web.settings.js';

/** Settings of the OAuth2 provider. */
export function oauthSettings(read: SettingsReader, { publicOrigin }: ServiceSettings) {
  read.section('OAuth2');
  return {
    codeSeconds: read.int('OAUTH_CODE_TTL_SECONDS', 'Life of an authorisation code, 30-600', 600, [30, 600]),
    accessSeconds: read.int('OAUTH_ACCESS_TTL_SECONDS', 'Life of an access token', 604800, [60, 31536000]),
    refreshSeconds: read.int('OAUTH_REFRESH_TTL_SECONDS', 'Life of a refresh token', 2592000, [60, 31536000]),
    familySeconds: read.int(
      'OAUTH_FAMILY_MAX_SECONDS',
      'Life of everything that descends from one code, however often it is refreshed; 0 is without end',
      0,
      [0, 315360000],
    ),
    pkceRequired: read.bool(
      'OAUTH_PKCE_REQUIRED',
      'Demands PKCE of every client; false: of public clients alone',
      false,
    ),
    reuseLeewaySeconds: read.int(
      'OAUTH_REFRESH_REUSE_LEEWAY_SECONDS',
      'How long a retried refresh gets the same successor, 0-60; 0 is off',
      10,
      [0, 60],
    ),
    consentUrl: read.url(
      'OAUTH_CONSENT_URL',
      "Page that asks for consent; unset: the service's own",
      consentPageUrl(publicOrigin),
      ['http:', 'https:'],
      { shown: '' },
    ),
  };
}

/** Settings of the built-in Admin application. */
export function adminSettings(read: SettingsReader, { production, webAppUrl }: ServiceSettings) {
  read.section('Administration');
  const applicationId = read.text(
    'ADMIN_APPLICATION_ID',
    'Id of the built-in Admin application; unset: made at the first start',
  );
  if (applicationId !== undefined && !/^[1-9]\d{0,18}$/.test(applicationId)) {
    read.fault('ADMIN_APPLICATION_ID', 'must be a snowflake');
  }
  const clientSecret = read.secret('ADMIN_OAUTH_CLIENT_SECRET', 'Its client secret; unset: it cannot authenticate');
  if (production && clientSecret !== undefined && clientSecret.length < 32) {
    read.fault('ADMIN_OAUTH_CLIENT_SECRET', 'must have at least 32 characters in production');
  }
  const endpoint = read.url(
    'ADMIN_ENDPOINT',
    'Where it runs: its redirect URI is <this>/oauth2_callback; unset: WEB_APP_URL',
    webAppUrl,
    ['http:', 'https:'],
    { shown: '' },
  );
  const networks = read.cidrs(
    'ADMIN_ALLOW_NETWORKS',
    'Addresses and CIDR ranges for which /admin and /v1/admin are there; unset: everywhere',
  );
  return hideMembers({ applicationId, clientSecret, endpoint, networks }, 'clientSecret');
}
