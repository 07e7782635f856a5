import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Origin } from '../../accounts/events/origin.js';
import { Config } from '../../core/config/config.js';
import { ApiError, validationError } from '../../core/errors.js';
import { equalsInConstantTime, Keyring, mintToken } from '../../core/secrets.js';
import { isText } from '../../core/text/text.js';
import { emailFault } from '../../http/input.js';
import { Instance, type SsoSettings } from '../../platform/instance/instance.js';
import { OneTimeSecrets } from '../secrets/one-time-secrets.service.js';
import type { TokenResponse } from '../sessions/issuance.service.js';
import type { CompleteSsoInput, StartSsoInput } from './sso.dto.js';
import { type ProviderUser, SsoAccounts } from './sso-accounts.service.js';
import { SSO_STATE } from './sso-configuration.service.js';
import { type ProviderClaims, SsoExchange } from './sso-exchange.service.js';

/** All data that is bound to a state (sso.md 2.2). */
interface StateData {
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly redirectTo: string | null;
  readonly nonceHash: string | null;
  /** The PKCE verifier and the nonce, encrypted. */
  readonly sealed: string;
}

declare module '../../core/merged.js' {
  interface SecretPayloads {
    'sso-state': StateData;
  }
}

const STATE_SECONDS = 600;
const STATE_KEY_LABEL = 'sso-state';

const invalidState = (): ApiError => validationError('state', 'INVALID_OR_EXPIRED_SSO_STATE');

/** Single sign-on: start and callback (sso.md section 2). */
@Injectable()
export class SsoService {
  constructor(
    private readonly exchange: SsoExchange,
    private readonly accounts: SsoAccounts,
    private readonly secrets: OneTimeSecrets,
    private readonly keyring: Keyring,
    private readonly instance: Instance,
    private readonly config: Config,
  ) {}

  async start(input: StartSsoInput) {
    const settings = this.requireSettings();
    const { sso } = this.config;
    const redirectUri = input.redirect_uri ?? sso.redirectUri;
    if (redirectUri !== sso.redirectUri && redirectUri !== sso.nativeCallbackUri) {
      throw validationError('redirect_uri', 'INVALID_URL_FORMAT');
    }
    const [state, nonce, verifier] = [mintToken(), mintToken(), mintToken()];
    const request = { redirectUri, state, nonce, verifier, prompt: input.prompt };
    const authorizationUrl = await this.exchange.authorizationUrl(this.exchange.clientOf(settings), request);
    const bound: StateData = {
      issuer: settings.issuer ?? '',
      clientId: settings.clientId ?? '',
      redirectUri,
      redirectTo: input.redirect_to ?? null,
      nonceHash: input.nonce_hash ?? null,
      sealed: this.keyring.encrypt(STATE_KEY_LABEL, JSON.stringify({ nonce, verifier }), state).toString('base64'),
    };
    await this.secrets.issue(SSO_STATE, SSO_STATE, bound, STATE_SECONDS, { secret: state });
    return { authorization_url: authorizationUrl, state, redirect_uri: redirectUri };
  }

  async complete(input: CompleteSsoInput, origin: Origin): Promise<TokenResponse & { redirect_to: string }> {
    const settings = this.requireSettings();
    const bound = await this.consumeState(input, settings);
    const sealed = this.keyring.decrypt(STATE_KEY_LABEL, Buffer.from(bound.sealed, 'base64'), input.state);
    const { nonce, verifier } = JSON.parse(sealed) as { nonce: string; verifier: string };
    const { redirectUri } = bound;
    const person = await this.exchange.identify(this.exchange.clientOf(settings), input.code, {
      ...{ redirectUri, nonce, verifier },
    });
    const response = await this.accounts.signIn(toProviderUser(person, settings), origin);
    return { ...response, redirect_to: bound.redirectTo ?? '' };
  }

  /**
   * Spends the state before any request to the provider.
   * @throws ApiError FV(INVALID_FORMAT@nonce), which does not spend the state, FV(INVALID_OR_EXPIRED_SSO_STATE@state)
   */
  private async consumeState(input: CompleteSsoInput, settings: SsoSettings): Promise<StateData> {
    const held = await this.secrets.peek(SSO_STATE, input.state);
    if (!held) throw invalidState();
    const bound = held.payload;
    if (bound.nonceHash !== null && input.nonce === undefined) throw validationError('nonce', 'INVALID_FORMAT');
    if (!(await this.secrets.consume(SSO_STATE, input.state))) throw invalidState();
    const isOurs =
      bound.issuer === settings.issuer &&
      bound.clientId === settings.clientId &&
      (input.iss === undefined || input.iss === settings.issuer) &&
      (bound.nonceHash === null || isHashOf(bound.nonceHash, input.nonce ?? ''));
    if (!isOurs) throw invalidState();
    return bound;
  }

  private requireSettings(): SsoSettings {
    if (!this.instance.isSsoEnabled) throw new ApiError('FEATURE_TEMPORARILY_DISABLED');
    return this.instance.current.sso;
  }
}

/** Whether a value is the SHA-256 of a nonce. */
export const isHashOf = (hex: string, nonce: string): boolean =>
  equalsInConstantTime(Buffer.from(hex, 'hex'), hash('sha256', nonce, 'buffer'));

const MAX_METHODS = 10;
const MAX_METHOD_LENGTH = 32;

/** Returns the reported authentication methods. Invalid ones are ignored, because the claim only informs. */
export const methodsOf = (amr: unknown): string[] =>
  (Array.isArray(amr) ? amr : [])
    .filter((method): method is string => isText(method) && method.length <= MAX_METHOD_LENGTH)
    .slice(0, MAX_METHODS);

/**
 * Returns the user and the email address that the provider confirms (sso.md 2.3, step 6).
 * @throws ApiError the errors of this step
 */
function toProviderUser(person: ProviderClaims, { issuer, allowedDomains }: SsoSettings): ProviderUser {
  const { email, email_verified: isVerified, name, preferred_username: preferredUsername } = person;
  if (email === undefined || email === null || email === '')
    throw validationError('code', 'SSO_PROVIDER_DID_NOT_RETURN_EMAIL');
  // Do not normalize the email address. A similar one that is equal only after normalization is not the one that the
  // provider verified.
  if (emailFault(email) || typeof email !== 'string') throw validationError('code', 'INVALID_EMAIL_ADDRESS');
  // Providers such as Amazon Cognito send the claim as a string.
  if (isVerified !== true && isVerified !== 'true') throw validationError('code', 'INVALID_SSO_TOKEN');
  assertAllowedDomain(email, allowedDomains);
  return { issuer: issuer ?? '', subject: person.sub, email, name, preferredUsername, amr: methodsOf(person.amr) };
}

/** @throws ApiError FV(code: EMAIL_DOMAIN_NOT_ALLOWED_FOR_SSO). An empty list allows every domain. */
export function assertAllowedDomain(email: string, allowed: readonly string[]): void {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (allowed.length > 0 && !allowed.includes(domain)) {
    throw validationError('code', 'EMAIL_DOMAIN_NOT_ALLOWED_FOR_SSO');
  }
}
