import type { IncomingMessage } from 'node:http';
import { Body, Controller, Get, Header, HttpCode, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import { parseQuery } from '../../http/body.js';
import { schemaOf } from '../../http/input.js';
import { ApiQuery, ApiResponses, type QueryParameter } from '../../policy/answers.js';
import type { Call } from '../../policy/call.js';
import { AllowSuspicious, CurrentCall, CurrentIdentity, Public, RateLimit, UserOnly } from '../../policy/decorators.js';
import type { Identity, SessionIdentity } from '../../policy/identity.js';
import { AuthorizeService } from './authorize.service.js';
import { ConsentService } from './consent.service.js';
import { AuthorizeQuery, ConsentInput } from './oauth.dto.js';

/** The service validates the query itself, because the page shows the errors of a known client. */
const { properties, required = [] } = schemaOf(AuthorizeQuery);
const PARAMETERS = Object.entries(properties).map(
  ([name, schema]): QueryParameter => ({
    name,
    schema,
    required: required.includes(name),
    description: 'Parameter of OAuth2 or OpenID Connect',
  }),
);

/** Whether the browser shows the response as a page (Fetch Metadata). */
const isNavigation = ({ headers }: IncomingMessage): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

@Controller('v1/oauth2/authorize')
export class AuthorizeController {
  constructor(
    private readonly authorization: AuthorizeService,
    private readonly consents: ConsentService,
  ) {}

  /** Start an authorization in the browser. */
  @Get()
  @HttpCode(302)
  @Public()
  @RateLimit('oauth:authorize')
  @ApiQuery(...PARAMETERS)
  @ApiResponses({ headers: ['Location'], description: 'Back to the application, or to the consent page' })
  async authorize(@CurrentIdentity() me: Identity | null, @CurrentCall() { req, res, target }: Call) {
    res.setHeader('Location', await this.authorization.authorize(me, parseQuery(target), isNavigation(req)));
  }

  /** Grant or deny the authorization request of an application. */
  @Post('consent')
  @HttpCode(200)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('oauth:authorize')
  @Header('Pragma', 'no-cache')
  consent(@CurrentIdentity() me: SessionIdentity, @Body() input: ConsentInput, @CurrentCall() call: Call) {
    return this.consents.consent(me, input, getOrigin(call));
  }
}
