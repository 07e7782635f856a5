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
    this.log.warn(
      'users cannot authorize applications: set WEB_PAGES=on, or set OAUTH_CONSENT_URL to your consent page',
      {
        missing: this.config.oauth.consentUrl,
      },
    );
  }
}
