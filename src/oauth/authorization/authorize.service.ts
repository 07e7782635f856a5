import { Injectable } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { ApiError, type FieldFault, fieldError } from '../../core/errors.js';
import { validateShape } from '../../http/input.js';
import type { Identity } from '../../policy/identity.js';
import { withParameters } from '../applications/redirect-uris.js';
import { isSilent } from '../openid/authentication-request.js';
import { ConsentService } from './consent.service.js';
import { AuthorizeQuery } from './oauth.dto.js';

const FORWARDED_PARAMETERS = [
  ...(['client_id', 'scope', 'response_type', 'redirect_uri', 'state', 'code_challenge'] as const),
  ...(['code_challenge_method', 'prompt', 'nonce', 'max_age', 'login_hint', 'id_token_hint'] as const),
  ...(['ui_locales', 'acr_values'] as const),
];

/** The parameters that the page needs to return an error. */
const PARAMETERS_OF_FAULT = ['client_id', 'redirect_uri', 'state', 'ui_locales'] as const;

/** Errors of parameters that the service does not support. All others are `invalid_request`. */
const ERRORS: Readonly<Record<string, string>> = {
  request: 'request_not_supported',
  request_uri: 'request_uri_not_supported',
  registration: 'registration_not_supported',
};

/** Starts authorization requests in the browser (oauth.md 5.3, openid.md section 4). */
@Injectable()
export class AuthorizeService {
  constructor(
    private readonly config: Config,
    private readonly consents: ConsentService,
  ) {}

  /**
   * Returns the URL to redirect the browser to. Only a session counts as signed in.
   * @param isNavigation whether the browser shows the response as a page
   * @throws ApiError FV(...) if the query is invalid and names no client with a registered redirect URI
   */
  async authorize(me: Identity | null, sent: object, isNavigation: boolean): Promise<string> {
    const { instance: query, faults } = validateShape(AuthorizeQuery, sent);
    if (faults.length > 0) return this.faultPage(query, faults);
    if ((await this.consents.findHint(query)) === null) {
      return this.faultPage(query, [fieldError('id_token_hint', 'INVALID_FORMAT')]);
    }
    if (!isSilent(query)) return this.consentPage(query);
    if (me?.via === 'session') return this.consents.authorizeSilently(me, query);
    // Only the page knows the session of the browser.
    return isNavigation ? this.consentPage(query) : this.consents.errorRedirect(query, 'login_required');
  }

  private consentPage(query: AuthorizeQuery): string {
    return withParameters(this.config.oauth.consentUrl, pick(query, FORWARDED_PARAMETERS));
  }

  /** The page shows the error. The application gets it only if the user wants so (RFC 9700 section 4.11). */
  private async faultPage(query: AuthorizeQuery, faults: readonly FieldFault[]): Promise<string> {
    const isFaulty = (name: string) => faults.some(({ path }) => path === name);
    const isKnown = !isFaulty('client_id') && !isFaulty('redirect_uri');
    if (!isKnown || !(await this.consents.hasRegisteredRedirect(query))) {
      throw new ApiError('INVALID_FORM_BODY', { errors: faults });
    }
    const valid = PARAMETERS_OF_FAULT.filter((name) => !isFaulty(name));
    const [{ path }] = faults as [FieldFault];
    const fault = { error: ERRORS[path] ?? 'invalid_request', error_parameter: path };
    return withParameters(this.config.oauth.consentUrl, { ...pick(query, valid), ...fault });
  }
}

const pick = (query: AuthorizeQuery, names: readonly (keyof AuthorizeQuery)[]): Record<string, string | undefined> =>
  Object.fromEntries(names.map((name) => [name, query[name]?.toString()]));
