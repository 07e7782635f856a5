import { Injectable } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { type ApiError, validationError } from '../../core/errors.js';
import { Keyring, mintToken } from '../../core/secrets.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { OneTimeSecrets } from '../secrets/one-time-secrets.service.js';
import { isHashOf } from '../sso/sso.service.js';
import { SsoExchange } from '../sso/sso-exchange.service.js';
import type { CompleteConnectionInput } from './connections.dto.js';
import { type ActiveConnection, Connections } from './connections.service.js';
import { OAuth2Exchange, type ProviderProfile } from './oauth2-exchange.service.js';
import { isOAuth2, proofOfEmail } from './presets.js';

/** All data that is bound to a state, so that a response of one provider is never accepted for another. */
interface StateData {
  readonly connectionId: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly redirectTo: string | null;
  readonly nonceHash: string;
  /** The PKCE verifier and the nonce, encrypted. */
  readonly sealed: string;
}

declare module '../../core/merged.js' {
  interface SecretPayloads {
    'connection-state': StateData;
    'identity-link': StateData & { readonly sessionId: string };
  }
}

interface StartInput {
  readonly redirect_to?: string | null;
  readonly redirect_uri?: string | null;
  readonly nonce_hash: string;
  readonly prompt?: 'login';
}

const STATE_SECONDS = 600;
const STATE_KEY_LABEL = 'connection-state';

const invalidState = (): ApiError => validationError('state', 'INVALID_OR_EXPIRED_SSO_STATE');

/** Starts visits to providers and accepts their responses (connections.md sections 2 and 3). */
@Injectable()
export class ConnectionStates {
  constructor(
    private readonly connections: Connections,
    private readonly openId: SsoExchange,
    private readonly oauth2: OAuth2Exchange,
    private readonly secrets: OneTimeSecrets,
    private readonly keyring: Keyring,
    private readonly config: Config,
  ) {}

  /**
   * Issues a state. With `me`, it is bound to this session, its account and its epoch.
   * @throws ApiError UNKNOWN_CONNECTION, FV(redirect_uri: INVALID_URL_FORMAT), BAD_GATEWAY
   */
  async start(connectionId: string, input: StartInput, me?: SessionIdentity) {
    const connection = this.connections.require(connectionId);
    const { issuer, clientId } = connection.client;
    const redirectUri = this.redirectUriOf(connectionId, input);
    const [state, nonce, verifier] = [mintToken(), mintToken(), mintToken()];
    const request = { redirectUri, state, nonce, verifier, prompt: input.prompt };
    const url = isOAuth2(connection.kind)
      ? await this.oauth2.authorizationUrl(connection, request)
      : await this.openId.authorizationUrl(connection.client, request);
    const bound: StateData = {
      ...{ connectionId, redirectUri, issuer: issuer ?? '', clientId: clientId ?? '' },
      redirectTo: input.redirect_to ?? null,
      nonceHash: input.nonce_hash,
      sealed: this.keyring.encrypt(STATE_KEY_LABEL, JSON.stringify({ nonce, verifier }), state).toString('base64'),
    };
    const options = { secret: state };
    if (me) {
      const ofSession = { ...bound, sessionId: me.sessionId };
      await this.secrets.issue('identity-link', me.account, ofSession, STATE_SECONDS, options);
    } else {
      await this.secrets.issue('connection-state', connectionId, bound, STATE_SECONDS, options);
    }
    return { authorization_url: url, state, redirect_uri: redirectUri };
  }

  /**
   * Spends the state of a sign-in and asks the provider about the user.
   * @throws ApiError UNKNOWN_CONNECTION, FV(state: INVALID_OR_EXPIRED_SSO_STATE), the errors of sso.md 2.3
   */
  async complete(connectionId: string, input: CompleteConnectionInput) {
    const connection = this.connections.require(connectionId);
    const spent = await this.secrets.consume('connection-state', input.state);
    if (!spent) throw invalidState();
    const profile = await this.identify(connection, spent.payload, input);
    return { connection, profile, redirectTo: spent.payload.redirectTo ?? '' };
  }

  /**
   * The same for a state that the session started to link an identity. The state names the connection. Also returns the
   * account as it was at the start.
   */
  async completeLink(me: SessionIdentity, input: CompleteConnectionInput) {
    const spent = await this.secrets.consume('identity-link', input.state);
    const isOurs = spent?.seen?.accountId === me.account.id && spent.payload.sessionId === me.sessionId;
    if (!spent?.seen || !isOurs) throw invalidState();
    const connection = this.connections.require(spent.payload.connectionId);
    const profile = await this.identify(connection, spent.payload, input);
    return { connection, profile, seen: spent.seen };
  }

  private redirectUriOf(connectionId: string, { redirect_uri: chosen }: StartInput): string {
    const own = this.connections.callbackOf(connectionId);
    const redirectUri = chosen ?? own;
    if (redirectUri !== own && redirectUri !== this.config.sso.nativeCallbackUri)
      throw validationError('redirect_uri', 'INVALID_URL_FORMAT');
    return redirectUri;
  }

  private async identify(
    connection: ActiveConnection,
    bound: StateData,
    input: CompleteConnectionInput,
  ): Promise<ProviderProfile> {
    const { client, kind } = connection;
    // An OAuth 2 provider may state an issuer that nothing here describes. The connection binds the response instead.
    const isIssuerRight = isOAuth2(kind) || input.iss === undefined || input.iss === client.issuer;
    const isOurs =
      bound.connectionId === connection.id &&
      bound.issuer === client.issuer &&
      bound.clientId === client.clientId &&
      isIssuerRight &&
      isHashOf(bound.nonceHash, input.nonce);
    if (!isOurs) throw invalidState();
    const sealed = this.keyring.decrypt(STATE_KEY_LABEL, Buffer.from(bound.sealed, 'base64'), input.state);
    const { nonce, verifier } = JSON.parse(sealed) as { nonce: string; verifier: string };
    const { redirectUri } = bound;
    if (isOAuth2(kind)) return this.oauth2.identify(connection, input.code, { redirectUri, verifier });
    const proof = proofOfEmail(kind);
    const claims = await this.openId.identify(client, input.code, { redirectUri, nonce, verifier }, proof);
    return {
      subject: claims.sub,
      email: claims.email,
      isEmailVerified: claims[proof] === true || claims[proof] === 'true',
      name: claims.name,
      username: claims.preferred_username,
      amr: claims.amr,
    };
  }
}
