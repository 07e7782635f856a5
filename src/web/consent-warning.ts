import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Log } from '../core/log.js';

/** Says at the start that applications send people to a page that is not there. Nobody has to have applications. */
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
