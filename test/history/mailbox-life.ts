import { PersonLife } from './person-life.js';
import type { AttemptResult } from './recorder.js';

/** An account whose email address changes, and changes back with the token that the former address received. */
export abstract class MailboxLife extends PersonLife {
  private moves = 0;

  private wrote({ answer: _, ...attempt }: AttemptResult, value: string): void {
    this.recorder.history.writes.push({ ...attempt, member: `e-mail of ${this.label}`, value });
  }

  private async step(name: string, body: object = {}) {
    return this.done(this.asMe(`/v1/users/@me/email-change/${name}`, body));
  }

  /** Gets a token that allows changing the email address. Returns null if a step failed. */
  private async emailToken(address: string) {
    const started = await this.step('start');
    if (!started) return null;
    const { ticket, require_original, original_proof: given } = started.answer.body;
    let original_proof = given;
    if (require_original) {
      const code = (await this.mailed('email_change_original'))?.metadata.code;
      original_proof = code && (await this.step('verify-original', { ticket, code }))?.answer.body.original_proof;
    }
    if (!(original_proof && (await this.step('request-new', { ticket, new_email: address, original_proof }))))
      return null;
    const code = (await this.mailed('email_change_new', address))?.metadata.code;
    return code ? this.step('verify-new', { ticket, code, original_proof }) : null;
  }

  protected async changeEmail(): Promise<boolean> {
    const former = this.email;
    const address = former.replace('@', `.${++this.moves}@`);
    const issued = await this.emailToken(address);
    if (!issued) return false;
    const { email_token } = issued.answer.body;
    const apply = this.asMe('/v1/users/@me/email-change/apply', { email_token, password: this.password });
    const applied = await this.redeemed('e-mail token', issued, [], apply, (attempted) =>
      this.wrote(attempted, address),
    );
    if (!applied) return true;
    this.email = address;
    await this.pause();
    if (this.random.chance(0.7)) await this.revertEmail(applied, former);
    return true;
  }

  private async revertEmail(issued: AttemptResult, former: string): Promise<void> {
    const token = (await this.mailed('email_change_revert', former))?.metadata.token;
    if (!token) return;
    const password = `${this.password}, after all`;
    const { sessions, grants, tokens } = this.scopes;
    const input = { token, password };
    await this.redeemedToEnd(
      'e-mail revert',
      issued,
      [sessions, grants, tokens],
      (replica) => replica.anonymous.post('/v1/auth/email-revert', input),
      (attempted) => {
        this.wrote(attempted, former);
        if (attempted.outcome !== 'ok') return;
        this.email = former;
        this.password = password;
        this.returned(attempted);
      },
    );
  }
}
