import { Injectable } from '@nestjs/common';
import { hasFactor, isInactive } from '../../accounts/account-facts.js';
import { LifecycleEvents } from '../../accounts/events/lifecycle-events.service.js';
import type { Origin } from '../../accounts/events/origin.js';
import { AdminApplication } from '../../accounts/grants/admin-application.service.js';
import { Grants } from '../../accounts/grants/grants.service.js';
import { Application, AuthorizationCode } from '../../accounts/grants/oauth.entities.js';
import { PERSONAL_APPLICATION_ID } from '../../accounts/grants/personal-application.js';
import type { Authentication } from '../../auth/records/authentication.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { SessionService } from '../../auth/sessions/sessions.service.js';
import { SSO_TRAIT } from '../../auth/sso/sso-identities.service.js';
import { SUDO_PROOF_SECONDS, SudoService } from '../../auth/sudo/sudo.service.js';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { ApiError } from '../../core/errors.js';
import { digest, mintToken } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { isRegistered, withParameters } from '../applications/redirect-uris.js';
import { Trust } from '../applications/trust.service.js';
import {
  type AuthenticationRequest,
  isSilent,
  isSufficient,
  promptsOf,
  requestedLevel,
} from '../openid/authentication-request.js';
import { type IdTokenHint, IdTokenHints } from '../openid/id-token-hints.service.js';
import { oauthError } from '../tokens/oauth-errors.js';
import { isPkceFaulty } from '../tokens/pkce.js';
import type { ConsentInput } from './oauth.dto.js';

type Parameter =
  | 'client_id'
  | 'scope'
  | 'redirect_uri'
  | 'state'
  | 'nonce'
  | 'code_challenge'
  | 'code_challenge_method';

/** The parameters of a request that decide about a code. */
export type AuthorizationRequest = AuthenticationRequest & Pick<ConsentInput, Parameter | 'id_token_hint'>;

interface Decision {
  readonly input: ConsentInput;
  readonly origin: Origin;
  /** A verification within this request. */
  readonly proof?: Authentication;
}

/** What a code is bound to. */
type CodeTerms = Pick<AuthorizationCode, 'redirectUri' | 'scopes' | 'consented' | 'announced' | 'byPlatform'> & {
  readonly authentication: Authentication;
};

