import { Injectable } from '@nestjs/common';
import type { ClientAuth, CustomFetch } from 'openid-client';
import { Clock } from '../../core/clock.js';
import { type ApiError, validationError } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import { Keyring } from '../../core/secrets.js';
import type { SsoEndpoints, SsoSettings } from '../../platform/instance/instance.js';
import {
  findApiError,
  type JsonObject,
  jsonObject,
  type OpenId,
  type ProviderMetadata,
  providerDown,
  responseOf,
  SsoProvider,
} from './sso-provider.service.js';
import { isUnknownKey, SKEW_SECONDS, type SubjectClaims, TOKEN_ALGORITHMS, verifyIdToken } from './sso-token.js';

/** The data that a sign-in binds. The server creates it at the start and needs it at completion. */
export interface AuthorizationRequest {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** `login` makes the provider authenticate the user again. */
  readonly prompt?: 'login' | undefined;
}

/** A client of this service at an identity provider. */
export interface ProviderClient extends SsoEndpoints {
  readonly issuer: string | null;
  readonly clientId: string | null;
  /** The decrypted secret. A public client has none. */
  readonly secret: string | null;
  readonly scope: string | null;
}

/** Claims about the user at the provider. Only `sub` is always present. */
export type ProviderClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

export const DEFAULT_SCOPE = 'openid email profile';
export const SECRET_LABEL = 'sso-client-secret';
export const SECRET_CONTEXT = 'sso';

export const withoutNulls = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

const isPresent = (claim: unknown): boolean => claim !== undefined && claim !== null;

/** Returns the error for an error response of a token endpoint. Providers without OAuth 2 error codes have their own. */
export function tokenError(status: number, error: unknown): ApiError {
  const isOurs = ['invalid_client', 'unauthorized_client', 'incorrect_client_credentials'].includes(String(error));
  if (status === 401 || isOurs) return validationError('code', 'SSO_MISCONFIGURED');
  if (typeof error === 'string') return validationError('code', 'INVALID_SSO_AUTHORIZATION_CODE');
  return providerDown(`The token endpoint returned status ${status} without an error code`);
}

const formEncode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

/**
 * Client authentication in the header (RFC 6749 section 2.3.1). Encodes only the characters that a form must encode,
 * because some providers do not decode the secret. The library also encodes `-`, `_` and `.`.
 */
