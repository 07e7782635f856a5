import {
  type App,
  CALLBACK,
  consent,
  exchange,
  inboxOf,
  type Message,
  parametersOf,
  refresh,
} from '../support/index.js';
import type { Replica } from './cluster.js';
import { Life, type Step } from './life.js';
import { type Attempted, now, type Presented } from './recorder.js';

const MAIL_MS = 10_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Session extends Presented {
  readonly token: string;
}

interface Hook {
  readonly id: string;
  readonly scope: string;
}

/** An account with sessions, an application with a bot, a grant, a webhook. */
export class AccountLife extends Life {
  private readonly label = this.recorder.name('account');
  private readonly email = `${this.label.replace(' ', '.')}@example.com`;
  private password = `the password of ${this.label}`;
  private sessions: Session[] = [];
  private app: (App & { readonly scope: string; readonly botScope: string }) | undefined;
  private hook: Hook | undefined;
  private id = '';
  private bios = 0;
  /** A sign-in may still be done, and would enable a disabled account again. */
  private mayReturn = false;

  protected async begin(): Promise<boolean> {
    const input = { email: this.email, password: this.password, username: 'someone' };
    const registered = await this.done((replica) => replica.anonymous.post('/v1/auth/register', input));
    if (!registered) return false;
    this.id = registered.answer.body.user_id;
    const first = this.session(registered, registered.answer.body.token);
    if (this.random.chance(0.5)) await this.verify(registered);
    for (let more = this.random.pick([1, 2]); more > 0; more--) await this.signIn();
    if (this.random.chance(0.6)) await this.register(first);
    if (this.random.chance(0.4)) await this.addHook(first);
    await this.watch();
    await this.describe();
    return true;
  }

  private get scopes() {
    return { sessions: `sessions of ${this.label}`, grants: `grants of ${this.label}`, all: this.label };
  }

  /** The session to act with. */
  private get acting(): Session {
    return this.sessions.at(-1) as Session;
  }

  private session(issued: Attempted, token: string): Session {
    const credential = this.recorder.issue('session', issued, [this.scopes.sessions]);
    const session: Session = {
      credential,
      token,
      gatewayToken: token,
      present: (replica) => replica.as(token).get('/v1/users/@me'),
      shows: { member: `bio of ${this.label}`, of: ({ body }) => body.bio },
    };
    this.sessions.push(session);
    this.add(session);
    return session;
  }

  private async signIn(): Promise<void> {
    const { email, password } = this;
    const work = (replica: Replica) => replica.anonymous.post('/v1/auth/login', { email, password });
    const attempted = await this.recorder.attempt(this.anywhere, work);
    if (attempted.outcome === 'ok') this.session(attempted, attempted.answer?.body.token);
    else if (attempted.outcome === 'unknown') this.mayReturn = true;
  }

  private async register({ token }: Session): Promise<void> {
    const { scopes } = this;
    const input = { name: this.label, redirect_uris: [CALLBACK] };
    const created = await this.done((replica) => replica.as(token).post('/v1/oauth2/applications', input));
    if (!created) return;
    const { id, client_secret: secret, bot } = created.answer.body;
    const owner = { id: this.id, email: this.email, password: this.password, username: '', authorization: token };
    const scope = `application of ${this.label}`;
    const botScope = `bot of ${this.label}`;
    this.app = { id, secret, owner, bot: `Bot ${bot.token}`, redirectUri: CALLBACK, scope, botScope };
    this.bot(created, bot.token);
    const exchanged = await this.consented(token, (code) =>
      this.done((replica) => exchange(replica, this.app as App, code)),
    );
    if (!exchanged) return;
    const { access_token: access, refresh_token } = exchanged.answer.body;
    const credential = this.recorder.issue('access token', exchanged, [scopes.grants, scope]);
    this.add({ credential, present: (replica) => replica.as(`Bearer ${access}`).get('/v1/oauth2/@me') });
    if (this.random.chance(0.5)) await this.race(token, refresh_token, exchanged);
  }

  /** A code, and what is done with it. */
  private async consented<T>(token: string, work: (code: string, issued: Attempted) => Promise<T>): Promise<T | null> {
    const answered = await this.done((replica) => consent(replica, { authorization: token }, this.app as App));
    return answered && work(parametersOf(answered.answer.body.redirect_to).code as string, answered);
  }

  /** Another grant's code, or this one's refresh token: who redeems it again ends what came of it, and nothing else. */
  private async race(token: string, refreshToken: string, issued: Attempted): Promise<void> {
    const app = this.app as NonNullable<typeof this.app>;
    const scopes = [this.scopes.grants, app.scope];
    const raced = await this.consented(token, (code, consented) =>
      this.redeemed('code', consented, scopes, (replica) => exchange(replica, app, code)),
    );
    // Whoever comes second ends the family: the access token of the first exchange is of another.
    const next = raced?.answer.body.refresh_token;
    if (next && this.random.chance(0.5)) {
      await this.redeemed('refresh token', raced, scopes, (replica) => refresh(replica, app, next));
    }
    if (this.random.chance(0.3)) {
      await this.redeemed(
        'refresh token',
        issued,
        scopes,
        (replica) => refresh(replica, app, refreshToken),
        ({ answer: _, ...attempt }) =>
          this.recorder.history.revocations.push({
            ...attempt,
            // One that comes second and is refused ends the family by that.
            outcome: 'unknown',
            kind: 'reuse of a refresh token',
            ends: [this.scopes.grants],
            spares: [],
          }),
      );
    }
  }

