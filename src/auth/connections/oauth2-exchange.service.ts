import { Injectable } from '@nestjs/common';
import type { CustomFetch } from 'openid-client';
import { validationError } from '../../core/errors.js';
import { isText } from '../../core/text/text.js';
import { type AuthorizationRequest, secretInHeader, tokenError, withoutNulls } from '../sso/sso-exchange.service.js';
import {
  findApiError,
  type JsonObject,
  jsonObject,
  jsonOf,
  providerDown,
  SsoProvider,
} from '../sso/sso-provider.service.js';
import { isSubject } from '../sso/sso-token.js';
import type { ActiveConnection } from './connections.service.js';
import { type ClaimMap, postsSecret } from './presets.js';

/** A user as a provider describes the user. `isEmailVerified` is what the provider states. */
export interface ProviderProfile {
  readonly subject: string;
  readonly email: unknown;
  readonly isEmailVerified: boolean;
  readonly name: unknown;
  readonly username: unknown;
  readonly amr: unknown;
}

type ExchangeRequest = Omit<AuthorizationRequest, 'state' | 'nonce'>;

const unreadable = () => validationError('code', 'FAILED_TO_PARSE_SSO_USER_INFO');

/** Returns the member with a name, or the value that a JSON pointer selects (RFC 6901). */
export function valueAt(document: unknown, path: string | undefined): unknown {
  if (path === undefined) return undefined;
  const steps = path.startsWith('/') ? path.slice(1).split('/') : [path];
  return steps
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, step) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, step)
          ? (value as JsonObject)[step]
          : undefined,
      document,
    );
}

function subjectOf(info: JsonObject, { id }: ClaimMap): string {
  const value = valueAt(info, id);
  const subject = Number.isSafeInteger(value) ? String(value) : value;
  if (!isSubject(subject)) throw unreadable();
  return subject;
}

/** Requests to OAuth 2 providers, which have no ID tokens (connections.md section 2). */
@Injectable()
export class OAuth2Exchange {
  constructor(private readonly provider: SsoProvider) {}

  /** Returns the URL to redirect the browser to. Providers without PKCE ignore its parameters (RFC 6749 section 3.1). */
  async authorizationUrl(connection: ActiveConnection, request: Omit<AuthorizationRequest, 'nonce'>): Promise<string> {
    const library = await this.provider.load();
    const { scope } = connection.client;
    return library.buildAuthorizationUrl(await this.configuration(connection), {
      redirect_uri: request.redirectUri,
      ...(scope !== null && { scope }),
      state: request.state,
      code_challenge: await library.calculatePKCECodeChallenge(request.verifier),
      code_challenge_method: 'S256',
    }).href;
  }

  /**
   * Exchanges the code and reads the user information. The access token is used only for that.
   * @throws ApiError the errors of sso.md 2.3, steps 3 and 5
   */
  async identify(connection: ActiveConnection, code: string, request: ExchangeRequest): Promise<ProviderProfile> {
    const accessToken = await this.exchange(connection, code, request);
    const { userinfo_url: userinfoUrl, emails_url: emailsUrl, claims } = connection.settings;
    const info = await this.read(userinfoUrl ?? '', accessToken);
    if (typeof info !== 'object' || info === null || Array.isArray(info)) throw unreadable();
    const map = claims ?? {};
    const subject = subjectOf(info as JsonObject, map);
    const email = emailsUrl === null ? this.emailOf(info, map) : primaryOf(await this.read(emailsUrl, accessToken));
    return { subject, ...email, name: valueAt(info, map.name), username: valueAt(info, map.username), amr: undefined };
  }

  private emailOf(info: unknown, map: ClaimMap): Pick<ProviderProfile, 'email' | 'isEmailVerified'> {
    const proof = valueAt(info, map.email_verified);
    return { email: valueAt(info, map.email), isEmailVerified: proof === true || proof === 'true' };
  }

  private async exchange(
    connection: ActiveConnection,
    code: string,
    { redirectUri, verifier }: ExchangeRequest,
  ): Promise<string> {
    const library = await this.provider.load();
    const configuration = await this.configuration(connection);
    configuration[library.customFetch] = this.tokenFetch;
    const callback = new URL(redirectUri);
    callback.searchParams.set('code', code);
    try {
      const tokens = await library.authorizationCodeGrant(configuration, callback, { pkceCodeVerifier: verifier });
      return tokens.access_token;
    } catch (error) {
      throw findApiError(error) ?? validationError('code', 'INVALID_SSO_TOKEN');
    }
  }

  /** @throws ApiError FV(code: FAILED_TO_FETCH_SSO_USER_INFO) */
  private async read(url: string, accessToken: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
    const response = await this.provider
      .request(url, { method: 'GET', headers, body: null, redirect: 'manual' })
      .catch(() => null);
    if (response?.status !== 200) throw validationError('code', 'FAILED_TO_FETCH_SSO_USER_INFO');
    return jsonOf(response);
  }

  private async configuration({ kind, client }: ActiveConnection) {
    const library = await this.provider.load();
    const { authorizationUrl, tokenUrl, issuer, clientId, secret } = client;
    const server = {
      issuer: issuer ?? '',
      authorization_endpoint: authorizationUrl ?? '',
      token_endpoint: tokenUrl ?? '',
    };
    const authentication =
      secret === null ? library.None() : postsSecret(kind) ? library.ClientSecretPost(secret) : secretInHeader(secret);
    return new library.Configuration(server, clientId ?? '', {}, authentication);
  }

  /** GitHub reports errors with status 200. An ID token cannot be verified without an issuer, so it is dropped. */
  private readonly tokenFetch: CustomFetch = async (url, options) => {
    const response = await this.provider.request(url, options);
    const json = jsonObject(response);
    if (response.status !== 200 || !json || json.error !== undefined) {
      if (response.status < 500) throw tokenError(response.status, json?.error);
      throw providerDown(`The token endpoint returned status ${response.status}`);
    }
    const { id_token: _, ...tokens } = withoutNulls(json);
    return Response.json(tokens);
  };
}

/** Returns the primary email address of a list, as GitHub returns it. */
function primaryOf(list: unknown): Pick<ProviderProfile, 'email' | 'isEmailVerified'> {
  if (!Array.isArray(list)) throw unreadable();
  const primary = list.find((entry: unknown) => valueAt(entry, 'primary') === true);
  const email = valueAt(primary, 'email');
  return { email: isText(email) ? email : undefined, isEmailVerified: valueAt(primary, 'verified') === true };
}
