import { Secret, TOTP } from 'otpauth';
import type { TestResponse } from '../support/exchange.js';
import type { Replica } from './cluster.js';
import type { Credential } from './history.js';
import type { Step } from './life.js';
import { PersonLife } from './person-life.js';
import type { AttemptResult, PresentedCredential } from './recorder.js';

const PERIOD_MS = 30_000;
const CODES_PER_TICKET = 3;

/** A TOTP or backup code, as a single-use credential. */
interface Code {
  readonly code: string;
  readonly credential: Credential;
}

/** An account with an authenticator and backup codes. Each code works once, until the codes are replaced or removed. */
export class FactorLife extends PersonLife {
  private secret: Secret | undefined;
  private enabled: AttemptResult | undefined;
  private lastStep = 0;
  private backupCodes: Code[] = [];

  private get factors() {
    return { totp: `authenticator of ${this.label}`, backup: `backup codes of ${this.label}` };
  }

  protected async begin(): Promise<boolean> {
    const registered = await this.registered();
    if (!registered) return false;
    await this.verify(registered);
    await this.signIn();
    await this.watch();
    await this.enable();
    await this.spend(this.backupCodes.shift());
    await this.describe();
    return true;
  }

  private async enable(): Promise<void> {
    const secret = new Secret({ size: 20 });
    this.lastStep = 0;
    const code = this.codeOf(secret) as string;
    const input = { secret: secret.base32, code, password: this.password };
    const enabled = await this.done(this.asMe('/v1/users/@me/mfa/totp/enable', input));
    if (!enabled) return;
    [this.secret, this.enabled] = [secret, enabled];
    this.keep(enabled);
  }

  private keep(issued: AttemptResult & { answer: TestResponse }): void {
    this.backupCodes = issued.answer.body.backup_codes.map(({ code }: { code: string }) => ({
      code,
      credential: this.recorder.issue('backup code', issued, [this.factors.backup], { isOneTime: true }),
    }));
  }

