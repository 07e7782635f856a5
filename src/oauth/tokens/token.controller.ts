import { Controller, Header, HttpCode, Post } from '@nestjs/common';
import { ApiBody, type RequestBody } from '../../policy/answers.js';
import type { Call } from '../../policy/call.js';
import { Accepts, ClientAuth, Cors, CurrentCall, RateLimit } from '../../policy/decorators.js';
import { clientOf, formOf } from './client-authenticator.service.js';
import { TokenService } from './token.service.js';
import { TokenStatus } from './token-status.service.js';

const FORM = 'application/x-www-form-urlencoded';
const TEXT = { type: 'string', maxLength: 256 };
/** For clients that do not authenticate with a header. */
const CLIENT = { client_id: TEXT, client_secret: TEXT };

const TOKEN_REQUEST: RequestBody = {
  type: FORM,
  members: {
    grant_type: { type: 'string', enum: ['authorization_code', 'refresh_token'] },
    ...{ code: TEXT, redirect_uri: TEXT, code_verifier: TEXT, refresh_token: TEXT, scope: TEXT, ...CLIENT },
  },
  required: ['grant_type'],
  example: { grant_type: 'authorization_code', code: 'example', redirect_uri: 'https://example.com/callback' },
};

const TOKEN_FORM: RequestBody = {
  type: FORM,
  members: { token: TEXT, token_type_hint: TEXT, ...CLIENT },
  required: ['token'],
  example: { token: 'example' },
};

/** Operations with client authentication. The guard that authenticates the client reads the form. */
@Controller('v1/oauth2')
export class TokenController {
  constructor(
    private readonly tokens: TokenService,
    private readonly status: TokenStatus,
  ) {}

  /** Issue an access token for a code or a refresh token. */
  @Post('token')
  @HttpCode(200)
  @ClientAuth()
  @Accepts('form')
  @RateLimit('oauth:token')
  @Cors('any')
  @Header('Pragma', 'no-cache')
  @ApiBody(TOKEN_REQUEST)
  async issue(@CurrentCall() call: Call) {
    return this.tokens.issue(clientOf(call), await formOf(call));
  }

  /** Check whether a token is active. */
  @Post('introspect')
  @HttpCode(200)
  @ClientAuth({ confidential: true })
  @Accepts('form')
  @RateLimit('oauth:introspect', { ofResourceServer: 'oauth:introspect:resource' })
  @Header('Pragma', 'no-cache')
  @ApiBody(TOKEN_FORM)
  async introspect(@CurrentCall() call: Call) {
    return this.status.introspect(clientOf(call), await formOf(call));
  }

  /** Revoke a token. */
  @Post('token/revoke')
  @HttpCode(200)
  @ClientAuth()
  @Accepts('form')
  @RateLimit('oauth:introspect')
  @Cors('any')
  @Header('Pragma', 'no-cache')
  @ApiBody(TOKEN_FORM)
  async revoke(@CurrentCall() call: Call) {
    await this.status.revoke(clientOf(call), await formOf(call));
  }
}
