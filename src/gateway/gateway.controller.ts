import { Controller, Get } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import type { Call } from '../policy/call.js';
import { hasBotTokenForm } from '../policy/credential.js';
import { CaseInsensitiveScheme, CredentialFree, CurrentCall, RateLimit } from '../policy/decorators.js';

@Controller('v1/gateway')
export class GatewayController {
  constructor(private readonly config: Config) {}

  /**
   * Get the gateway URL for bots. Checks only the form of the token, so a success does not prove that it is valid
   * (oauth.md 6.2).
   */
  @Get('bot')
  @CredentialFree()
  @CaseInsensitiveScheme()
  @RateLimit('gateway:bot_info')
  bot(@CurrentCall() { authorization }: Call) {
    if (!hasBotTokenForm(authorization)) throw new ApiError('UNAUTHORIZED');
    return {
      url: this.config.gatewayUrl,
      shards: 1,
      session_start_limit: { total: 1000, remaining: 999, reset_after: 14_400_000, max_concurrency: 1 },
    };
  }
}
