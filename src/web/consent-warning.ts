import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Log } from '../core/log.js';

/**
 * Warns at startup if the consent page for applications is missing. A deployment without applications can ignore the
 * warning.
 */
@Injectable()
export class ConsentWarning implements OnApplicationBootstrap {
  constructor(
    private readonly log: Log,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.log.warn('nobody can authorise an application: WEB_PAGES is off, and OAUTH_CONSENT_URL names no page', {
      missing: this.config.oauth.consentUrl,
    });
  }
}