  /** The code of the earliest time step that is accepted now and was not used before. */
  private codeOf(secret: Secret): string | undefined {
    const step = Math.max(this.lastStep + 1, Math.floor(Date.now() / PERIOD_MS) - 1);
    if (step > Math.floor(Date.now() / PERIOD_MS) + 1) return undefined;
    this.lastStep = step;
    return new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: 30 }).generate({ timestamp: step * PERIOD_MS });
  }

  private totpCode(secret = this.secret): Code | undefined {
    const code = secret && this.codeOf(secret);
    if (!(code && this.enabled)) return undefined;
    return {
      code,
      credential: this.recorder.issue('TOTP code', this.enabled, [this.factors.totp], { isOneTime: true }),
    };
  }

  private anyCode(): Code | undefined {
    return this.random.chance(0.5) ? (this.totpCode() ?? this.backupCodes.shift()) : this.backupCodes.shift();
  }

  /** Uses a code as proof of identity for an operation that changes nothing here. */
  private proving({ code, credential }: Code): PresentedCredential {
    const present = this.asMe('/v1/auth/sessions/logout', {
      ...{ session_id_hashes: [], mfa_method: 'totp', mfa_code: code },
    });
    return { credential, present };
  }

  private async everywhere(presented: PresentedCredential): Promise<void> {
    await Promise.all(this.surroundings.cluster.replicas.map((replica) => this.recorder.use(replica, presented)));
  }

  /** Invalid codes count against the account, so only a few are sent. The next valid code is then still checked. */
  private async spend(code: Code | undefined): Promise<boolean> {
    if (!code) return false;
    const presented = this.proving(code);
    await this.everywhere(presented);
    await this.everywhere(presented);
    return true;
  }

  private async ticket(): Promise<string | undefined> {
    const { email, password } = this;
    const answered = await this.done((replica) => replica.anonymous.post('/v1/auth/login', { email, password }));
    return answered?.answer.body.ticket;
  }

  private answering(ticket: string | undefined, code: string) {
    return (replica: Replica) => replica.anonymous.post('/v1/auth/login/mfa/totp', { ticket, code });
  }

  private signedIn(attempts: readonly AttemptResult[]): void {
    for (const one of attempts) if (one.outcome === 'ok') this.session(one, one.answer?.body.token);
  }

  /** Submits one code for two tickets at the same time. */
  private async signInByCode(): Promise<boolean> {
    const tickets = [await this.ticket(), await this.ticket()];
    const spent = tickets[0] && this.anyCode();
    if (!spent) return false;
    const { replicas } = this.surroundings.cluster;
    const at = (replica: Replica, n: number) =>
      this.recorder.use(replica, {
        credential: spent.credential,
        present: this.answering(tickets[n % tickets.length], spent.code),
      });
    this.signedIn(await Promise.all(this.random.shuffled([...replicas, ...replicas].slice(0, 4)).map(at)));
    return true;
  }

  /** Submits several codes for one ticket at the same time. */
  private async spendTicket(): Promise<boolean> {
    const ticket = await this.ticket();
    const codes = this.backupCodes.splice(0, CODES_PER_TICKET);
    if (!ticket || codes.length === 0 || !this.enabled) return false;
    const credential = this.recorder.issue('MFA ticket', this.enabled, [], { isOneTime: true });
    const at = ({ code }: Code) =>
      this.recorder.use(this.anywhere, { credential, present: this.answering(ticket, code) });
    this.signedIn(await Promise.all(codes.map(at)));
    return true;
  }

  /** Records that an operation used up a code. */
  private tookWith({ answer: _, ...attempt }: AttemptResult, { credential }: Code): void {
    this.recorder.history.uses.push({ ...attempt, credential: credential.id });
  }

  private async renew(): Promise<boolean> {
    const proof = this.anyCode();
    const former = this.backupCodes[0];
    if (!(proof && former)) return false;
    const input = { regenerate: true, mfa_method: 'totp', mfa_code: proof.code };
    const work = this.asMe('/v1/users/@me/mfa/backup-codes', input);
    const renewed = await this.revoked('new backup codes', [this.factors.backup], work);
    this.tookWith(renewed, proof);
    if (renewed.outcome !== 'ok' || !renewed.answer) return true;
    this.keep({ ...renewed, answer: renewed.answer });
    await this.everywhere(this.proving(former));
    return true;
  }

  /** Presents the former codes once more, and sometimes enables a new authenticator. */
  private async gone(): Promise<void> {
    const some = [this.totpCode(), this.backupCodes[0]];
    this.secret = undefined;
    this.backupCodes = [];
    for (const code of some) if (code) await this.everywhere(this.proving(code));
    if (this.random.chance(0.5)) await this.enable();
  }

  private async disable(): Promise<boolean> {
    const proof = this.anyCode();
    if (!proof) return false;
    const { code } = proof;
    const { totp, backup } = this.factors;
    const work = this.asMe('/v1/users/@me/mfa/totp/disable', { code, mfa_method: 'totp', mfa_code: code });
    const disabled = await this.revoked('TOTP turned off', [totp, backup], work);
    this.tookWith(disabled, proof);
    if (disabled.outcome === 'ok') await this.gone();
    return true;
  }

  private async takeAway(): Promise<boolean> {
    const { root } = this.surroundings.cluster;
    const { totp, backup } = this.factors;
    const taken = await this.revoked('second factors taken away', [totp, backup], (replica) =>
      replica.as(root).delete(`/v1/admin/users/${this.id}/mfa`),
    );
    if (taken.outcome === 'ok') await this.gone();
    return true;
  }

  protected readonly partialEnds: readonly Step[] = [
    () => this.spend(this.totpCode()),
    () => this.spend(this.backupCodes.shift()),
    () => this.signInByCode(),
    () => this.spendTicket(),
    () => this.renew(),
    this.random.chance(0.5) ? () => this.disable() : () => this.takeAway(),
    () => this.logout(),
  ];

  protected readonly wholeEnds: readonly Step[] = [() => this.terminate()];
}
