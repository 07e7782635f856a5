import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { clientOf } from '../oauth/tokens/client-authenticator.service.js';
import { ApiResponses } from '../policy/answers.js';
import { type Call, RESPONSE_HANDLED } from '../policy/call.js';
import { ClientAuth, CurrentCall, RateLimit } from '../policy/decorators.js';
import { DecisionInput } from './decisions.dto.js';
import { Decisions, type DecisionView } from './decisions.service.js';
import { RevocationStreams } from './revocation-streams.service.js';

/** Decisions that another service may keep (contract/forward-auth.md section 3). */
@Controller('v1/decisions')
export class DecisionsController {
  constructor(
    private readonly decisions: Decisions,
    private readonly streams: RevocationStreams,
  ) {}

  /**
   * Decide whether a caller may use another service. `authorization` and `sudo` are the values of the headers
   * `Authorization` and `X-Service-Sudo-Mode-JWT` that the service has received, `address` is the IP address of the
   * caller. A caller that the policy rejects is a result: the body contains the status, the headers and the body of the
   * error response. The service may keep an admission for `expires_in` seconds, or until one of its tags is revoked.
   */
  @Post()
  @HttpCode(200)
  @ClientAuth({ confidential: true })
  @RateLimit('decisions', { failures: 'decisions:failures' })
  decide(@CurrentCall() call: Call, @Body() input: DecisionInput): Promise<DecisionView> {
    return this.decisions.decide(clientOf(call), input);
  }

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
