import { Injectable } from '@nestjs/common';
import { isInactive } from '../../accounts/account-facts.js';
import type { Origin } from '../../accounts/events/origin.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import { AdminApplication } from '../../accounts/grants/admin-application.service.js';
import { Grants } from '../../accounts/grants/grants.service.js';
import { Application, AuthorizationCode } from '../../accounts/grants/oauth.entities.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { SessionService } from '../../auth/sessions/sessions.service.js';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { ApiError } from '../../core/errors.js';
import { digest, mintToken } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import type { Identity, SessionIdentity } from '../../policy/identity.js';
import { isRegistered, withParameters } from '../applications/redirect-uris.js';
import { oauthError } from '../tokens/oauth-errors.js';
import { isPkceFaulty } from '../tokens/pkce.js';
import type { AuthorizeQuery, ConsentInput } from './oauth.dto.js';

type AuthorizationRequest = Pick<
  ConsentInput,
  'client_id' | 'scope' | 'redirect_uri' | 'state' | 'nonce' | 'code_challenge' | 'code_challenge_method'
>;

const FORWARDED_PARAMETERS = [
  ...(['client_id', 'scope', 'response_type', 'redirect_uri', 'state', 'code_challenge'] as const),
  ...(['code_challenge_method', 'prompt', 'nonce'] as const),
];

/** Authorization requests: with the consent page, silently, or with the user's consent (oauth.md 5.3 and 5.4). */
@Injectable()
export class AuthorizeService {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly callerGuard: CallerGuard,
    private readonly grants: Grants,
    private readonly events: SecurityEvents,
    private readonly adminApplication: AdminApplication,
    private readonly clock: Clock,
    private readonly features: FeatureRegistry,
    private readonly sessions: SessionService,
  ) {}

  /** Returns the URL to redirect the browser to. Only a session counts as signed in. */
  async authorize(me: Identity | null, query: AuthorizeQuery): Promise<string> {
    if (query.prompt !== 'none') {
      const { consentUrl } = this.config.oauth;
      return withParameters(consentUrl, Object.fromEntries(FORWARDED_PARAMETERS.map((name) => [name, query[name]])));
    }
    if (me?.via !== 'session') return this.errorRedirect(query, 'login_required');
    try {
      return await this.authorizeSilently(me, query);
    } catch (error) {
      if (error instanceof ApiError) return this.errorRedirect(query, 'consent_required');
      throw error;
    }
  }

  private authorizeSilently(me: SessionIdentity, request: AuthorizationRequest): Promise<string> {
    return this.database.transaction(async (tx) => {
      const account = await this.callerGuard.lockCaller(tx, me);
      await this.grants.lockGrants(tx, account.id);
      const application = await this.lockApplication(tx, request.client_id);
      const scopes = this.requireGrantableScopes(application, account, request);
      const live = new Set(await this.grants.liveScopes(tx, account.id, application.id));
      const isCovered = scopes.every((scope) => scope === 'bot' || live.has(scope));
      if (application.clientType === 'public' || !isCovered || request.redirect_uri === undefined) {
        throw new ApiError('ACCESS_DENIED');
      }
      return this.issueCode(tx, me, request, {
        redirectUri: request.redirect_uri,
        scopes,
        consented: false,
        announced: false,
      });
    });
  }

  /** Never redirects to a URI that is not registered for the application. */
  private async errorRedirect({ client_id: id, redirect_uri, state }: AuthorizeQuery, error: string): Promise<string> {
    const application = await this.database.manager.findOneBy(Application, { id });
    const isSafe =
      application !== null && redirect_uri !== undefined && isRegistered(redirect_uri, application.redirectUris);
    const target = isSafe ? redirect_uri : this.config.oauth.consentUrl;
    return withParameters(target, { error, state, iss: this.config.publicOrigin });
  }

  /**
   * @throws ApiError UNKNOWN_APPLICATION, INVALID_REQUEST, INVALID_SCOPE, NOT_A_BOT_APPLICATION, BOT_IS_PRIVATE,
   *   ACCESS_DENIED
   */
  async consent(me: SessionIdentity, input: ConsentInput, origin: Origin): Promise<{ redirect_to: string }> {
    const redirectTo = await this.database.transaction(async (tx) => {
      const account = await this.callerGuard.lockCaller(tx, me);
      const application = await this.lockApplication(tx, input.client_id);
      if (input.decision === 'deny') return this.deny(application, input);
      const scopes = this.requireGrantableScopes(application, account, input);
      await this.events.record(tx, {
        ...{ accountId: account.id, type: 'application_authorized', origin },
        data: { application_id: application.id, name: application.name, scopes },
      });
      return this.approve(tx, application, me, { input, scopes });
    });
    return { redirect_to: redirectTo };
  }

  private deny(application: Application, input: ConsentInput): string {
    this.assertRedirectUri(application, input);
    const target = input.redirect_uri ?? this.config.webAppUrl;
    return withParameters(target, { error: 'access_denied', state: input.state, iss: this.config.publicOrigin });
  }

  private async approve(
    tx: Tx,
    application: Application,
    me: SessionIdentity,
    { input, scopes }: { input: ConsentInput; scopes: string[] },
  ): Promise<string> {
    const { account } = me;
    const takesEffect = isBotOnly(scopes) && !application.botRequireCodeGrant;
    if (takesEffect) {
      await this.grants.recordBot(tx, account.id, application.id);
      const at = this.clock.date();
      await this.grants.announceAuthorization(tx, application.id, { accountId: account.id, scopes, at });
    }
    if (input.redirect_uri === undefined) return withParameters(this.config.webAppUrl, { state: input.state });
    return this.issueCode(tx, me, input, {
      redirectUri: input.redirect_uri,
      scopes,
      consented: true,
      announced: takesEffect,
    });
  }

  /**
   * Locks the application until `tx` ends, so that the redirect URI of a code is still registered when the code is
   * stored.
   */
  private async lockApplication(tx: Tx, id: string): Promise<Application> {
    const application = await tx.findOne(Application, { where: { id }, lock: { mode: 'pessimistic_read' } });
    if (!application) throw new ApiError('UNKNOWN_APPLICATION');
    return application;
  }

  /** Checks all rules of a consent, in the order of the contract. */
  private requireGrantableScopes(application: Application, account: Account, request: AuthorizationRequest): string[] {
    this.assertRedirectUri(application, request);
    const { redirect_uri, code_challenge, code_challenge_method } = request;
    const { pkceRequired } = this.config.oauth;
    // Without a redirect URI, no code is issued, so PKCE is not required.
    const isRequired = redirect_uri !== undefined && (pkceRequired || application.clientType === 'public');
    if (isPkceFaulty(code_challenge, code_challenge_method, isRequired)) {
      throw oauthError('invalid_request', ['code_challenge']);
    }
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
    terms: { redirectUri: string; scopes: string[]; consented: boolean; announced: boolean },
  ): Promise<string> {
    const code = mintToken();
    const { at, amr, level } = await this.sessions.authenticationOf(tx, sessionId);
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
