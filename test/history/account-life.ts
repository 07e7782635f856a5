import { decodeJwt } from 'jose';
import { type App, asApp, CALLBACK, consent, exchange, parametersOf, refresh } from '../support/index.js';
import type { Replica } from './cluster.js';
import type { Step } from './life.js';
import { MailboxLife } from './mailbox-life.js';
import type { Session } from './person-life.js';
import type { AttemptResult, PresentedCredential } from './recorder.js';

interface Hook {
  readonly id: string;
  readonly scope: string;
}

type Owned = App & { readonly scope: string; readonly botScope: string; readonly secretScope: string };

/** An account with sessions, an application with a bot, a grant and a webhook. */
export class AccountLife extends MailboxLife {
  private app: Owned | undefined;
  private hook: Hook | undefined;
  private personalToken: { readonly id: string; readonly credential: string } | undefined;
  private secretNow: PresentedCredential | undefined;
  /** The refresh token of the first grant, until it is presented. */
  private refreshToken: { readonly token: string; readonly issued: AttemptResult } | undefined;

  protected async begin(): Promise<boolean> {
    const registered = await this.registered();
    if (!registered) return false;
    const first = this.acting;
    if (this.random.chance(0.5)) await this.verify(registered);
    for (let more = this.random.pick([1, 2]); more > 0; more--) await this.signIn();
    if (this.random.chance(0.6)) await this.register(first);
    if (this.random.chance(0.4)) await this.addHook(first);
    if (this.random.chance(0.5)) await this.createToken(first);
    await this.watch();
    await this.describe();
    if (this.random.chance(0.3)) await this.resetSecret();
    return true;
  }

  private async register(session: Session): Promise<void> {
    const { token } = session;
    const { scopes } = this;
    const { url } = this.surroundings.cluster.receiver;
    const input = { name: this.label, redirect_uris: [CALLBACK], backchannel_logout_uri: url };
    const created = await this.done((replica) => replica.as(token).post('/v1/oauth2/applications', input));
    if (!created) return;
    const { id, client_secret: secret, bot } = created.answer.body;
    const owner = { id: this.id, email: this.email, password: this.password, username: '', authorization: token };
    const scope = `application of ${this.label}`;
    const botScope = `bot of ${this.label}`;
    const secretScope = `client secret of ${this.label}`;
    this.app = { id, secret, owner, bot: `Bot ${bot.token}`, redirectUri: CALLBACK, scope, botScope, secretScope };
    this.bot(created, bot.token);
    this.secret(created, secret);
    const exchanged = await this.consented(
      token,
      (code) => this.done((replica) => exchange(replica, this.app as App, code)),
      'openid identify',
    );
    if (!exchanged) return;
    const { access_token: access, refresh_token, id_token } = exchanged.answer.body;
    await this.login(session, exchanged, id_token);
    const credential = this.recorder.issue('access token', exchanged, [scopes.grants, scope]);
    const authorization = `Bearer ${access}`;
    this.add({ credential, authorization, present: (replica) => replica.as(authorization).get('/v1/oauth2/@me') });
    this.refreshToken = { token: refresh_token, issued: exchanged };
    if (this.random.chance(0.5)) await this.race(token);
  }

  /** Records an ID token, and the login session that it names. */
  private async login(session: Session, issued: AttemptResult, token: string): Promise<void> {
    const { history } = this.recorder;
    const { sid } = decodeJwt<{ sid: string }>(token);
    session.login = this.recorder.issue('login', issued, [this.scopes.sessions]);
    history.logins.push({ credential: session.login.id, sid, application: (this.app as Owned).scope });
    history.tokens.push({ kind: 'ID token', sid, token, at: issued.end });
    for (const replica of this.surroundings.cluster.replicas) await this.recorder.readKeys(replica);
  }

  /** Gets an authorization code and passes it to `work`. */
  private async consented<T>(
    token: string,
    work: (code: string, issued: AttemptResult) => Promise<T>,
    scope = 'identify',
  ): Promise<T | null> {
    const answered = await this.done((replica) =>
      consent(replica, { authorization: token }, this.app as App, { scope }),
    );
    return answered && work(parametersOf(answered.answer.body.redirect_to).code as string, answered);
  }

