import { Controller, Get } from '@nestjs/common';
import { ApiResponses } from '../policy/answers.js';
import { type Call, RESPONSE_HANDLED } from '../policy/call.js';
import { ClientAuth, CurrentCall, RateLimit } from '../policy/decorators.js';
import { RevocationStreams } from './revocation-streams.service.js';

/** Decisions that another service may keep (contract/forward-auth.md section 3). */
@Controller('v1/decisions')
export class DecisionsController {
  constructor(private readonly streams: RevocationStreams) {}

  /**
   * Receive the tags of revoked decisions. A stream of server-sent events: `revoked` with `{"tags": [...]}`, `reset`, after
   * which no kept decision is valid, and `alive` every 250 ms. Each has a mark as its ID, with which `Last-Event-ID`
   * continues within five minutes. At most 20 streams per application.
   */
  @Get('revocations')
  @ClientAuth({ confidential: true })
  @RateLimit('decisions', { failures: 'decisions:failures' })
  @ApiResponses({ type: 'text/event-stream', description: 'The stream of revocations.' })
  async revocations(@CurrentCall() call: Call) {
    const since = call.req.headers['last-event-id'];
    await this.streams.open(call, typeof since === 'string' ? since : undefined);
    return RESPONSE_HANDLED;
  }
}
