import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import type { Call } from '../../policy/call.js';
import { CurrentCall, Public, RateLimit } from '../../policy/decorators.js';
import { ConnectionSignIn } from './connection-sign-in.service.js';
import { CompleteConnectionInput, ConnectionPath, StartConnectionInput } from './connections.dto.js';
import { Connections } from './connections.service.js';

@Controller('v1/auth/connections')
export class ConnectionsController {
  constructor(
    private readonly connections: Connections,
    private readonly signIn: ConnectionSignIn,
  ) {}

  /** List the identity providers that users can sign in with. */
  @Get()
  @Public()
  @RateLimit('auth:sso:start')
  list() {
    return this.connections.offered();
  }

  /** Start a sign-in with an identity provider. */
  @Post(':id/start')
  @HttpCode(200)
  @Public()
  @RateLimit('auth:sso:start')
  start(@Param() { id }: ConnectionPath, @Body() input: StartConnectionInput) {
    return this.signIn.start(id, input);
  }

  /** Sign in with the code from an identity provider. */
  @Post(':id/complete')
  @HttpCode(200)
  @Public()
  @RateLimit('auth:sso:complete')
  complete(@Param() { id }: ConnectionPath, @Body() input: CompleteConnectionInput, @CurrentCall() call: Call) {
    return this.signIn.complete(id, input, getOrigin(call));
  }
}