export const secretInHeader =
  (secret: string): ClientAuth =>
  (_server, { client_id: clientId }, _body, headers) => {
    const credentials = `${formEncode(clientId)}:${formEncode(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };

/** Requests to the provider: authorization URL, code exchange and claims (sso.md sections 2.2 and 2.3). */
@Injectable()
export class SsoExchange {
  constructor(
    private readonly provider: SsoProvider,
    private readonly keyring: Keyring,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Encrypts the client secret for storage. */
  encryptSecret(secret: string): string {
    return this.keyring.encrypt(SECRET_LABEL, secret, SECRET_CONTEXT).toString('base64');
  }

  /** Returns the client that the settings of single sign-on describe. */
  clientOf(settings: SsoSettings): ProviderClient {
    const { clientSecret } = settings;
    const box = clientSecret === null ? null : Buffer.from(clientSecret, 'base64');
    return { ...settings, secret: box && this.keyring.decrypt(SECRET_LABEL, box, SECRET_CONTEXT) };
  }

  /** Returns the URL to redirect the browser to. */
  async authorizationUrl(settings: ProviderClient, request: AuthorizationRequest): Promise<string> {
    const facts = await this.provider.metadata(settings);
    if (!facts.authorizationUrl) throw providerDown('The metadata has no authorization endpoint');
    const library = await this.provider.load();
    const configuration = await this.configuration(settings, facts);
    return library.buildAuthorizationUrl(configuration, {
      redirect_uri: request.redirectUri,
      scope: settings.scope ?? DEFAULT_SCOPE,
      state: request.state,
      nonce: request.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(request.verifier),
      code_challenge_method: 'S256',
      ...(request.prompt && { prompt: request.prompt }),
    }).href;
  }

  /**
   * Exchanges the code and returns the claims of the user (sso.md 2.3, steps 3 to 5). `proof` is the claim that states
   * that the email address is verified.
   * @throws ApiError the errors of these steps
   */
  async identify(
    settings: ProviderClient,
    code: string,
    request: Omit<AuthorizationRequest, 'state'>,
    proof = 'email_verified',
  ): Promise<ProviderClaims> {
    const facts = await this.provider.metadata(settings);
    if (!facts.tokenUrl || !facts.jwksUrl) throw providerDown('The metadata has no token endpoint or no key set');
    const { idToken, accessToken } = await this.exchange(settings, facts, code, request);
    const claims = await this.verifyWithProviderKeys(settings, facts.jwksUrl, idToken, request.nonce);
    if ((isPresent(claims.email) && isPresent(claims[proof])) || !facts.userinfoUrl) return claims;
    const info = await this.userInfo(settings, facts, accessToken);
    if (info.sub !== claims.sub) throw validationError('code', 'SSO_IDENTITY_MISMATCH');
    // Take the email address and its verification from the same source. Otherwise one source could verify an address of
    // the other.
    const source: ProviderClaims = isPresent(info.email) ? info : claims;
    return { ...info, ...claims, email: source.email, [proof]: source[proof] };
  }

  private async exchange(
    settings: ProviderClient,
    facts: ProviderMetadata,
    code: string,
    { redirectUri, verifier, nonce }: Omit<AuthorizationRequest, 'state'>,
  ): Promise<{ idToken: string; accessToken: string }> {
    const library = await this.provider.load();
    const configuration = await this.configuration(settings, facts, this.tokenFetch);
    const callback = new URL(redirectUri);
    callback.searchParams.set('code', code);
    try {
      const tokens = await library.authorizationCodeGrant(configuration, callback, {
        pkceCodeVerifier: verifier,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      return { idToken: tokens.id_token ?? '', accessToken: tokens.access_token };
    } catch (error) {
      throw findApiError(error) ?? this.invalidToken(error);
    }
  }

  private async verifyWithProviderKeys(
    { issuer, clientId }: ProviderClient,
    jwksUrl: string,
    idToken: string,
    nonce: string,
  ): Promise<SubjectClaims> {
    const expected = { issuer: issuer ?? '', clientId: clientId ?? '', nonce, now: this.clock.date() };
    const known = await this.provider.keys(jwksUrl);
    try {
      return await verifyIdToken(idToken, known.value, expected);
    } catch (error) {
      const fresh = isUnknownKey(error) ? await this.provider.keysAfterMiss(jwksUrl, known) : null;
      if (!fresh) throw this.invalidToken(error);
      return await verifyIdToken(idToken, fresh.value, expected).catch((failure) => {
        throw this.invalidToken(failure);
      });
    }
  }

  private async userInfo(
    settings: ProviderClient,
    facts: ProviderMetadata,
    accessToken: string,
  ): Promise<ProviderClaims> {
    const library = await this.provider.load();
    const configuration = await this.configuration(settings, facts, this.userInfoFetch);
    try {
      return (await library.fetchUserInfo(configuration, accessToken, library.skipSubjectCheck)) as ProviderClaims;
    } catch (error) {
      throw findApiError(error) ?? validationError('code', 'FAILED_TO_PARSE_SSO_USER_INFO');
    }
  }

  /**
   * The configuration for the client library. The library fetches no keys, because this service verifies signatures
   * itself.
   */
  private async configuration(settings: ProviderClient, facts: ProviderMetadata, fetch?: CustomFetch) {
    const library = await this.provider.load();
    const server = {
      issuer: settings.issuer ?? '',
      ...(facts.authorizationUrl ? { authorization_endpoint: facts.authorizationUrl } : {}),
      ...(facts.tokenUrl ? { token_endpoint: facts.tokenUrl } : {}),
      ...(facts.userinfoUrl ? { userinfo_endpoint: facts.userinfoUrl } : {}),
      id_token_signing_alg_values_supported: [...TOKEN_ALGORITHMS],
    };
    const client = { [library.clockTolerance]: SKEW_SECONDS };
    const authentication = this.clientAuthentication(library, settings, facts);
    const configuration = new library.Configuration(server, settings.clientId ?? '', client, authentication);
    configuration[library.customFetch] = fetch ?? this.noFetch;
    return configuration;
  }

  private clientAuthentication(library: OpenId, { secret }: ProviderClient, facts: ProviderMetadata): ClientAuth {
    if (secret === null) return library.None();
    const methods = facts.tokenAuthMethods ?? ['client_secret_basic'];
    const isPosted = !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
    return isPosted ? library.ClientSecretPost(secret) : secretInHeader(secret);
  }

  private readonly noFetch: CustomFetch = async () => {
    throw new Error('This operation must not send a request');
  };

  private readonly tokenFetch: CustomFetch = async (url, options) => {
    const response = await this.provider.request(url, options);
    const json = jsonObject(response);
    // Remove members that are null. They mean the same as absent ones, but the library rejects them.
    if (response.status === 200 && json) return Response.json(withoutNulls(json));
    throw tokenError(response.status, response.status >= 400 && response.status < 500 ? json?.error : undefined);
  };

  private readonly userInfoFetch: CustomFetch = async (url, options) => {
    const response = await this.provider.request(url, options).catch(() => null);
    if (response?.status !== 200) throw validationError('code', 'FAILED_TO_FETCH_SSO_USER_INFO');
    if (!jsonObject(response)) throw validationError('code', 'FAILED_TO_PARSE_SSO_USER_INFO');
    return responseOf(response);
  };

  /** The reason is only logged, because it may quote the token. */
  private invalidToken(error: unknown): ApiError {
    this.log.info('token of the identity provider rejected', { reason: (error as { code?: string }).code });
    return validationError('code', 'INVALID_SSO_TOKEN');
  }
}
