import type { TestResponse } from '../support/exchange.js';
import { inboxOf, type Message } from '../support/index.js';
import type { Replica } from './cluster.js';
import type { Credential } from './history.js';
import { Life } from './life.js';
import { pause } from './pause.js';
import { type AttemptResult, now, type PresentedCredential } from './recorder.js';

const MAIL_MS = 10_000;

export interface Session extends PresentedCredential {
  readonly token: string;
  /** The login session, if an application has an ID token of it. Its token may change. */
  login?: Credential | undefined;
}

type Work = (replica: Replica) => PromiseLike<TestResponse>;

/** An account with an email address and a password, whose sessions show its profile. */
export abstract class PersonLife extends Life {
  protected readonly label = this.recorder.name('account');
  protected email = `${this.label.replace(' ', '.')}@example.com`;
  protected password = `the password of ${this.label}`;
  protected sessions: Session[] = [];
  protected id = '';
  /** A sign-in without a response may still succeed, which would re-enable a disabled account. */
  protected mayReturn = false;
  private bios = 0;

  protected get scopes() {
    const { label } = this;
    return { sessions: `sessions of ${label}`, grants: `grants of ${label}`, tokens: `access tokens of ${label}` };
  }

  /** The session for requests of the account. */
  protected get acting(): Session {
    return this.sessions.at(-1) as Session;
  }

  protected asMe(path: string, body?: unknown): Work {
    const { token } = this.acting;
    return (replica) => replica.as(token).post(path, body);
  }

  /** Registers. Returns null if that failed. */
  protected async registered(): Promise<AttemptResult | null> {
    const { email, password } = this;
    const registered = await this.done((replica) =>
      replica.anonymous.post('/v1/auth/register', { email, password, username: 'someone' }),
    );
    if (!registered) return null;
    const { answer: response, ...attempt } = registered;
    this.recorder.history.writes.push({ ...attempt, member: `e-mail of ${this.label}`, value: email });
    this.id = response.body.user_id;
    this.session(registered, response.body.token);
    return registered;
  }

  protected session(issued: AttemptResult, token: string): Session {
    const credential = this.recorder.issue('session', issued, [this.scopes.sessions]);
    const session: Session = {
      credential,
      token,
      authorization: token,
      gatewayToken: token,
      present: (replica) => replica.as(token).get('/v1/users/@me'),
      shows: [
        { member: `bio of ${this.label}`, of: ({ body }) => body.bio },
        { member: `e-mail of ${this.label}`, of: ({ body }) => body.email },
      ],
    };
    this.sessions.push(session);
    this.add(session);
    return session;
  }

  /** Replaces all sessions by the one in the response to a request that ended them. */
  protected returned(issued: AttemptResult): void {
    this.sessions = [];
    this.session(issued, issued.answer?.body.token);
  }

  protected async signIn(): Promise<void> {
    const { email, password } = this;
    const work: Work = (replica) => replica.anonymous.post('/v1/auth/login', { email, password });
    const attempted = await this.recorder.attempt(this.anywhere, work);
    if (attempted.outcome === 'ok') this.session(attempted, attempted.answer?.body.token);
    else if (attempted.outcome === 'unknown') this.mayReturn = true;
  }

  /** Opens sockets at random replicas, which may not have seen the credentials before. */
  protected async watch(): Promise<void> {
    for (const { credential, gatewayToken } of this.own) {
      if (gatewayToken && this.random.chance(0.7))
        await this.recorder.identify(this.anywhere, credential, gatewayToken);
    }
  }

  protected async describe(): Promise<boolean> {
    const { token } = this.random.pick(this.sessions);
    const bio = `${this.label}, version ${++this.bios}`;
    await this.recorder.write(this.anywhere, `bio of ${this.label}`, bio, (replica) =>
      replica.as(token).patch('/v1/users/@me', { bio }),
    );
    return true;
  }

  /** Waits for a message of this type and returns the newest one. */
  protected async mailed(type: string, address = this.email): Promise<Message | undefined> {
    for (const until = now() + MAIL_MS; now() < until && !this.surroundings.isOver(); await pause(200)) {
      const [message] = await inboxOf(this.anywhere, address, type).catch(() => []);
      if (message) return message;
    }
    return undefined;
  }

  protected async verify(issued: AttemptResult): Promise<void> {
    const token = (await this.mailed('email_verification'))?.metadata.token;
    if (!token) return;
    await this.redeemed('verification token', issued, [], (replica) =>
      replica.anonymous.post('/v1/auth/verify', { token }),
    );
  }

  /** Redeems a single-use secret that ends everything with these scopes. */
  protected redeemedToEnd(
    kind: string,
    issued: AttemptResult,
    ends: readonly string[],
    present: Work,
    each: (attempted: AttemptResult) => void = () => {},
  ) {
    return this.redeemed(`token of ${kind}`, issued, [], present, (attempted) => {
      const { answer: _, ...attempt } = attempted;
      this.recorder.history.revocations.push({ ...attempt, kind, ends, spares: [] });
      each(attempted);
    });
  }

  protected async logout(): Promise<boolean> {
    if (this.sessions.length < 2) return false;
    const [{ credential, token, login }] = this.sessions.splice(0, 1) as [Session];
    await this.revoked('logout', [credential.id, ...(login ? [login.id] : [])], (replica) =>
      replica.as(token).post('/v1/auth/logout'),
    );
    return true;
  }

  protected async changePassword(): Promise<AttemptResult> {
    const new_password = `${this.password}, another`;
    const { token, login } = this.acting;
    const changed = await this.revoked(
      'password change',
      [this.scopes.sessions],
      (replica) => replica.as(token).patch('/v1/users/@me', { password: this.password, new_password }),
      login ? [login.id] : [],
    );
    if (changed.outcome === 'ok') {
      this.password = new_password;
      this.returned(changed);
      this.acting.login = login;
    }
    return changed;
  }

  protected async resetPassword(): Promise<boolean> {
    const { email } = this;
    const requested = await this.done((replica) => replica.anonymous.post('/v1/auth/forgot', { email }));
    const token = requested && (await this.mailed('password_reset'))?.metadata.token;
    if (!token) return false;
    const password = `${this.password}, reset`;
    const present: Work = (replica) => replica.anonymous.post('/v1/auth/reset', { token, password });
    await this.redeemedToEnd('password reset', requested, [this.scopes.sessions], present, (attempted) => {
      if (attempted.outcome !== 'ok') return;
      this.password = password;
      this.returned(attempted);
    });
    return true;
  }

  protected async terminate(): Promise<boolean> {
    const { root } = this.surroundings.cluster;
    await this.revoked('termination', [this.scopes.sessions], (replica) =>
      replica.as(root).delete(`/v1/admin/users/${this.id}/sessions`),
    );
    return true;
  }
}
