import { Controller, Get, Header } from '@nestjs/common';
import { LOCALES } from '../accounts/locales.js';
import { Connections } from '../auth/connections/connections.service.js';
import { SsoConfiguration } from '../auth/sso/sso-configuration.service.js';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import { JSON_LIMIT } from '../http/body.js';
import { Instance } from '../platform/instance/instance.js';
import { CaptchaVerifier } from '../platform/outbound/captcha.js';
import { CREDENTIAL_PATTERNS } from '../policy/credential.js';
import { Cors, CredentialFree, Public, RateLimit } from '../policy/decorators.js';

@Controller()
export class DiscoveryController {
  constructor(
    private readonly config: Config,
    private readonly instance: Instance,
    private readonly captcha: CaptchaVerifier,
    private readonly sso: SsoConfiguration,
    private readonly connections: Connections,
  ) {}

  /** Describe this instance to clients. The configuration determines all URLs. */
  @Get('.well-known/service')
  @CredentialFree()
  @RateLimit('instance:info')
  @Cors('any')
  @Header('Cache-Control', 'public, max-age=60')
  describe() {
    const { config, instance } = this;
    const { registration, branding, legal } = instance.current;
    return {
      api_version: '1',
      product_name: branding.productName,
      endpoints: {
        api: `${config.publicOrigin}/v1`,
        gateway: config.gatewayUrl,
        media: config.media.baseUrl,
        webapp: config.webAppUrl,
        oauth2_issuer: config.publicOrigin,
      },
      captcha: {
        provider: this.captcha.provider,
        hcaptcha_site_key: this.captcha.getSiteKey('hcaptcha'),
        turnstile_site_key: this.captcha.getSiteKey('turnstile'),
      },
      sso: this.sso.status(),
      ...this.connections.offered(),
      registration: { mode: registration.mode },
      features: {
        email: config.mailTransport !== 'none',
        sms: config.smsTransport !== 'none',
        passkey_bridge: config.passkeyBridge,
        uploads: config.media.uploadsEnabled,
      },
      legal: { terms_url: legal.termsUrl, privacy_url: legal.privacyUrl },
      credential_patterns: CREDENTIAL_PATTERNS,
      locales: LOCALES,
      limits: {
        json_body_bytes: JSON_LIMIT,
        upload_bytes: config.media.maxUploadBytes,
        webhook_content: 4000,
        webhook_embeds: 10,
        webhook_files: 10,
        applications: 25,
        webhooks: config.webhooksPerAccount,
        passkeys: 10,
      },
    };
  }

  /** Create a signed proof-of-work challenge. Only for instances that use the built-in captcha. */
  @Get('v1/captcha/challenge')
  @Public()
  @RateLimit('instance:info')
  async challenge() {
    const challenge = await this.captcha.challenge();
    if (!challenge) throw new ApiError('NOT_FOUND');
    return challenge;
  }
}