  /**
   * Redeems the code of another grant more than once, and possibly a refresh token. Reuse revokes only the tokens that
   * came from it.
   */
  private async race(token: string): Promise<void> {
    const app = this.app as Owned;
    const scopes = [this.scopes.grants, app.scope];
    const raced = await this.consented(token, (code, consented) =>
      this.redeemed('code', consented, scopes, (replica) => exchange(replica, app, code)),
    );
    // Reuse revokes the token family. The access token of the first exchange belongs to another family.
    const next = raced?.answer.body.refresh_token;
    if (next && this.random.chance(0.5)) {
      await this.redeemed('refresh token', raced, scopes, (replica) => refresh(replica, app, next));
    }
    if (this.random.chance(0.3)) await this.refreshToTheEnd();
  }

  private async refreshToTheEnd(): Promise<void> {
    const [app, held] = [this.app as Owned, this.refreshToken];
    if (!held) return;
    this.refreshToken = undefined;
    await this.redeemed(
      'refresh token',
      held.issued,
      [this.scopes.grants, app.scope],
      (replica) => refresh(replica, app, held.token),
      ({ answer: _, ...attempt }) =>
        this.recorder.history.revocations.push({
          ...attempt,
          // A rejected reuse also revokes the family.
          outcome: 'unknown',
          kind: 'reuse of a refresh token',
          ends: [this.scopes.grants],
          spares: [],
        }),
    );
  }

  private bot(issued: AttemptResult, token: string): void {
    const { scope, botScope } = this.app as Owned;
    const credential = this.recorder.issue('bot token', issued, [scope, botScope]);
    this.add({
      credential,
      authorization: `Bot ${token}`,
      gatewayToken: token,
      present: (replica) => replica.as(`Bot ${token}`).get('/v1/applications/@me'),
    });
  }

  private secret(issued: AttemptResult, secret: string): void {
    const { scope, secretScope } = this.app as Owned;
    const app = { ...(this.app as Owned), secret };
    const credential = this.recorder.issue('client secret', issued, [scope, secretScope]);
    this.app = app;
    this.secretNow = this.add({
      credential,
      present: (replica) => asApp(replica, app, '/v1/oauth2/introspect', { token: 'none' }),
    });
  }

  private async addHook({ token }: Session): Promise<void> {
    const created = await this.done((replica) => replica.as(token).post('/v1/users/@me/webhooks', { name: 'hook' }));
    if (!created) return;
    this.hook = { id: created.answer.body.id, scope: `webhook of ${this.label}` };
    this.hookToken(created, created.answer.body);
  }

  private hookToken(issued: AttemptResult, { url }: { url: string }): void {
    const path = new URL(url).pathname;
    const credential = this.recorder.issue('webhook token', issued, [(this.hook as Hook).scope]);
    this.add({ credential, present: (replica) => replica.anonymous.get(path) });
  }

  private async createToken({ token: session }: Session): Promise<void> {
    const input = { name: 'script', scopes: ['identify'], password: this.password };
    const created = await this.done((replica) => replica.as(session).post('/v1/users/@me/access-tokens', input));
    if (!created) return;
    const { id, token } = created.answer.body;
    const credential = this.recorder.issue('personal access token', created, [this.scopes.tokens]);
    this.personalToken = { id, credential: credential.id };
    const authorization = `Bearer ${token}`;
    this.add({ credential, authorization, present: (replica) => replica.as(authorization).get('/v1/oauth2/userinfo') });
  }

  private async deleteToken(): Promise<boolean> {
    const { personalToken } = this;
    if (!personalToken) return false;
    this.personalToken = undefined;
    const { id, credential } = personalToken;
    await this.revoked('the deletion of an access token', [credential], (replica) =>
      replica.as(this.acting.token).delete(`/v1/users/@me/access-tokens/${id}`),
    );
    return true;
  }

  private async deauthorise(): Promise<boolean> {
    const { app } = this;
    if (!app) return false;
    const { grants } = this.scopes;
    await this.revoked('the end of a grant', [grants], (replica) =>
      replica.as(this.acting.token).delete(`/v1/oauth2/@me/authorizations/${app.id}`),
    );
    return true;
  }

  private async resetBot(): Promise<boolean> {
    const { app } = this;
    if (!app) return false;
    const path = `/v1/oauth2/applications/${app.id}/bot/reset-token`;
    const reset = await this.revoked('bot token reset', [app.botScope], (replica) =>
      replica.as(this.acting.token).post(path, { password: this.password }),
    );
    if (reset.outcome === 'ok') this.bot(reset, reset.answer?.body.token);
    return true;
  }

