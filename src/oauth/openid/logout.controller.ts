import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { getOrigin } from '../../accounts/events/origin.js';
import { Config } from '../../core/config/config.js';
import { getBody } from '../../http/body.js';
import { ApiBody, ApiResponses, type RequestBody } from '../../policy/answers.js';
import type { Call } from '../../policy/call.js';
import { Accepts, CredentialFree, CurrentCall, CurrentIdentity, Public, RateLimit } from '../../policy/decorators.js';
import type { Identity } from '../../policy/identity.js';
import { LogoutInput } from './logout.dto.js';
import { Logouts, logoutPage } from './logouts.service.js';

const MAX_FORM_BYTES = 16 * 1024;
/** Parameters of RP-Initiated Logout 1.0 section 2. */
const PARAMETERS = ['id_token_hint', 'client_id', 'logout_hint', 'post_logout_redirect_uri', 'state', 'ui_locales'];

const TEXT = { type: 'string' };

const LOGOUT_FORM: RequestBody = {
  type: 'application/x-www-form-urlencoded',
  members: Object.fromEntries(PARAMETERS.map((name) => [name, TEXT])),
  example: { client_id: '1501314428688998182' },
};

/** Logout at the request of an application (contract/openid.md section 6). */
@Controller()
export class LogoutController {
  constructor(
    private readonly logouts: Logouts,
    private readonly config: Config,
  ) {}

  /** Open the sign-out page with the parameters of a form. */
  @Post('oauth2/logout')
  @HttpCode(303)
  @CredentialFree()
  @Accepts('form', { limit: MAX_FORM_BYTES })
  @RateLimit('oauth:logout')
  @ApiBody(LOGOUT_FORM)
  @ApiResponses({ headers: ['Location'], description: 'The sign-out page' })
  async open(@CurrentCall() call: Call) {
    const form = await getBody(call);
    if ('fault' in form) throw form.fault;
    const given = new URLSearchParams();
    for (const name of PARAMETERS) {
      const [value] = (form.value[name] ?? []) as string[];
      if (value) given.set(name, value);
    }
    call.res.setHeader('Location', `${logoutPage(this.config)}#${given}`);
  }

  /** Sign out at the request of an application, or learn that the user must confirm. */
  @Post('v1/oauth2/logout')
  @HttpCode(200)
  @Public()
  @RateLimit('oauth:logout')
  logout(@CurrentIdentity() me: Identity | null, @Body() input: LogoutInput, @CurrentCall() call: Call) {
    return this.logouts.logOut(me?.via === 'session' ? me : null, input, getOrigin(call));
  }
}