  private bot(issued: Attempted, token: string): void {
    const { scope, botScope } = this.app as NonNullable<typeof this.app>;
    const credential = this.recorder.issue('bot token', issued, [scope, botScope]);
    this.add({
      credential,
      gatewayToken: token,
      present: (replica) => replica.as(`Bot ${token}`).get('/v1/applications/@me'),
    });
  }

  private async addHook({ token }: Session): Promise<void> {
    const created = await this.done((replica) => replica.as(token).post('/v1/users/@me/webhooks', { name: 'hook' }));
    if (!created) return;
    this.hook = { id: created.answer.body.id, scope: `webhook of ${this.label}` };
    this.hookToken(created, created.answer.body);
  }

  private hookToken(issued: Attempted, { url }: { url: string }): void {
    const path = new URL(url).pathname;
    const credential = this.recorder.issue('webhook token', issued, [(this.hook as Hook).scope]);
    this.add({ credential, present: (replica) => replica.anonymous.get(path) });
  }

  /** Sockets at replicas that have not seen their credentials before. */
  private async watch(): Promise<void> {
    for (const { credential, gatewayToken } of this.own) {
      if (gatewayToken && this.random.chance(0.7))
        await this.recorder.identify(this.anywhere, credential, gatewayToken);
    }
  }

  private async describe(): Promise<void> {
    const { token } = this.random.pick(this.sessions);
    const bio = `${this.label}, version ${++this.bios}`;
    await this.recorder.write(this.anywhere, `bio of ${this.label}`, bio, (replica) =>
      replica.as(token).patch('/v1/users/@me', { bio }),
    );
  }

  /** The message that the newest of this type is, whenever it comes. */
  private async mailed(type: string): Promise<Message | undefined> {
    for (const until = now() + MAIL_MS; now() < until && !this.surroundings.isOver(); await pause(200)) {
      const [message] = await inboxOf(this.anywhere, this.email, type).catch(() => []);
      if (message) return message;
    }
    return undefined;
  }

  private async verify(issued: Attempted): Promise<void> {
    const token = (await this.mailed('email_verification'))?.metadata.token;
    if (!token) return;
    await this.redeemed('verification token', issued, [], (replica) =>
      replica.anonymous.post('/v1/auth/verify', { token }),
    );
  }

  private async logout(): Promise<boolean> {
    if (this.sessions.length < 2) return false;
    const [{ credential, token }] = this.sessions.splice(0, 1) as [Session];
    await this.revoked('logout', [credential.id], (replica) => replica.as(token).post('/v1/auth/logout'));
    return true;
  }

  private async change(): Promise<boolean> {
    await this.describe();
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

  private async changePassword(): Promise<boolean> {
    const new_password = `${this.password}, another`;
    const { token } = this.acting;
    const changed = await this.revoked('password change', [this.scopes.sessions], (replica) =>
      replica.as(token).patch('/v1/users/@me', { password: this.password, new_password }),
    );
    if (changed.outcome !== 'ok') return true;
    this.password = new_password;
    this.sessions = [];
    this.session(changed, changed.answer?.body.token);
    return true;
  }

  private async resetPassword(): Promise<boolean> {
    const { email } = this;
    const asked = await this.done((replica) => replica.anonymous.post('/v1/auth/forgot', { email }));
    const token = asked && (await this.mailed('password_reset'))?.metadata.token;
    if (!token) return false;
    const password = `${this.password}, reset`;
    const { sessions } = this.scopes;
    await this.redeemed(
      'reset token',
      asked,
      [],
      (replica) => replica.anonymous.post('/v1/auth/reset', { token, password }),
      ({ answer, ...attempt }) => {
        this.recorder.history.revocations.push({ ...attempt, kind: 'password reset', ends: [sessions], spares: [] });
        if (attempt.outcome !== 'ok') return;
        this.password = password;
        this.sessions = [];
        this.session({ ...attempt, answer }, answer?.body.token);
      },
    );
    return true;
  }

  protected readonly partialEnds: readonly Step[] = [
    () => this.logout(),
    () => this.change(),
    () => this.deauthorise(),
    () => this.resetBot(),
    () => this.deleteApp(),
    () => this.rotateHook(),
    () => this.changePassword(),
    () => this.resetPassword(),
  ];

  /** Everything that acts for the account while it is in use: its bot is an account of its own and goes on. */
  private async ended(kind: string, work: Parameters<typeof this.revoked>[2]): Promise<boolean> {
    const { sessions, grants } = this.scopes;
    await this.revoked(kind, [sessions, grants, ...(this.hook ? [this.hook.scope] : [])], work);
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

  private async terminate(): Promise<boolean> {
    const { root } = this.surroundings.cluster;
    await this.revoked('termination', [this.scopes.sessions], (replica) =>
      replica.as(root).delete(`/v1/admin/users/${this.id}/sessions`),
    );
    return true;
  }

  private async lockDown(): Promise<boolean> {
    const { credential, token } = this.acting;
    const { app, hook } = this;
    const ends = [
      this.scopes.sessions,
      this.scopes.grants,
      ...(app ? [app.botScope] : []),
      ...(hook ? [hook.scope] : []),
    ];
    const spares = [credential.id];
    await this.revoked('lockdown', ends, (replica) => replica.as(token).post('/v1/users/@me/lockdown', {}), spares);
    await this.dwell();
    return this.terminate();
  }

  protected readonly wholeEnds: readonly Step[] = [
    () => this.ban(),
    () => this.disable(),
    () => this.terminate(),
    () => this.lockDown(),
  ];
}
