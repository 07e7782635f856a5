import { settings } from '../../core/config/declared.js';

/** Settings of OpenID Connect (contract/openid.md). */
export class OpenIdSettings extends settings('OpenID Connect', (read) => ({
  openid: {
    isEnabled: read.onOff(
      'OPENID',
      'Offer OpenID Connect to applications. off: refresh tokens keep working, without ID tokens',
      true,
    ),
    keyDays: read.int('OPENID_KEY_DAYS', 'Days after which a signing key is replaced, 7-365', 90, [7, 365]),
    idTokenSeconds: read.int(
      'OPENID_ID_TOKEN_SECONDS',
      'Lifetime of an ID token in seconds, 60-86400',
      3600,
      [60, 86400],
    ),
    allowPrivateBackchannel: read.bool(
      'BACKCHANNEL_ALLOW_PRIVATE_ADDRESSES',
      'Allow http and private IP addresses in URLs of back-channel logout, for development and tests',
      false,
    ),
  },
})) {}
