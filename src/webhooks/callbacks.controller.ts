import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { Answers, Takes } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { Accepts, Cors, CredentialFree, RateLimit, TheCall } from '../policy/decorators.js';
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
  @Answers({ type: 'text/html', description: '`ok`, as Slack expects it' })
  @Takes({
    type: 'application/json',
    members: { text: { ...TEXT, maxLength: MESSAGE_LIMITS.content } },
    example: { text: 'The build is green.' },
  })
  slack(@TheCall() call: Call, @Param() path: TokenPath) {
    return this.callbacks.slack(call, path);
  }

  /** Post a message about a GitHub event. */
  @Post('github')
  @HttpCode(204)
  @CredentialFree()
  @RateLimit('webhook:github', { per: 'id', misses: 'webhook:miss' })
  @Cors('none')
  @Accepts('raw')
  @Takes({ type: 'application/json', members: { action: TEXT }, example: { action: 'opened' } })
  github(@TheCall() call: Call, @Param() path: TokenPath) {
    return this.callbacks.github(call, path);
  }
}