/** Decides authorization requests: silently, or with the user's consent (oauth.md 5.3 and 5.4, openid.md section 4). */
@Injectable()
export class ConsentService {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly callerGuard: CallerGuard,
    private readonly grants: Grants,
    private readonly lifecycle: LifecycleEvents,
    private readonly adminApplication: AdminApplication,
    private readonly clock: Clock,
    private readonly features: FeatureRegistry,
    private readonly sessions: SessionService,
    private readonly sudo: SudoService,
    private readonly hints: IdTokenHints,
    private readonly trust: Trust,
  ) {}

  /**
   * Returns the URL to redirect to, with a code or an error. Creates and widens no grant.
   * @throws ApiError INVALID_REQUEST for an invalid hint
   */
  async authorizeSilently(me: SessionIdentity, request: AuthorizationRequest): Promise<string> {
    const hint = await this.findHint(request);
    if (hint === null) throw oauthError('invalid_request', ['id_token_hint']);
    try {
      const target = await this.database.transaction((tx) => this.continueSilently(tx, me, request, hint));
      return target ?? (await this.errorRedirect(request, 'login_required'));
    } catch (error) {
      if (error instanceof ApiError) return this.errorRedirect(request, 'consent_required');
      throw error;
    }
  }

  /** Returns `null` if the user has to authenticate. */
  private async continueSilently(
    tx: Tx,
    me: SessionIdentity,
    request: AuthorizationRequest,
    hint: IdTokenHint | undefined,
  ): Promise<string | null> {
    const account = await this.callerGuard.lockCaller(tx, me);
    const authentication = await this.sessions.authenticationOf(tx, me.sessionId);
    const isOther = hint !== undefined && hint.sub !== account.id;
    if (isOther || !isSufficient(authentication, request, { account, now: this.clock.now() })) return null;
    await this.grants.lockGrants(tx, account.id);
    const application = await this.lockApplication(tx, request.client_id);
    const scopes = this.requireGrantableScopes(application, account, request);
    const live = await this.grants.liveScopes(tx, account.id, application.id);
    const isCovered = scopes.every((scope) => scope === 'bot' || live.has(scope));
    const { redirect_uri: redirectUri } = request;
    if (application.clientType === 'public' || !isCovered || redirectUri === undefined) {
      throw new ApiError('ACCESS_DENIED');
    }
    const byPlatform = scopes.some((scope) => live.get(scope));
    const terms = { redirectUri, scopes, consented: false, announced: false, authentication, byPlatform };
    return this.issueCode(tx, me, request, terms);
  }

  /** Never redirects to a URI that is not registered for the application. */
  async errorRedirect(request: AuthorizationRequest, error: string): Promise<string> {
    const isSafe = await this.hasRegisteredRedirect(request);
    return this.withError(isSafe ? request.redirect_uri : this.config.oauth.consentUrl, error, request);
  }

  /** Whether the redirect URI is one of the application. */
  async hasRegisteredRedirect({ client_id: id, redirect_uri }: Partial<AuthorizationRequest>): Promise<boolean> {
    if (id === undefined || redirect_uri === undefined) return false;
    const application = await this.database.manager.findOneBy(Application, { id });
    return application !== null && isRegistered(redirect_uri, application.redirectUris);
  }

  private withError(uri: string | undefined, error: string, { state }: Pick<AuthorizationRequest, 'state'>): string {
    return withParameters(uri ?? this.config.webAppUrl, { error, state, iss: this.config.publicOrigin });
  }

  /** Returns the verified hint, `undefined` if there is none, or `null` if it is invalid. */
  async findHint({ id_token_hint: hint, client_id: audience }: AuthorizationRequest) {
    return hint === undefined ? undefined : this.hints.verify(hint, { audience });
  }

  /**
   * If the application asks for more than the login session has, a factor in the input must prove that its user is
   * present.
   * @throws ApiError UNKNOWN_APPLICATION, INVALID_REQUEST, INVALID_SCOPE, NOT_A_BOT_APPLICATION, BOT_IS_PRIVATE,
   *   ACCESS_DENIED, SUDO_MODE_REQUIRED, FV(INVALID_PASSWORD@password), FV(INVALID_MFA_CODE@mfa_code)
   */
  async consent(me: SessionIdentity, input: ConsentInput, origin: Origin): Promise<{ redirect_to: string }> {
    if (isSilent(input)) return { redirect_to: await this.authorizeSilently(me, input) };
    const target = await this.decide(me, { input, origin });
    if (target !== null) return { redirect_to: target };
    const level = requestedLevel(input, me.account);
    const proof = await this.sudo.authenticate(me.account, input, { origin, level });
    return { redirect_to: (await this.decide(me, { input, origin, proof })) as string };
  }

  /** Returns `null`, without any effect, if a reauthentication is needed. With a proof, it never does. */
  private async decide(me: SessionIdentity, { input, origin, proof }: Decision): Promise<string | null> {
    const hint = await this.findHint(input);
    return this.database.transaction(async (tx) => {
      const account = await this.callerGuard.lockCaller(tx, me);
      const application = await this.lockApplication(tx, input.client_id);
      if (input.decision === 'deny') {
        this.assertRedirectUri(application, input);
        return this.withError(input.redirect_uri, 'access_denied', input);
      }
      const scopes = this.requireGrantableScopes(application, account, input, hint === null);
      if (hint && hint.sub !== account.id) return this.withError(input.redirect_uri, 'login_required', input);
      const authentication = proof ?? (await this.sessions.authenticationOf(tx, me.sessionId));
      if (!proof && !isSufficient(authentication, input, { account, now: this.clock.now() })) {
        const apiError = this.refuseProof(account, authentication);
        if (apiError === 'proof') return null;
        if (apiError === 'login_required') return this.withError(input.redirect_uri, 'login_required', input);
      }
      const about = { account_id: account.id, application_id: application.id };
      await this.lifecycle.emit(tx, 'applicationAuthorized', [about], { origin, data: { scopes } });
      const byPlatform = await this.isByPlatform(tx, application, account, { input, scopes });
      if (!byPlatform) await this.trust.forgetRemoval(tx, account.id, application.id);
      return this.approve(tx, application, me, { input, scopes, authentication, byPlatform });
    });
  }

  /** Whether the trust in the application replaces the full consent (openid.md section 4). */
  private async isByPlatform(
    tx: Tx,
    application: Application,
    account: Account,
    { input, scopes }: { input: ConsentInput; scopes: readonly string[] },
  ): Promise<boolean> {
    if (promptsOf(input.prompt)?.includes('consent')) return false;
    const trusted = await this.trust.scopesFor(application, account.id, tx);
    return scopes.every((scope) => trusted.includes(scope));
  }

  /**
   * Decides what an account needs whose login session is not sufficient. An account whose only method is its identity
   * provider proves its presence with a new sign-in there.
   */
  private refuseProof(account: Account, { at }: Authentication): 'proof' | 'login_required' | null {
    if (account.hasPassword || hasFactor(account)) return 'proof';
    if (!account.traits.includes(SSO_TRAIT)) return 'login_required';
    const isRecent = at !== undefined && this.clock.now() - at.getTime() <= SUDO_PROOF_SECONDS * 1000;
    return isRecent ? null : 'proof';
  }

  private async approve(
    tx: Tx,
    application: Application,
    me: SessionIdentity,
    { input, ...granted }: { input: ConsentInput } & Pick<CodeTerms, 'scopes' | 'authentication' | 'byPlatform'>,
  ): Promise<string> {
    const { account } = me;
    const { scopes } = granted;
    const takesEffect = isBotOnly(scopes) && !application.botRequireCodeGrant;
    if (takesEffect) {
      await this.grants.recordBot(tx, account.id, application.id);
      const at = this.clock.date();
      await this.grants.announceAuthorization(tx, application.id, { accountId: account.id, scopes, at });
    }
    const { redirect_uri: redirectUri, state } = input;
    if (redirectUri === undefined) return withParameters(this.config.webAppUrl, { state });
    return this.issueCode(tx, me, input, { ...granted, redirectUri, consented: true, announced: takesEffect });
  }

  /**
   * Locks the application until `tx` ends, so that the redirect URI of a code is still registered when the code is
   * stored.
   */
  private async lockApplication(tx: Tx, id: string): Promise<Application> {
    const application = await tx.findOne(Application, { where: { id }, lock: { mode: 'pessimistic_read' } });
    if (!application || id === PERSONAL_APPLICATION_ID) throw new ApiError('UNKNOWN_APPLICATION');
    return application;
  }

  /** Checks all rules of a consent, in the order of the contract. */
  private requireGrantableScopes(
    application: Application,
    account: Account,
    request: AuthorizationRequest,
    hasInvalidHint = false,
  ): string[] {
    this.assertRedirectUri(application, request);
    const { redirect_uri, code_challenge, code_challenge_method } = request;
    const { pkceRequired } = this.config.oauth;
    // Without a redirect URI, no code is issued, so PKCE is not required.
    const isRequired = redirect_uri !== undefined && (pkceRequired || application.clientType === 'public');
    if (isPkceFaulty(code_challenge, code_challenge_method, isRequired)) {
      throw oauthError('invalid_request', ['code_challenge']);
    }
    if (!promptsOf(request.prompt)) throw oauthError('invalid_request', ['prompt']);
    if (hasInvalidHint) throw oauthError('invalid_request', ['id_token_hint']);
    const scopes = this.features.parseScopes(request.scope);
    if (!scopes) throw oauthError('invalid_scope');
    if (scopes.includes('bot')) this.assertMayAddBot(application, account);
    if (isInactive(account)) throw new ApiError('ACCESS_DENIED');
    return scopes;
  }

  private assertMayAddBot(application: Application, account: Account): void {
    if (application.id === this.adminApplication.id) throw new ApiError('NOT_A_BOT_APPLICATION');
    if (!application.botPublic && application.ownerId !== account.id) throw new ApiError('BOT_IS_PRIVATE');
  }

  /** Requires a redirect URI, except to invite a bot that needs no code grant. */
  private assertRedirectUri(application: Application, { redirect_uri, scope }: AuthorizationRequest): void {
    if (redirect_uri === undefined) {
      if (!application.botRequireCodeGrant && isBotOnly(this.features.parseScopes(scope))) return;
    } else if (isRegistered(redirect_uri, application.redirectUris)) return;
    throw oauthError('invalid_request', ['redirect_uri']);
  }

  private async issueCode(
    tx: Tx,
    { account, sessionId }: SessionIdentity,
    { client_id: applicationId, code_challenge, state, nonce }: AuthorizationRequest,
    { authentication, ...terms }: CodeTerms,
  ): Promise<string> {
    const code = mintToken();
    const { at, amr, level } = authentication;
    await tx.insert(AuthorizationCode, {
      ...terms,
      digest: digest(code),
      applicationId,
      accountId: account.id,
      challenge: code_challenge ?? null,
      sessionId,
      nonce: nonce ?? null,
      authenticatedAt: at ?? null,
      amr: [...amr],
      authLevel: level,
      expiresAt: () => `now() + interval '${this.config.oauth.codeSeconds} seconds'`,
    });
    return withParameters(terms.redirectUri, { code, state, iss: this.config.publicOrigin });
  }
}

const isBotOnly = (scopes: readonly string[] | null): boolean => scopes?.every((scope) => scope === 'bot') ?? false;
