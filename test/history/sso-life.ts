import type { Credential, Outcome } from './history.js';
import type { Step } from './life.js';
import { PersonLife } from './person-life.js';
import type { AttemptResult } from './recorder.js';

/**
 * A user who signs in at the identity provider. Each state works once. The identity works until it is unlinked or the
 * account is banned.
 */
export class SsoLife extends PersonLife {
  private readonly subject = this.label.replace(' ', '.');
  private identity: Credential | undefined;
  private others = 0;

  private get scope(): string {
    return `identity of ${this.label}`;
  }

  /** Starts a sign-in. Returns what the identity provider sends back, with a new code on each call. */
  private async started() {
    const started = await this.done((replica) => replica.anonymous.post('/v1/auth/sso/start', {}));
    if (!started) return null;
    const { authorization_url, state } = started.answer.body;
    const input = (email: string) => ({
      code: this.surroundings.cluster.provider.visit(authorization_url, { sub: this.subject, email }),
      state,
    });
    return { started, input };
  }

  /** Each attempt has its own code, so that only the state can prevent the second one. */
  private async signInBySso(): Promise<(AttemptResult & { answer: NonNullable<AttemptResult['answer']> }) | null> {
    const begun = await this.started();
    if (!begun) return null;
    return this.redeemed('SSO state', begun.started, [], (replica) =>
      replica.anonymous.post('/v1/auth/sso/complete', begun.input(this.email)),
    );
  }

  protected async begin(): Promise<boolean> {
    const first = await this.signInBySso();
    if (!first) return false;
    const { answer: response, ...attempt } = first;
    this.recorder.history.writes.push({ ...attempt, member: `e-mail of ${this.label}`, value: this.email });
    this.id = response.body.user_id;
    this.session(first, response.body.token);
    this.identity = this.recorder.issue('SSO identity', first, [this.scope]);
    if (this.random.chance(0.5)) await this.return();
    await this.watch();
    await this.describe();
    return true;
  }

  private async return(): Promise<boolean> {
    const again = await this.signInBySso();
    if (again?.answer.body.user_id === this.id) this.session(again, again.answer.body.token);
    return true;
  }

  /** Signs in with another email address, so that only the identity leads to the account. */
  private async present(): Promise<boolean> {
    const begun = await this.started();
    if (!(begun && this.identity)) return false;
    const email = this.email.replace('@', `.${++this.others}@`);
    const attempted = await this.recorder.attempt(this.anywhere, (replica) =>
      replica.anonymous.post('/v1/auth/sso/complete', begun.input(email)),
    );
    const { answer: response, ...attempt } = attempted;
    const outcome = this.judged(attempted);
    this.recorder.history.uses.push({ ...attempt, outcome, credential: this.identity.id });
    if (outcome === 'ok') this.session(attempted, response?.body.token);
    return true;
  }

  /** If the identity provider rejects a reused code, that says nothing about the identity. */
  private judged({ outcome, answer: response }: AttemptResult): Outcome {
    if (outcome === 'ok') return response?.body.user_id === this.id ? 'ok' : 'refused';
    return response?.status === 403 ? 'refused' : 'unknown';
  }

  private async unlink(): Promise<boolean> {
    const { root } = this.surroundings.cluster;
    await this.revoked('the end of an SSO identity', [this.scope], (replica) =>
      replica.as(root).delete(`/v1/admin/users/${this.id}/sso-identity`),
    );
    return this.present();
  }

  private async ban(): Promise<boolean> {
    const { root } = this.surroundings.cluster;
    await this.revoked('ban', [this.scope, this.scopes.sessions], (replica) =>
      replica.as(root).put(`/v1/admin/users/${this.id}/ban`, { duration_hours: 24 }),
    );
    return this.present();
  }

  protected readonly partialEnds: readonly Step[] = [
    () => this.present(),
    () => this.logout(),
    () => this.describe(),
    () => this.unlink(),
  ];

  protected readonly wholeEnds: readonly Step[] = [() => this.ban(), () => this.terminate()];
}
