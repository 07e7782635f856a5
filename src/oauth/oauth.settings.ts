import { settings } from '../core/config/declared.js';
import { InstanceSettings } from '../platform/settings/instance.settings.js';

/** The built-in consent page (oauth.md 5.2). */
export const consentPageUrl = (publicOrigin: string): string => `${publicOrigin}/oauth2/authorize`;

/** The OAuth2 provider. */
export class OAuthSettings extends settings('OAuth2', (read) => ({
  oauth: {
    codeSeconds: read.int(
      'OAUTH_CODE_TTL_SECONDS',
      'Lifetime of an authorization code in seconds, 30-600',
      600,
      [30, 600],
    ),
    accessSeconds: read.int(
      'OAUTH_ACCESS_TTL_SECONDS',
      'Lifetime of an access token in seconds',
      604800,
      [60, 31536000],
    ),
    refreshSeconds: read.int(
      'OAUTH_REFRESH_TTL_SECONDS',
      'Lifetime of a refresh token in seconds',
      2592000,
      [60, 31536000],
    ),
    familySeconds: read.int(
      'OAUTH_FAMILY_MAX_SECONDS',
      'Maximum lifetime of all tokens that come from one code, in seconds, regardless of refreshes. 0: unlimited',
      0,
      [0, 315360000],
    ),
    pkceRequired: read.bool(
      'OAUTH_PKCE_REQUIRED',
      'Require PKCE of every client. false: only of public clients',
      false,
    ),
    reuseLeewaySeconds: read.int(
      'OAUTH_REFRESH_REUSE_LEEWAY_SECONDS',
      'Seconds in which a repeated refresh returns the same successor, 0-60. 0: off',
      10,
      [0, 60],
    ),
    consentUrl: read.url(
      'OAUTH_CONSENT_URL',
      'URL of the consent page. Unset: the built-in page',
      consentPageUrl(read.of(InstanceSettings).publicOrigin),
      ['http:', 'https:'],
      { shown: '' },
    ),
  },
})) {}
