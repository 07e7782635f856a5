import type { Step } from './life.js';
import { Listener } from './listener.js';
import { PersonLife, type Session } from './person-life.js';

const ATTEMPTS = 5;

/** A user whose gateway session loses its connection and resumes at another replica, until its credential ends. */
export class GatewayLife extends PersonLife {
  private listener: Listener | undefined;
  private listening: Session | undefined;
  private hooks = 0;

  private get topic(): string {
    return `webhooks of ${this.label}`;
  }

  protected async begin(): Promise<boolean> {
    if (!(await this.registered())) return false;
    await this.signIn();
    await this.listen();
    await this.interrupt();
    return true;
  }

  /** Starts a new gateway session for the login session that will end first. */
  private async listen(): Promise<void> {
    const session = this.sessions[0] as Session;
    const listener = new Listener(this.recorder, session.credential, session.token, this.topic);
    const isOpen = (await listener.identify(this.anywhere)) === 'ok';
    [this.listener, this.listening] = [isOpen ? listener : undefined, session];
  }

  /** Creates a webhook, of which the session must be notified. */
  private async happen(): Promise<void> {
    const input = { name: `hook ${++this.hooks}` };
    const created = await this.done(this.asMe('/v1/users/@me/webhooks', input));
    if (!created) return;
    const { start, end } = created;
    this.recorder.history.events.push({ start, end, topic: this.topic, name: created.answer.body.id });
  }

  private async resumed(listener: Listener): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS && !this.surroundings.isOver(); attempt++) {
      const result = await listener.resume(this.anywhere);
      if (result === 'ok') return;
      if (result !== 'unknown') break;
      await this.pause();
    }
    this.listener = undefined;
  }

  private async interrupt(): Promise<boolean> {
    if (!this.listener) await this.listen();
    const { listener } = this;
    if (!listener) return false;
    await this.happen();
    listener.drop();
    for (let missed = this.random.pick([1, 2, 3]); missed > 0; missed--) await this.happen();
    await this.resumed(listener);
    // When this event arrives, no earlier event is still on its way.
    await this.happen();
    return true;
  }

  protected readonly partialEnds: readonly Step[] = [
    () => this.interrupt(),
    () => this.interrupt(),
    () => this.describe(),
  ];

  /** After any revocation of the credential, its gateway session must not resume, whether attached or not. */
  private async refused(end: () => Promise<unknown>): Promise<boolean> {
    const { listener } = this;
    if (this.random.chance(0.5)) listener?.drop();
    await end();
    for (const replica of listener ? this.surroundings.cluster.replicas : []) await listener?.resume(replica);
    return true;
  }

  protected readonly wholeEnds: readonly Step[] = [
    () => this.refused(() => this.terminate()),
    () =>
      this.refused(async () => {
        const { credential, token } = this.listening as Session;
        await this.revoked('logout', [credential.id], (replica) => replica.as(token).post('/v1/auth/logout'));
      }),
    () => this.refused(() => this.resetPassword()),
  ];
}
