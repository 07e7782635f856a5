import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiResponses } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { Accepts, Cors, CredentialFree, CurrentCall, RateLimit } from '../policy/decorators.js';
import { CallbacksService } from './callbacks.service.js';
import { MESSAGE_LIMITS } from './message-input.js';
import { TokenPath } from './webhooks.dto.js';

const TEXT = { type: 'string' };

/** Callbacks in the formats of other services (webhooks.md section 6). */
@Controller('v1/webhooks/:id/:token')
export class CallbacksController {
  constructor(private readonly callbacks: CallbacksService) {}

  /** Post a message in Slack format. */
  @Post('slack')
  @HttpCode(200)
  @CredentialFree()
  @RateLimit('webhook:execute', { per: 'id', misses: 'webhook:miss' })
  @Cors('none')
  @Accepts('raw')
  @ApiResponses({ type: 'text/html', description: '`ok`, as Slack expects it' })
  @ApiBody({
    type: 'application/json',
    members: { text: { ...TEXT, maxLength: MESSAGE_LIMITS.content } },
    example: { text: 'The build is green.' },
  })
  slack(@CurrentCall() call: Call, @Param() path: TokenPath) {
    return this.callbacks.slack(call, path);
  }

  /** Post a message about a GitHub event. */
  @Post('github')
  @HttpCode(204)
  @CredentialFree()
  @RateLimit('webhook:github', { per: 'id', misses: 'webhook:miss' })
  @Cors('none')
  @Accepts('raw')
  @ApiBody({ type: 'application/json', members: { action: TEXT }, example: { action: 'opened' } })
  github(@CurrentCall() call: Call, @Param() path: TokenPath) {
    return this.callbacks.github(call, path);
  }
}
