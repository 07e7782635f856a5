import { settings } from '../core/config/declared.js';
import { InstanceSettings } from '../platform/settings/instance.settings.js';

/** The built-in consent page (oauth.md 5.2). */
export const consentPageUrl = (publicOrigin: string): string => `${publicOrigin}/oauth2/authorize`;

/** The OAuth2 provider. */
export class OAuthSettings extends settings('OAuth2', (read) => ({
  oauth: {
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
      consentPageUrl(read.of(InstanceSettings).publicOrigin),
      ['http:', 'https:'],
      { shown: '' },
    ),
  },
})) {}