  private async resetSecret(): Promise<boolean> {
    const [app, former] = [this.app, this.secretNow];
    if (!(app && former)) return false;
    const path = `/v1/oauth2/applications/${app.id}/client-secret/reset`;
    const reset = await this.revoked(
      'client secret reset',
      [app.secretScope],
      this.asMe(path, { password: this.password }),
    );
    if (reset.outcome !== 'ok') return true;
    this.secret(reset, reset.answer?.body.client_secret);
    const token = this.refreshToken?.token;
    if (!token) return true;
    const refreshed = { ...former, present: (replica: Replica) => refresh(replica, app, token) };
    await Promise.all(this.surroundings.cluster.replicas.map((replica) => this.recorder.use(replica, refreshed)));
    await this.refreshToTheEnd();
    return true;
  }

  private async deleteApp(): Promise<boolean> {
    const { app } = this;
    if (!app) return false;
    this.app = undefined;
    const path = `/v1/oauth2/applications/${app.id}`;
    await this.revoked('the end of an application', [app.scope], (replica) =>
      replica.as(this.acting.token).delete(path, { password: this.password }),
    );
    return true;
  }

  private async rotateHook(): Promise<boolean> {
    const { hook } = this;
    if (!hook) return false;
    const rotated = await this.revoked('webhook rotation', [hook.scope], (replica) =>
      replica.as(this.acting.token).post(`/v1/webhooks/${hook.id}/token/rotate`, { password: this.password }),
    );
    if (rotated.outcome === 'ok') this.hookToken(rotated, rotated.answer?.body);
    return true;
  }

  protected readonly partialEnds: readonly Step[] = [
    () => this.logout(),
    () => this.describe(),
    () => this.deauthorise(),
    () => this.resetBot(),
    () => this.resetSecret(),
    () => this.deleteApp(),
    () => this.deleteToken(),
    () => this.rotateHook(),
    async () => (await this.changePassword()) !== null,
    () => this.resetPassword(),
    () => this.changeEmail(),
  ];

  /** Ends everything that acts for the account while it is in use. Its bot is a separate account and stays. */
  private async ended(kind: string, work: Parameters<typeof this.revoked>[2]): Promise<boolean> {
    const { sessions, grants, tokens } = this.scopes;
    await this.revoked(kind, [sessions, grants, tokens, ...(this.hook ? [this.hook.scope] : [])], work);
    return true;
  }

  private ban(): Promise<boolean> {
    const { root } = this.surroundings.cluster;
    return this.ended('ban', (replica) =>
      replica.as(root).put(`/v1/admin/users/${this.id}/ban`, { duration_hours: this.random.pick([0, 24]) }),
    );
  }

  private disable(): Promise<boolean> {
    if (this.mayReturn) return this.ban();
    return this.ended('disabling', (replica) =>
      replica.as(this.acting.token).post('/v1/users/@me/disable', { password: this.password }),
    );
  }

  /** The scopes that a lockdown revokes: everything that acts for the account. */
  private get locked(): string[] {
    const { app, hook } = this;
    const { sessions, grants, tokens } = this.scopes;
    return [sessions, grants, tokens, ...(app ? [app.botScope] : []), ...(hook ? [hook.scope] : [])];
  }

  private async lockDown(): Promise<boolean> {
    const { credential, login } = this.acting;
    const spares = [credential.id, ...(login ? [login.id] : [])];
    await this.revoked(
      'lockdown',
      this.locked,
      this.asMe('/v1/users/@me/lockdown', { password: this.password }),
      spares,
    );
    await this.pause();
    return this.terminate();
  }

  private async lockDownByLink(): Promise<boolean> {
    const changed = await this.changePassword();
    const token = changed.outcome === 'ok' && (await this.mailed('security_notice'))?.metadata.token;
    if (!token) return this.lockDown();
    await this.redeemedToEnd('lockdown by link', changed, this.locked, (replica) =>
      replica.anonymous.post('/v1/auth/lockdown', { token }),
    );
    return true;
  }

  protected readonly wholeEnds: readonly Step[] = [
    () => this.ban(),
    () => this.disable(),
    () => this.terminate(),
    () => this.lockDown(),
    () => this.lockDownByLink(),
  ];
}
